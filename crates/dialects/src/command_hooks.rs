//! What hosts need of the dialect whose hooks are programs, under a name that is not that dialect's: its versions, its
//! events as flags, how its files are told from others, and what its hooks are given as a payload again.

pub use crate::docker_agent::hooks::of_flag;
pub use crate::docker_agent::{
    Compat, Context, DIALECT, Decisions, ROWS, Rewrites, Row, example, pasted, recognise, tools_of,
};

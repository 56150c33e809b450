//! What hosts need of the dialect whose hooks are programs, under a name that is not that dialect's: its versions, its
//! events as flags, how its files are told from others, and what its hooks are given as a payload again.

pub use crate::docker_agent::hooks::hook_from_flag;
pub use crate::docker_agent::{
    ContextReader, DIALECT, DockerAgentVersion, DockerEventDef, DockerRewrite, PermissionWords, ROWS, example_payload,
    payload_from_hook_input, recognise, tools_of,
};

//! What hosts need of the dialect whose hooks are scripts registered in `settings.json`, under a name that is not that
//! dialect's: how its files are told from others, and its events.

pub use crate::harness_framework::{DIALECT, FrameworkEventDef, ROWS, recognise};

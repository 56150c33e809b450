//! The public parts of the dialect whose hooks are scripts registered in `settings.json`, under a neutral name: how its
//! files are recognized, and its events.

pub use crate::harness_framework::{DIALECT, FrameworkEventDef, ROWS, recognise};

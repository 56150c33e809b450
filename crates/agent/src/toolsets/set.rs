//! What every toolset consists of: tools, and an instruction for the model.

use std::sync::Arc;

use crate::turn_context::Tool;

/// An opened toolset.
#[derive(Debug, Default)]
pub(crate) struct Toolset {
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// The instruction for the model; may be empty.
    pub(crate) instruction: String,
    /// Warnings for the user, one line each.
    pub(crate) warnings: Vec<String>,
}

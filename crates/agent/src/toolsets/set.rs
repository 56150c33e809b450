//! What every toolset consists of: tools with a shared state, and an instruction for the model.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use crate::model::ModelTool;
use crate::turn_context::{Tool, ToolContext};

/// An opened toolset.
#[derive(Debug, Default)]
pub(crate) struct Toolset {
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// The instruction for the model; may be empty.
    pub(crate) instruction: String,
    /// Warnings for the user, one line each.
    pub(crate) warnings: Vec<String>,
}

/// A tool of a set whose tools are fixed.
pub(super) struct ToolDef<S: 'static> {
    pub(super) name: &'static str,
    /// The description for the model.
    pub(super) description: &'static str,
    /// The JSON Schema of its arguments.
    pub(super) parameters: fn() -> Value,
    /// Whether it claims to change nothing (docker-agent's read-only hint).
    pub(super) is_read_only: bool,
    /// Runs the tool.
    pub(super) call: ToolAction<S>,
}

/// The function of a tool, with the state of its set.
pub(super) type ToolAction<S> = fn(&S, &Value, &ToolContext<'_>) -> Result<Value, String>;

/// A tool of a set.
#[derive(Debug)]
struct SetTool<S: 'static> {
    definition: ModelTool,
    category: &'static str,
    is_read_only: bool,
    state: Arc<S>,
    call: ToolAction<S>,
}

/// Builds the tools of a table, which share one state.
pub(super) fn build_tools<S: Debug + Send + Sync + 'static>(
    category: &'static str,
    rows: &[ToolDef<S>],
    state: Arc<S>,
) -> Vec<Arc<dyn Tool>> {
    let tool = |def: &ToolDef<S>| -> Arc<dyn Tool> {
        Arc::new(SetTool {
            definition: ModelTool {
                name: def.name.to_owned(),
                description: def.description.to_owned(),
                parameters: (def.parameters)(),
            },
            category,
            is_read_only: def.is_read_only,
            state: Arc::clone(&state),
            call: def.call,
        })
    };
    rows.iter().map(tool).collect()
}

impl<S: Debug + Send + Sync + 'static> Tool for SetTool<S> {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn category(&self) -> Option<&str> {
        Some(self.category)
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// File tools report their changes themselves; of the others only commands change files.
    fn can_write_unseen(&self) -> bool {
        self.category == "shell" && !self.is_read_only
    }

    fn call(&self, arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
        (self.call)(&self.state, arguments, at)
    }
}

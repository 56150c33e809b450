//! `done`: the model says that it has finished (exit modes `done_tool` and `hybrid`).

use serde_json::{Value, json};

use super::{Tool, ToolUse};
use crate::model::ToolDefinition;

/// The name of the tool.
pub(crate) const NAME: &str = "done";

/// The `done` tool.
#[derive(Debug)]
pub(crate) struct Done(ToolDefinition);

impl Done {
    pub(crate) const NAME: &'static str = NAME;

    pub(crate) fn new() -> Self {
        Self(ToolDefinition {
            name: String::from(NAME),
            description: String::from("Says that the task is complete. Call it once, when nothing is left to do."),
            parameters: json!({
                "type": "object",
                "properties": {
                    "summary": {"type": "string", "description": "The final answer."},
                    "claims": {"type": "array", "description": "What you claim to have done, for those who verify it."},
                },
            }),
        })
    }
}

impl Tool for Done {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn writes_unseen(&self) -> bool {
        false
    }

    fn call(&self, arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
        at.turn.state.set_done(arguments);
        Ok(json!("the task is marked as complete"))
    }
}

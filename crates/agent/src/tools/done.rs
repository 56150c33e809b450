//! `done`: the model declares that it has finished (exit modes `done_tool` and `hybrid`).
//!
//! A project may declare its own tool of that name, which uses `ctx.agent.set_done_flag` to say whether the work is
//! done.

use std::sync::Arc;

use pintle_host::contract::{CallId, EffectCaller, EffectReply, EffectRequest, EffectRunner};
use pintle_host::script::DONE_KEY;
use serde_json::{Value, json};

use super::def::object_schema;
use crate::model::ModelTool;
use crate::turn_context::{Tool, ToolContext, ToolError, TurnContext};

pub(crate) const NAME: &str = "done";

#[derive(Debug)]
pub(crate) struct DoneTool {
    definition: ModelTool,
    /// The project's tool of that name, which this one calls.
    project_tool: Option<Arc<dyn Tool>>,
}

impl DoneTool {
    pub(crate) const NAME: &'static str = NAME;

    /// Creates the tool, around the project's own one if there is one.
    pub(crate) fn new(own: Option<Arc<dyn Tool>>) -> Self {
        let builtin = || ModelTool {
            name: String::from(NAME),
            description: String::from("Declares the task complete. Call it once, when nothing is left to do."),
            parameters: object_schema(
                &[],
                json!({
                    "summary": {"type": "string", "description": "The final answer."},
                    "claims": {"type": "array", "description": "What you claim to have done, for verification."},
                }),
            ),
        };
        Self { definition: own.as_ref().map_or_else(builtin, |tool| tool.definition().clone()), project_tool: own }
    }

    /// Records that the tool ran with these arguments. For a project's own tool, the flag decides what that means.
    pub(crate) fn record_done(turn: &TurnContext, arguments: &Value) {
        let has_own = turn.agent.spec.tools.iter().any(|tool| tool.name == NAME);
        let declared = if has_own { read_done_flag(turn) } else { Some(arguments.clone()) };
        if let Some(declared) = declared {
            turn.state.set_done(&declared);
        }
    }
}

/// The flag that a script of the project's tool set.
fn read_done_flag(turn: &TurnContext) -> Option<Value> {
    let effects = turn.agent.shared.runtime.effects(&turn.origin, &turn.scope);
    let request = EffectRequest::ContextGet { key: Some(String::from(DONE_KEY)) };
    match effects.perform(EffectCaller::new(CallId(0), NAME), request) {
        Ok(EffectReply::Value(flag)) => Some(flag).filter(|flag| !matches!(flag, Value::Null | Value::Bool(false))),
        _ => None,
    }
}

impl Tool for DoneTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn can_write_unseen(&self) -> bool {
        self.project_tool.as_ref().is_some_and(|tool| tool.can_write_unseen())
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        let result = match &self.project_tool {
            Some(tool) => tool.call(arguments, context)?,
            None => json!("the task is marked as complete"),
        };
        Self::record_done(context.turn, arguments);
        Ok(result)
    }
}

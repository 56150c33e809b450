//! Calls that were running when their session was interrupted.

use pintle_host::event::ToolResult;
use serde_json::Value;

use super::target::CallTarget;
use super::{FinishedCall, review_result};
use crate::observer::ToolCallEnd;
use crate::turn_context::TurnContext;

/// The result of a call whose end is unknown. The text is the same for every such call, whether its tool had begun, its
/// hooks were still running, or another agent was working on it.
pub(crate) const INTERRUPTED: &str = "interrupted: the session was cut off before this call returned; it may or may \
                                      not have taken effect. Check the current state before you call it again.";

/// A call of an earlier process that has no result yet.
pub(crate) struct ResumedCall<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) args: Value,
    /// Whether its tool began to run.
    pub(crate) has_run: bool,
    /// The tool's result, if it is known.
    pub(crate) result: Option<ToolResult>,
}

impl ResumedCall<'_> {
    /// Ends the call and fires its last events.
    pub(crate) fn finish(self, turn: &TurnContext) -> FinishedCall {
        let Self { id, name, args, has_run: was_run, result: gave } = self;
        let target = CallTarget::parse(turn, name, &args.to_string());
        let interrupted = || ToolResult::new(id, name, Value::String(INTERRUPTED.to_owned()), true);
        let end = match &gave {
            Some(result) if result.is_error => ToolCallEnd::Failed,
            Some(_) => ToolCallEnd::Returned,
            None => ToolCallEnd::Interrupted,
        };
        let finished = review_result(turn, &target, gave.unwrap_or_else(interrupted), end, (was_run, None));
        finished.report(turn);
        finished
    }
}

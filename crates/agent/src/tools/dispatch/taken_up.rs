//! Calls that were under way when their session was cut off.

use pintle::event::ToolResult;
use serde_json::Value;

use super::target::Target;
use super::{Called, called};
use crate::turn::Turn;

/// What the model gets of a call of which nobody knows how it ended. It is the same text for every such call, whether its
/// tool had begun, its hooks were still being asked, or another agent was at work on it.
pub(crate) const INTERRUPTED: &str = "interrupted: the session was cut off before this call returned; it may or may not \
                                      have taken effect. Look at what is there before you call it again.";

/// A call of an earlier process that has no result yet.
pub(crate) struct TakenUp<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) args: Value,
    /// Whether its tool began to run.
    pub(crate) was_run: bool,
    /// What its tool gave, when that is known.
    pub(crate) gave: Option<ToolResult>,
}

impl TakenUp<'_> {
    /// Ends the call: its hooks are told how.
    pub(crate) fn reviewed(self, turn: &Turn) -> Called {
        let Self { id, name, args, was_run, gave } = self;
        let target = Target::read(turn, name, &args.to_string());
        let interrupted = || ToolResult::new(id, name, Value::String(INTERRUPTED.to_owned()), true);
        called(turn, &target, gave.unwrap_or_else(interrupted), (was_run, None))
    }
}

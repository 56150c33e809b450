//! Matches a hook against an event.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_contract::{Event, Failure, FailureKind, Hook, MatchResult};

use super::NextHook;

/// Calls the matcher of a candidate if the index requires it. A matcher that panics has failed.
#[inline]
pub(crate) fn match_candidate(turn: NextHook<'_>, event: &Event) -> MatchResult {
    if turn.needs_check { match_hook(turn.hook, event) } else { MatchResult::Yes }
}

/// Calls the matcher of a hook that was not looked up in the index.
pub(crate) fn match_hook(hook: &Hook, event: &Event) -> MatchResult {
    let Some(matcher) = &hook.matcher else {
        return MatchResult::Yes;
    };
    match catch_unwind(AssertUnwindSafe(|| matcher.matches(event))) {
        Ok(result) => result,
        Err(panic) => MatchResult::Failed(Failure::new(
            FailureKind::Crash,
            format!("the matcher panicked: {}", panic_text(&*panic)),
        )),
    }
}

/// The message of a panic, on one line.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    text.lines().next().unwrap_or_default().to_owned()
}

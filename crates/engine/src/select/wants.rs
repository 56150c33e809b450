//! Asking a matcher.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_contract::{Event, Failure, FailureKind, Hook, MatchResult};

use super::Turn;

/// Whether a hook wants an event.
#[derive(Debug)]
pub(crate) enum Wants {
    Yes,
    No,
    Failed(Failure),
}

/// Asks the matcher of a candidate, where it has to be asked. A matcher that panics has failed.
#[inline]
pub(crate) fn wants(turn: Turn<'_>, event: &Event) -> Wants {
    if turn.check { wants_now(turn.hook, event) } else { Wants::Yes }
}

/// The same for a hook of which nothing is known.
pub(crate) fn wants_now(hook: &Hook, event: &Event) -> Wants {
    let Some(matcher) = &hook.matcher else {
        return Wants::Yes;
    };
    match catch_unwind(AssertUnwindSafe(|| matcher.matches(event))) {
        Ok(MatchResult::Yes) => Wants::Yes,
        Ok(MatchResult::No) => Wants::No,
        Ok(MatchResult::Failed(failure)) => Wants::Failed(failure),
        Err(panic) => {
            Wants::Failed(Failure::new(FailureKind::Crash, format!("the matcher panicked: {}", panic_text(&*panic))))
        }
    }
}

/// What a panic said, on one line.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    text.lines().next().unwrap_or_default().to_owned()
}

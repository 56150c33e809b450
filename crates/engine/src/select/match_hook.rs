//! Matches a hook against an event.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_contract::event::EventClass;
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

/// Whether a failed matcher is a failure of the hook. An error in the matcher's own code is one only if the author says
/// so. A limit, a timeout or a crash never means that the hook does not match; neither does an error of a guard about a
/// payload without its subject, such as a tool call without the name of the tool: nothing else can judge such an event.
pub(crate) fn is_hook_failure(hook: &Hook, event: &Event, failure: &Failure) -> bool {
    let lacks_subject = || {
        let def = event.name.def();
        hook.guard && def.class == EventClass::Guard && def.subject.is_some() && event.subject().is_none()
    };
    hook.strict_matcher || failure.kind.is_cut_short() || lacks_subject()
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

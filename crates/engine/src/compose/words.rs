//! The sentences of the engine, for people and for the model.

use pintle_contract::{EventName, Failure, HookId};

/// Why a failure denied.
pub(crate) fn failed_closed(hook: &HookId, failure: &Failure) -> String {
    format!("hook `{hook}` gave no answer ({failure}); it fails closed, so this was refused")
}

/// Why a verdict of a unanimous chain denied.
pub(crate) fn not_unanimous(hook: &HookId, said: &str) -> String {
    format!("hook `{hook}` {said}, and its chain goes on only when every hook says allow")
}

/// Why two rewrites denied.
pub(crate) fn conflict(what: &str, first: &HookId, second: &HookId) -> String {
    format!("hooks `{first}` and `{second}` rewrote {what} differently from the same payload, which denies")
}

/// Why rewrites that are right each for itself denied together.
pub(crate) fn misfit(first: &HookId, second: &HookId, why: &str) -> String {
    format!("the rewrites of hooks `{first}` and `{second}` do not fit together: {why}")
}

/// Why the engine stopped asking guards again.
pub(crate) fn unsettled(guard: &HookId, changer: &HookId, rounds: u8) -> String {
    format!(
        "hook `{changer}` changed the target again after guard `{guard}` judged it, {rounds} rounds in a row; \
         no guard has seen the final target, so this was refused"
    )
}

/// Why a hook was passed over.
pub(crate) fn matcher_failed(failure: &Failure) -> String {
    format!("passed over, because its matcher failed: {failure}")
}

/// Why a rewrite of an event that has no target had no effect.
pub(crate) fn no_target(event: &EventName) -> String {
    format!("its rewrite was ignored: hooks cannot change the payload of `{event}`")
}

/// Why a rewritten field had no effect.
pub(crate) fn not_in_target(event: &EventName, field: &str, allowed: &[&str], near: Option<&str>) -> String {
    let allowed = list(allowed);
    let mut text =
        format!("its rewrite of `{field}` was ignored: hooks of `{event}` can change {allowed} and nothing else");
    if let Some(near) = near {
        text.push_str(&format!("; did you mean `{near}`?"));
    }
    text
}

/// The reason of an ask that nobody could answer.
pub(crate) fn nobody(why: &str) -> String {
    format!("{why}; it needs approval and there is nobody to ask")
}

/// The reason of an ask that was answered with no.
pub(crate) fn refused(why: &str, by: &str) -> String {
    format!("{why}; refused by {by}")
}

/// Names in backticks, one after the other.
pub(crate) fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

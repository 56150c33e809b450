//! What a hook of the program answers.

use std::fmt::Display;

use pintle_host::contract::{Failure, FailureKind, Rewrite};
use pintle_host::{Effect, Reminder};
use serde_json::{Map, Value};

/// What a hook says about an event. The severest of all verdicts wins: `deny`, then `ask`, `rewrite` and `allow`.
///
/// A closure may return anything that converts to one: `()` and `None` have no opinion, and the `Err` of a `Result` is a
/// failure of the hook, which is decided by its [`FailurePolicy`](crate::FailurePolicy).
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a verdict counts only if the hook returns it"]
pub struct Verdict(pub(crate) pintle_host::Verdict);

impl Verdict {
    /// No objection, and no opinion.
    pub fn pass() -> Self {
        Self(pintle_host::Verdict::pass())
    }

    /// Allows the event. It may replace the user's approval, but never lifts another hook's deny.
    pub fn allow(reason: impl Into<String>) -> Self {
        Self(pintle_host::Verdict::allow(reason))
    }

    /// Denies the event. The model is shown the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self(pintle_host::Verdict::deny(reason))
    }

    /// Requires the user's approval; without an [`Approver`](crate::Approver) the event is denied.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self(pintle_host::Verdict::ask(reason))
    }

    /// Replaces fields of the payload, such as `{"prompt": "…"}`; a value that is not an object replaces the whole
    /// payload. The event says what may be replaced; anything else is a failure of the hook.
    pub fn rewrite(payload: Value) -> Self {
        Self::pass().with_rewrite(payload)
    }

    /// Replaces the arguments of a tool call.
    pub fn args(args: Value) -> Self {
        Self::rewrite(Value::Object(Map::from_iter([(String::from("args"), args)])))
    }

    /// Adds a rewrite to an allow or an ask, which is then about the rewritten payload.
    pub fn with_rewrite(self, payload: Value) -> Self {
        Self(self.0.with_rewrite(match payload {
            Value::Object(fields) => Rewrite::Fields(fields),
            whole => Rewrite::Whole(whole),
        }))
    }

    /// Adds a text for the model, for as long as the event says.
    pub fn context(self, text: impl Into<String>) -> Self {
        Self(self.0.with_effect(Effect::Context(text.into())))
    }

    /// Adds a text that reminds the model of something in this turn.
    pub fn remind(self, text: impl Into<String>) -> Self {
        Self(self.0.with_effect(Effect::Reminder(Reminder::for_one_turn(text))))
    }

    /// Adds a text for the user.
    pub fn notice(self, text: impl Into<String>) -> Self {
        Self(self.0.with_effect(Effect::Notice(text.into())))
    }
}

impl From<()> for Verdict {
    fn from((): ()) -> Self {
        Self::pass()
    }
}

impl<V: Into<Self>> From<Option<V>> for Verdict {
    fn from(verdict: Option<V>) -> Self {
        verdict.map_or_else(Self::pass, Into::into)
    }
}

impl<V: Into<Self>, E: Display> From<Result<V, E>> for Verdict {
    fn from(verdict: Result<V, E>) -> Self {
        let failed = |error: E| pintle_host::Verdict::failed(Failure::new(FailureKind::Error, error.to_string()));
        verdict.map_or_else(|error| Self(failed(error)), Into::into)
    }
}

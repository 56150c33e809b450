//! The return value of a closure.

use std::fmt::Display;

use pintle_contract::{Decision, Reminder};
use serde_json::{Map, Value, json};

/// The return value of a hook: one of the shapes of Harn's return-value protocol.
///
/// Each event accepts certain shapes. Any other shape, such as a block of an event that can only be observed, is a
/// failure of the hook that names hook, event and shape: misuse is never ignored.
///
/// Closures can also return values that convert: `()` and `None` pass, `true` passes and `false` vetoes, a string is a
/// new result, a [`Reminder`] is injected, a JSON value is used as it is, and an `Err` is a failure.
#[derive(Debug, Clone)]
pub struct HookReturn(RawReturn);

#[derive(Debug, Clone)]
enum RawReturn {
    Value(Value),
    /// A deny, the most common decision, which need not be converted to JSON.
    Refusal(RefusalShape, String),
    Failed(String),
}

/// The shape of a deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalShape {
    /// `{deny: reason}`.
    Deny,
    /// `{block: true, reason}`.
    Block,
}

impl Default for HookReturn {
    fn default() -> Self {
        Self::allow()
    }
}

impl HookReturn {
    /// Creates a return value without objection (`nil`).
    #[must_use]
    pub fn allow() -> Self {
        Self::value(Value::Null)
    }

    /// Creates a veto of a session event (`{block: true, reason}`).
    pub fn block(reason: impl Into<String>) -> Self {
        Self(RawReturn::Refusal(RefusalShape::Block, reason.into()))
    }

    /// Creates a deny of a tool call or of a step (`{deny: reason}`).
    pub fn deny(reason: impl Into<String>) -> Self {
        Self(RawReturn::Refusal(RefusalShape::Deny, reason.into()))
    }

    /// Replaces the arguments of a tool call (an object) or of a step (a list) (`{args}`).
    pub fn args(arguments: impl Into<Value>) -> Self {
        Self::from_fields([("args", arguments.into())])
    }

    /// Replaces the result of a tool call (`{result}`).
    pub fn result(result: impl Into<Value>) -> Self {
        Self::from_fields([("result", result.into())])
    }

    /// Replaces the result of a tool call with a shortened one (`{result, truncated: true, dropped_bytes}`). Later
    /// hooks that extend the result cannot hide that part of it was removed.
    pub fn truncated(result: impl Into<Value>, dropped_bytes: u64) -> Self {
        let truncated = [("truncated", Value::Bool(true)), ("dropped_bytes", Value::from(dropped_bytes))];
        Self::from_fields([("result", result.into())].into_iter().chain(truncated))
    }

    /// Replaces the result and tells the model that the call was denied after it ran (`{result, denial: {kind,
    /// message}}`).
    pub fn denial(result: impl Into<Value>, kind: &str, message: &str) -> Self {
        Self::from_fields([("result", result.into()), ("denial", json!({"kind": kind, "message": message}))])
    }

    /// Replaces the output of a step (`{output}`).
    pub fn output(output: impl Into<Value>) -> Self {
        Self::from_fields([("output", output.into())])
    }

    /// Decides a permission request (`{decision, reason}`). An empty reason is omitted.
    pub fn decision(decision: Decision, reason: impl Into<String>) -> Self {
        let reason = Some(reason.into()).filter(|reason| !reason.is_empty());
        let decision = [("decision", Value::String(decision.to_string()))];
        Self::from_fields(decision.into_iter().chain(reason.map(|reason| ("reason", Value::String(reason)))))
    }

    /// Adds a reminder for the model (`{reminder}`), without objection. Combine it with another return value with
    /// [`HookReturn::then`].
    #[must_use]
    pub fn reminder(reminder: Reminder) -> Self {
        Self::from_fields([("reminder", reminder_to_json(reminder))])
    }

    /// Adds several reminders for the model, in order (`[{reminder}, …]`).
    pub fn reminders(reminders: impl IntoIterator<Item = Reminder>) -> Self {
        let each = reminders.into_iter().map(|reminder| json!({"reminder": reminder_to_json(reminder)}));
        Self::value(Value::Array(each.collect()))
    }

    /// Adds another return value to a reminder (`{reminder, then}`).
    #[must_use]
    pub fn then(self, next: impl Into<Self>) -> Self {
        match (self.into_value(), next.into().into_value()) {
            (Err(message), _) | (_, Err(message)) => Self::failed(message),
            (Ok(Value::Null), Ok(next)) => Self::value(next),
            (Ok(Value::Object(mut fields)), Ok(next)) => {
                fields.insert(String::from("then"), next);
                Self::value(Value::Object(fields))
            }
            (Ok(_), Ok(_)) => Self::failed("`then` needs a reminder; create it with `HookReturn::reminder`"),
        }
    }

    /// Creates a return value from raw JSON, for shapes that have no constructor.
    #[must_use]
    pub fn value(value: Value) -> Self {
        Self(RawReturn::Value(value))
    }

    /// Creates a failure; the hook's failure policy applies.
    pub fn failed(message: impl Into<String>) -> Self {
        Self(RawReturn::Failed(message.into()))
    }

    /// Whether the value is nil, the most common return value.
    pub(super) fn is_nil(&self) -> bool {
        matches!(self.0, RawReturn::Value(Value::Null))
    }

    /// The shape and reason of a deny, if the value is nothing else.
    pub(super) fn as_refusal(&self) -> Option<(RefusalShape, &str)> {
        match &self.0 {
            RawReturn::Refusal(refusal, reason) => Some((*refusal, reason)),
            _ => None,
        }
    }

    /// The reason of a deny; empty for anything else.
    pub(super) fn into_reason(self) -> String {
        match self.0 {
            RawReturn::Refusal(_, reason) => reason,
            RawReturn::Value(_) | RawReturn::Failed(_) => String::new(),
        }
    }

    /// Converts to JSON, or returns the error message.
    pub(super) fn into_value(self) -> Result<Value, String> {
        let of = |fields: Vec<(&str, Value)>| Self::from_fields(fields).into_value();
        match self.0 {
            RawReturn::Value(value) => Ok(value),
            RawReturn::Refusal(RefusalShape::Deny, reason) => of(vec![("deny", Value::String(reason))]),
            RawReturn::Refusal(RefusalShape::Block, reason) => {
                of(vec![("block", Value::Bool(true)), ("reason", Value::String(reason))])
            }
            RawReturn::Failed(message) => Err(message),
        }
    }

    fn from_fields<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let fields: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self::value(Value::Object(fields))
    }
}

fn reminder_to_json(reminder: Reminder) -> Value {
    // A reminder is plain data, which can always be serialised to JSON.
    serde_json::to_value(reminder).unwrap_or_default()
}

impl From<()> for HookReturn {
    fn from((): ()) -> Self {
        Self::allow()
    }
}

impl From<bool> for HookReturn {
    fn from(goes_on: bool) -> Self {
        Self::value(Value::Bool(goes_on))
    }
}

impl From<Value> for HookReturn {
    fn from(value: Value) -> Self {
        Self::value(value)
    }
}

impl From<String> for HookReturn {
    fn from(text: String) -> Self {
        Self::value(Value::String(text))
    }
}

impl From<&str> for HookReturn {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Reminder> for HookReturn {
    fn from(reminder: Reminder) -> Self {
        Self::reminder(reminder)
    }
}

impl<T: Into<Self>> From<Option<T>> for HookReturn {
    fn from(answer: Option<T>) -> Self {
        answer.map_or_else(Self::allow, Into::into)
    }
}

impl<T: Into<Self>, E: Display> From<Result<T, E>> for HookReturn {
    fn from(answer: Result<T, E>) -> Self {
        answer.map_or_else(|error| Self::failed(error.to_string()), Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constructor_makes_the_shape_of_the_protocol() {
        let reminder = || Reminder { dedupe_key: Some(String::from("k")), ..Reminder::for_one_turn("look") };
        let written = json!({"body": "look", "dedupe_key": "k", "ttl_turns": 1});
        let cases: Vec<(HookReturn, Value)> = vec![
            (HookReturn::allow(), Value::Null),
            (HookReturn::block("no"), json!({"block": true, "reason": "no"})),
            (HookReturn::deny("no"), json!({"deny": "no"})),
            (HookReturn::args(json!({"a": 1})), json!({"args": {"a": 1}})),
            (HookReturn::result("short"), json!({"result": "short"})),
            (HookReturn::truncated("s", 7), json!({"result": "s", "truncated": true, "dropped_bytes": 7})),
            (
                HookReturn::denial("s", "quota", "over"),
                json!({"result": "s", "denial": {"kind": "quota", "message": "over"}}),
            ),
            (HookReturn::output(3), json!({"output": 3})),
            (HookReturn::decision(Decision::Deny, "never"), json!({"decision": "deny", "reason": "never"})),
            (HookReturn::decision(Decision::Allow, ""), json!({"decision": "allow"})),
            (HookReturn::reminder(reminder()), json!({"reminder": written})),
            (HookReturn::reminders([reminder()]), json!([{"reminder": written}])),
            (
                HookReturn::reminder(reminder()).then(HookReturn::deny("no")),
                json!({"reminder": written, "then": {"deny": "no"}}),
            ),
            (HookReturn::allow().then(false), json!(false)),
            (().into(), Value::Null),
            (true.into(), json!(true)),
            ("text".into(), json!("text")),
            (reminder().into(), json!({"reminder": written})),
            (None::<HookReturn>.into(), Value::Null),
            (Some(false).into(), json!(false)),
            (Ok::<_, String>(json!([1])).into(), json!([1])),
        ];
        for (answer, value) in cases {
            assert_eq!(answer.into_value(), Ok(value));
        }
    }

    #[test]
    fn a_fault_stays_a_fault() {
        let error = || HookReturn::from(Err::<(), _>("the index is gone"));
        let faults = [error(), error().then(true), HookReturn::reminder(Reminder::for_one_turn("x")).then(error())];
        for error in faults {
            assert_eq!(error.into_value(), Err(String::from("the index is gone")));
        }
        assert!(HookReturn::from("text").then(()).into_value().is_err());
    }
}

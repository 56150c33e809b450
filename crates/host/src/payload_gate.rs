//! Refuses events that guard an action and do not say which.

use pintle_contract::event::EventClass;
use pintle_contract::{Event, HookId, Outcome, OutcomeReason, suggest_nearest};
use serde_json::{Map, Value};

use crate::tape_gate::denied_outcome;

/// The outcome of an event that guards an action, but whose payload does not say which: a tool call without the name of
/// the tool, or with arguments that hooks cannot read. `None` if the payload says it, or the event guards nothing.
pub(crate) fn refuse(event: &Event) -> Option<Outcome> {
    let def = event.name.def();
    // A deny that only prevents something; elsewhere it would make the agent go on.
    let is_action = def.class == EventClass::Guard && def.deny_restricts && def.family().is_none();
    let field = def.subject.filter(|_| is_action)?;
    let fault = match event.subject() {
        None => Some(describe_missing_subject(event, field)),
        Some("") if def.is_about_tool_call() => Some(format!("has an empty `{field}`")),
        Some(_) if def.is_about_tool_call() => find_unreadable_arguments(event).map(String::from),
        Some(_) => None,
    };
    let text = format!("the payload of `{}` {}", event.name, fault?);
    Some(denied_outcome(event, OutcomeReason::new(HookId::new("payload"), text)))
}

fn describe_missing_subject(event: &Event, field: &str) -> String {
    let keys = event.payload.value().as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let hint = match event.payload.field(field) {
        Some(Value::Null) | None => {
            suggest_nearest(field, keys.filter(|key| *key != field)).map(|near| format!("; it has `{near}`"))
        }
        Some(_) => Some(String::from(" that is a text")),
    };
    format!("has no `{field}`{}", hint.unwrap_or_default())
}

/// Hooks read `args`. A call without arguments may have neither `args` nor `arguments`.
fn find_unreadable_arguments(event: &Event) -> Option<&'static str> {
    let field = |name| event.payload.field(name).filter(|value| !value.is_null());
    let says_nothing = |value: &&Value| match value {
        Value::String(text) => ["", "{}"].contains(&text.trim()),
        other => other.as_object().is_some_and(Map::is_empty),
    };
    match (field("args"), field("arguments").filter(|value| !says_nothing(value))) {
        (Some(Value::Object(_)), _) | (None, None) => None,
        (Some(_), _) => Some("has `args` that are not an object"),
        (None, Some(_)) => Some("has `arguments` and no `args`, which hooks read; `EventName::complete` adds them"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{EventKind, EventName, Origin};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_that_guards_something_names_it() {
        let refusal = |name: EventName, payload: Value| {
            let event = Event::new(name, payload, Arc::new(Origin::default()));
            refuse(&event).map(|outcome| {
                assert!(!outcome.is_allowed());
                outcome.reasons.iter().map(|reason| reason.text.clone()).collect::<Vec<_>>().join("; ")
            })
        };
        for (event, payload, expected) in [
            (EventKind::ToolPre, json!({"nmae": "rm"}), Some("the payload of `tool.pre` has no `name`; it has `nmae`")),
            (EventKind::ToolGuard, json!({}), Some("the payload of `tool.guard` has no `name`")),
            (
                EventKind::ToolPre,
                json!({"name": ["rm"]}),
                Some("the payload of `tool.pre` has no `name` that is a text"),
            ),
            (EventKind::ToolPre, json!("rm"), Some("the payload of `tool.pre` has no `name`")),
            (EventKind::ToolPre, json!({"name": null}), Some("the payload of `tool.pre` has no `name`")),
            (EventKind::ToolPre, json!({"name": ""}), Some("the payload of `tool.pre` has an empty `name`")),
            (
                EventKind::ToolGuard,
                json!({"name": "rm", "args": "{\"path\":\"/\"}"}),
                Some("the payload of `tool.guard` has `args` that are not an object"),
            ),
            (
                EventKind::PermissionAsk,
                json!({"name": "rm", "arguments": "{\"path\":\"/\"}"}),
                Some(
                    "the payload of `permission.ask` has `arguments` and no `args`, which hooks read; \
                     `EventName::complete` adds them",
                ),
            ),
            (EventKind::ToolPre, json!({"name": "rm", "args": {}, "arguments": "{}"}), None),
            (EventKind::ToolPre, json!({"name": "rm", "args": null, "arguments": " "}), None),
            (EventKind::ToolPre, json!({"name": "rm", "arguments": "{}"}), None),
            (EventKind::ToolPre, json!({"name": "rm"}), None),
            (EventKind::PromptSubmit, json!({}), None),
            (EventKind::AgentStop, json!({}), None),
            (EventKind::Notification, json!({}), None),
        ] {
            assert_eq!(refusal(event.into(), payload.clone()).as_deref(), expected, "{payload}");
        }
        let custom = EventName::parse("custom.deploy").unwrap();
        assert_eq!(refusal(custom, json!({})), None);
    }
}

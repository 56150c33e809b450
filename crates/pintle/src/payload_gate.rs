//! Refuses events that guard an action and do not say which.

use pintle_contract::event::EventClass;
use pintle_contract::{Event, HookId, Outcome, OutcomeReason, suggest_nearest};
use serde_json::Value;

use crate::tape_gate::denied_outcome;

/// The outcome of an event whose payload lacks the field that names its subject, such as a tool call without the name of
/// the tool: no hook can judge it. `None` if the payload has it, or the event guards nothing.
pub(crate) fn refuse(event: &Event) -> Option<Outcome> {
    let def = event.name.def();
    // A deny that only prevents something; elsewhere it would make the agent go on.
    let is_action = def.class == EventClass::Guard && def.deny_restricts && def.family().is_none();
    let field = def.subject.filter(|_| is_action)?;
    if event.subject().is_some() {
        return None;
    }
    let keys = event.payload.value().as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let hint = match event.payload.field(field) {
        Some(Value::Null) | None => suggest_nearest(field, keys).map(|near| format!("; it has `{near}`")),
        Some(_) => Some(String::from(" that is a text")),
    };
    let text = format!("the payload of `{}` has no `{field}`{}", event.name, hint.unwrap_or_default());
    Some(denied_outcome(event, OutcomeReason::new(HookId::new("payload"), text)))
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

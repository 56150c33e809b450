//! Checks that a rewritten field is still valid for its event.

use std::iter;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::{Value, json};

use super::{ChatMessage, EventDef, EventKind, EventName, EventPayloadError, RewriteTarget};

/// The roles that a message may have. `developer` is OpenAI's newer name for `system`.
const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];

/// Checks the fields that a rewrite changed, including nested values, against the payload type of the event. Unchanged
/// fields are not checked.
///
/// # Errors
/// When a field does not fit the event; the hook's verdict is then a failure.
pub fn check_rewrite(event: &EventName, before: &Value, after: &Value) -> Result<(), EventPayloadError> {
    let RewriteTarget::Fields(names) = event.def().target else { return Ok(()) };
    for name in names {
        let Some(value) = after.get(*name).filter(|value| before.get(*name) != Some(*value)) else { continue };
        check_named_field(event, name, value)?;
        if *name == "messages" && event.kind() == EventKind::CompletionPre {
            check_messages(value)?;
        }
        if *name == "choices" && value.as_array().is_some_and(Vec::is_empty) {
            return Err(EventPayloadError::NoChoices);
        }
    }
    Ok(())
}

/// Checks every field of a payload that a host builds against the payload type of the event. Fields that the type does not
/// have are not checked.
///
/// # Errors
/// When a field does not fit the event.
pub fn check_payload(event: &EventName, payload: &Value) -> Result<(), EventPayloadError> {
    for (name, value) in payload.as_object().into_iter().flatten() {
        check_named_field(event, name, value)?;
    }
    Ok(())
}

fn check_named_field(event: &EventName, name: &str, value: &Value) -> Result<(), EventPayloadError> {
    let fits = event.kind().check_field(name, value);
    fits.map_err(|error| explain_mismatch(event.def(), name, value, &error))
}

/// Deserialises one field as the payload type declares it.
pub(super) fn check_field<'de, T: Deserialize<'de>>(
    name: &'de str,
    value: &'de Value,
) -> Result<(), serde_json::Error> {
    T::deserialize(MapDeserializer::new(iter::once((name, value)))).map(drop)
}

/// Checks that a conversation can be sent: every role is known, and not all messages are instructions.
fn check_messages(value: &Value) -> Result<(), EventPayloadError> {
    let messages = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut has_talk = false;
    for message in messages.iter().filter_map(|message| ChatMessage::deserialize(message).ok()) {
        if !ROLES.contains(&message.role.as_str()) {
            return Err(EventPayloadError::UnknownRole { role: message.role, known: ROLES.join(", ") });
        }
        if !matches!(message.content, Value::Null | Value::String(_) | Value::Array(_)) {
            return Err(EventPayloadError::MessageContent);
        }
        has_talk |= !matches!(message.role.as_str(), "system" | "developer");
    }
    if has_talk { Ok(()) } else { Err(EventPayloadError::NoConversation) }
}

/// Describes the type that a field must have, if the schema is simple enough.
fn explain_mismatch(def: &EventDef, name: &str, value: &Value, error: &serde_json::Error) -> EventPayloadError {
    let schema = def.schema();
    let schema = schema.get("properties").and_then(|fields| fields.get(name)).unwrap_or(&Value::Null);
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
        _ => Vec::new(),
    };
    let whole = |value: &Value| value.as_u64().is_some() || value.as_i64().is_some();
    let (is_right, expected) = match kinds.as_slice() {
        ["integer"] if schema.get("minimum") == Some(&json!(0)) => (false, "a whole number, 0 or more"),
        ["integer"] => (whole(value), "a whole number"),
        ["number"] => (value.is_number(), "a number"),
        ["string"] => (value.is_string(), "a text"),
        ["boolean"] => (value.is_boolean(), "true or false"),
        ["array"] => (value.is_array(), "a list"),
        ["object"] => (value.is_object(), "an object"),
        _ => (true, ""),
    };
    if is_right {
        return EventPayloadError::FieldShape { field: name.to_owned(), reason: error.to_string() };
    }
    let found = value.to_string().chars().take(60).collect();
    EventPayloadError::FieldType { field: name.to_owned(), expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::CATALOGUE;

    #[test]
    fn every_example_fits() {
        for def in CATALOGUE.iter().filter(|def| def.family().is_none()) {
            let name = EventName::parse(def.name).unwrap();
            assert_eq!(check_rewrite(&name, &Value::Null, &def.example()), Ok(()), "{}", def.name);
            assert_eq!(check_payload(&name, &def.example()), Ok(()), "{}", def.name);
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_what_would() {
        let talk = json!([{"role": "user", "content": "x"}]);
        let cases = [
            ("completion.pre", json!({"temperature": "hot"}), "`temperature` must be a number, not `\"hot\"`"),
            ("completion.pre", json!({"max_tokens": -1}), "`max_tokens` must be a whole number, 0 or more, not `-1`"),
            ("completion.pre", json!({"max_tokens": 1.5}), "`max_tokens` must be a whole number, 0 or more, not `1.5`"),
            ("completion.pre", json!({"stop": "x"}), "`stop` must be a list, not `\"x\"`"),
            ("completion.pre", json!({"model": null}), "`model` must be a text, not `null`"),
            (
                "completion.pre",
                json!({"messages": [{"role": "alien", "content": "x"}]}),
                "a message has the unknown role `alien`; a role is system, developer, user, assistant, tool",
            ),
            (
                "completion.pre",
                json!({"messages": [{"role": "user", "content": 3}]}),
                "the `content` of a message must be a text or a list of parts",
            ),
            (
                "completion.pre",
                json!({"messages": []}),
                "`messages` must contain a message that is not a system message",
            ),
            ("completion.pre", json!({"messages": ["x"]}), "`messages` does not fit the event: "),
            ("completion.pre", json!({"tools": [{"function": {"name": 3}}]}), "`tools` does not fit the event: "),
            ("completion.post", json!({"usage": {"input_tokens": "x"}}), "`usage` does not fit the event: "),
            ("completion.post", json!({"choices": []}), "`choices` must contain at least one choice"),
            ("completion.post", json!({"choices": [{"index": "x"}]}), "`choices` does not fit the event: "),
            (
                "delegation.pre",
                json!({"max_verify_retries": "x"}),
                "`max_verify_retries` must be a whole number, 0 or more, not `\"x\"`",
            ),
            ("delegation.pre", json!({"verify": 3}), "`verify` must be a text, not `3`"),
            ("turn.end", json!({"tool_calls": [3]}), "`tool_calls` does not fit the event: "),
            ("turn.end", json!({"usage": {"output_tokens": -1}}), "`usage` does not fit the event: "),
            ("agent.stop", json!({"tool_results": [{"is_error": "no"}]}), "`tool_results` does not fit the event: "),
            ("tool.post", json!({"is_error": null}), "`is_error` must be true or false, not `null`"),
        ];
        for (event, fields, wanted) in cases {
            let name = EventName::parse(event).unwrap();
            let reason = check_rewrite(&name, &json!({"messages": talk}), &fields).unwrap_err().to_string();
            assert!(
                if wanted.ends_with(' ') { reason.starts_with(wanted) } else { reason == wanted },
                "{event}: {reason}"
            );
        }
    }

    #[test]
    fn what_a_hook_left_as_it_was_is_not_checked() {
        let name = EventName::parse("completion.pre").unwrap();
        let odd = json!({"temperature": "hot", "messages": [{"role": "alien"}]});
        assert_eq!(check_rewrite(&name, &odd, &odd), Ok(()));
        let fine = json!({"temperature": null, "max_tokens": 5, "stop": ["x"], "messages": [{"role": "user", "content": ["x"]}]});
        assert_eq!(check_rewrite(&name, &json!({}), &fine), Ok(()));
    }
}

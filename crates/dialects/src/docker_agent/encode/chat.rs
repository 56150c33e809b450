//! Converts chat messages between docker-agent's form and the catalogue's.
//!
//! The catalogue has a string or a list of parts in `content`; docker-agent has the string there and the parts in
//! `multi_content`. All other keys are the same and are kept both ways, known or not.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

/// The keys that docker-agent writes after `content`, in its order.
const KEYS: [&str; 14] = [
    "reasoning_content",
    "thinking_signature",
    "thought_signature",
    "function_call",
    "tool_calls",
    "tool_definitions",
    "tool_call_id",
    "is_error",
    "created_at",
    "usage",
    "model",
    "cost",
    "finish_reason",
    "cache_control",
];

/// A catalogue message in docker-agent's form.
pub(super) struct DockerChatMessage<'a>(pub(super) &'a Value);

impl Serialize for DockerChatMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(fields) = self.0 else { return self.0.serialize(serializer) };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", fields.get("role").unwrap_or(&Value::Null))?;
        match fields.get("content") {
            Some(Value::Array(parts)) => {
                map.serialize_entry("content", "")?;
                map.serialize_entry("multi_content", parts)?;
            }
            None | Some(Value::Null) => map.serialize_entry("content", "")?,
            Some(content) => map.serialize_entry("content", content)?,
        }
        for key in KEYS {
            if let Some(value) = fields.get(key) {
                map.serialize_entry(key, value)?;
            }
        }
        let first = |key: &str| matches!(key, "role" | "content" | "multi_content");
        for (key, value) in fields.iter().filter(|(key, _)| !first(key) && !KEYS.contains(&key.as_str())) {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Converts a docker-agent message to the catalogue's form.
///
/// # Errors
/// If it is not a message: not a mapping, or without a role.
pub(crate) fn to_canonical(message: Value) -> Result<Value, &'static str> {
    let Value::Object(mut fields) = message else { return Err("a message must be an object") };
    if fields.get("role").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err("a message must have a `role`");
    }
    if !matches!(fields.get("content"), None | Some(Value::Null | Value::String(_) | Value::Array(_))) {
        return Err("the `content` of a message must be text");
    }
    let parts = match fields.shift_remove("multi_content") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(parts)) => parts,
        Some(_) => return Err("the `multi_content` of a message must be a list"),
    };
    if !parts.is_empty() {
        let text = fields.get("content").and_then(Value::as_str).filter(|text| !text.is_empty());
        let first = text.map(|text| json!({"type": "text", "text": text}));
        let content = first.into_iter().chain(parts).collect();
        fields.insert(String::from("content"), content);
    } else if is_silent(&fields) {
        fields.shift_remove("content");
    }
    Ok(Value::Object(fields))
}

/// Whether an assistant message has only tool calls, for which the catalogue has no content.
fn is_silent(fields: &Map<String, Value>) -> bool {
    let says_nothing = fields.get("content").is_none_or(|content| content.as_str().is_some_and(str::is_empty));
    says_nothing && fields.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert_both_ways(message: &Value) -> (String, Value) {
        let written = serde_json::to_string(&DockerChatMessage(message)).unwrap();
        let back = to_canonical(serde_json::from_str(&written).unwrap()).unwrap();
        (written, back)
    }

    #[test]
    fn messages_survive_the_way_to_a_hook_and_back() {
        for (message, wanted) in [
            (json!({"role": "user", "content": "hi"}), r#"{"role":"user","content":"hi"}"#),
            (
                json!({"cache_control": true, "content": "be careful", "role": "system"}),
                r#"{"role":"system","content":"be careful","cache_control":true}"#,
            ),
            (
                json!({"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "x"}}]}),
                r#"{"role":"user","content":"","multi_content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"x"}}]}"#,
            ),
            (
                json!({"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "shell", "arguments": "{}"}}]}),
                r#"{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"shell","arguments":"{}"}}]}"#,
            ),
            (
                json!({"role": "tool", "content": "ok", "name": "shell", "tool_call_id": "1", "is_error": true}),
                r#"{"role":"tool","content":"ok","tool_call_id":"1","is_error":true,"name":"shell"}"#,
            ),
        ] {
            let (written, back) = convert_both_ways(&message);
            assert_eq!(written, wanted);
            assert_eq!(back, message, "{written}");
        }
    }

    #[test]
    fn a_text_beside_parts_becomes_the_first_part() {
        let message = json!({"role": "user", "content": "look:", "multi_content": [{"type": "image_url", "image_url": {"url": "x"}}]});
        let wanted = json!({"role": "user", "content": [{"type": "text", "text": "look:"}, {"type": "image_url", "image_url": {"url": "x"}}]});
        assert_eq!(to_canonical(message), Ok(wanted));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for (message, wanted) in [
            (json!("hi"), "a message must be an object"),
            (json!({"content": "hi"}), "a message must have a `role`"),
            (json!({"role": 3}), "a message must have a `role`"),
            (json!({"role": "user", "content": {}}), "the `content` of a message must be text"),
            (json!({"role": "user", "multi_content": "x"}), "the `multi_content` of a message must be a list"),
        ] {
            assert_eq!(to_canonical(message), Err(wanted));
        }
    }
}

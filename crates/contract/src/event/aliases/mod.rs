//! Field aliases: two names for one value, kept equal. The name that a hook changed wins.

mod final_answer;
mod tool_call;
mod tool_result;

use serde_json::{Map, Value};

pub(super) use final_answer::normalize_final_answer;
pub(super) use tool_call::sync_tool_call;
pub(super) use tool_result::sync_tool_result;

use super::EventPayloadError;

/// Parses a text as JSON, or returns it as a string if it is not JSON.
pub(super) fn parse_json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Converts a value to text: a string unchanged, any other value as compact JSON.
#[must_use]
pub fn json_to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The fields of a payload, which must be an object.
pub(super) fn require_object<'a>(
    event: &'static str,
    payload: &'a mut Value,
) -> Result<&'a mut Map<String, Value>, EventPayloadError> {
    payload.as_object_mut().ok_or(EventPayloadError::PayloadType { event, expected: "an object" })
}

/// Rejects a payload unless each of these fields is a string.
pub(super) fn require_texts(fields: &Map<String, Value>, names: &[&str]) -> Result<(), EventPayloadError> {
    match names.iter().find(|name| !fields.get(**name).is_some_and(Value::is_string)) {
        Some(name) => Err(EventPayloadError::RequiredField { field: (*name).to_owned(), expected: "a string" }),
        None => Ok(()),
    }
}

/// Rejects a payload unless each of these fields is a list.
pub(super) fn require_lists(fields: &Map<String, Value>, names: &[&str]) -> Result<(), EventPayloadError> {
    match names.iter().find(|name| !fields.get(**name).is_some_and(Value::is_array)) {
        Some(name) => Err(EventPayloadError::RequiredField { field: (*name).to_owned(), expected: "a list" }),
        None => Ok(()),
    }
}

/// Makes two aliases equal: `other` wins if only it changed, otherwise `one` wins.
pub(super) fn sync_aliases(before: &Value, fields: &mut Map<String, Value>, one: &str, other: &str) {
    let changed = |name: &str| fields.get(name) != before.get(name);
    let (from, to) = if changed(other) && !changed(one) { (other, one) } else { (one, other) };
    if fields.get(from) == fields.get(to) {
        return;
    }
    if let Some(value) = fields.get(from).cloned() {
        fields.insert(to.to_owned(), value);
    }
}

/// Makes the aliases of the token counts in a usage object equal.
pub(super) fn sync_usage(before: &Value, fields: &mut Map<String, Value>, name: &str) {
    let before = before.get(name).unwrap_or(&Value::Null);
    let Some(Value::Object(usage)) = fields.get_mut(name) else { return };
    sync_aliases(before, usage, "input_tokens", "prompt_tokens");
    sync_aliases(before, usage, "output_tokens", "completion_tokens");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_spelling_that_changed_decides_and_the_first_when_both_did() {
        let before = json!({"prompt": "a", "task": "a"});
        let cases = [
            (json!({"prompt": "a", "task": "a"}), "a"),
            (json!({"prompt": "b", "task": "a"}), "b"),
            (json!({"prompt": "a", "task": "b"}), "b"),
            (json!({"prompt": "b", "task": "c"}), "b"),
            (json!({"prompt": "b"}), "b"),
        ];
        for (after, expected) in cases {
            let mut fields = after.as_object().unwrap().clone();
            sync_aliases(&before, &mut fields, "prompt", "task");
            assert_eq!(Value::Object(fields), json!({"prompt": expected, "task": expected}), "{after}");
        }
    }

    #[test]
    fn a_text_that_is_no_json_stands_for_itself() {
        for (text, value) in [("[1,2]", json!([1, 2])), ("plain", json!("plain")), ("", json!(""))] {
            assert_eq!(parse_json_or_text(text), value);
            assert_eq!(json_to_text(&value), text);
        }
    }
}

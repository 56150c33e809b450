//! Field aliases: two names for one value, kept equal. The name that a hook changed wins.

use serde_json::{Map, Value};

use super::{CallFacts, EventPayloadError};
use crate::{JsonError, read_json};

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

/// Makes the aliases of the token counts in `usage` equal.
pub(super) fn sync_usage(event: &'static str, before: &Value, after: &mut Value) -> Result<(), EventPayloadError> {
    let fields = require_object(event, after)?;
    let before = before.get("usage").unwrap_or(&Value::Null);
    if let Some(Value::Object(usage)) = fields.get_mut("usage") {
        sync_aliases(before, usage, "input_tokens", "prompt_tokens");
        sync_aliases(before, usage, "output_tokens", "completion_tokens");
    }
    Ok(())
}

/// Makes `args` and `arguments` equal: the one that changed wins, or `args` if both did.
pub(in crate::event) fn sync_tool_call(
    event: &'static str,
    before: &Value,
    after: &mut Value,
) -> Result<(), EventPayloadError> {
    let fields = require_object(event, after)?;
    require_texts(fields, &["name"])?;
    let changed = |name: &str| fields.get(name) != before.get(name);
    if !changed("args") && changed("arguments") {
        let decoded = match fields.get("arguments") {
            Some(Value::String(text)) => read_json(text)
                .map_err(|error: JsonError| EventPayloadError::ArgumentsNotJson { reason: error.to_string() })?,
            Some(other) => other.clone(),
            None => Value::Null,
        };
        fields.insert(String::from("args"), decoded);
    }
    let Some(args @ Value::Object(_)) = fields.get("args") else {
        return Err(EventPayloadError::ArgumentsNotAnObject);
    };
    let text = args.to_string();
    fields.insert(String::from("arguments"), Value::String(text));
    if ["name", "args"].iter().any(|name| fields.get(*name) != before.get(*name)) {
        // What was worked out for another call. Hooks that read it get it again for this one.
        for name in CallFacts::WORKED_OUT {
            fields.remove(name);
        }
    }
    Ok(())
}

/// Makes `content` and `result` equal: the one that changed wins, or `content` if both did. `error` is the content of a
/// failed call, and absent otherwise.
pub(in crate::event) fn sync_tool_result(
    event: &'static str,
    before: &Value,
    after: &mut Value,
) -> Result<(), EventPayloadError> {
    let fields = require_object(event, after)?;
    let changed = |name: &str| fields.get(name) != before.get(name);
    let (content_changed, result_changed) = (changed("content"), changed("result"));
    if !(content_changed || result_changed || changed("is_error")) {
        return Ok(());
    }
    if content_changed {
        let content = fields.get("content").cloned().unwrap_or_default();
        fields.insert(String::from("result"), parse_json_or_text(&json_to_text(&content)));
        fields.insert(String::from("content"), Value::String(json_to_text(&content)));
    } else if result_changed {
        let content = json_to_text(fields.get("result").unwrap_or(&Value::Null));
        fields.insert(String::from("content"), Value::String(content));
    }
    require_texts(fields, &["content"])?;
    let Some(Value::Bool(is_error)) = fields.get("is_error") else {
        return Err(EventPayloadError::RequiredField { field: String::from("is_error"), expected: "a boolean" });
    };
    if *is_error {
        let content = fields.get("content").cloned().unwrap_or_default();
        fields.insert(String::from("error"), content);
    } else {
        fields.shift_remove("error");
    }
    Ok(())
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

    fn original_call() -> Value {
        json!({"name": "run_command", "arguments": r#"{"command":"ls"}"#, "args": {"command": "ls"}})
    }

    #[test]
    fn the_spelling_of_arguments_that_changed_decides() {
        let cases = [
            ("args", json!({"command": "ls -h"}), json!({"command": "ls -h"})),
            ("arguments", json!(r#"{"command": "pwd"}"#), json!({"command": "pwd"})),
            ("arguments", json!({"command": "pwd"}), json!({"command": "pwd"})),
        ];
        for (name, value, args) in cases {
            let mut after = original_call();
            after[name] = value;
            sync_tool_call("tool.pre", &original_call(), &mut after).unwrap();
            let expected = json!({"name": "run_command", "arguments": args.to_string(), "args": args});
            assert_eq!(after, expected);
        }
    }

    #[test]
    fn a_rewrite_that_leaves_no_call_is_refused() {
        let not_json = json!({"name": "x", "args": {"command": "ls"}, "arguments": "{"});
        let twice = json!({"name": "x", "args": {"command": "ls"}, "arguments": r#"{"command":"a","command":"b"}"#});
        for bad in [json!(null), json!({"args": {}}), json!({"name": "x", "args": 3}), not_json, twice] {
            let mut after = bad.clone();
            assert!(sync_tool_call("tool.pre", &original_call(), &mut after).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_spelling_of_a_result_that_changed_decides() {
        let before = json!({"content": r#"{"a":1}"#, "is_error": false, "result": {"a": 1}});
        let cases = [
            (json!({}), json!({"content": r#"{"a":1}"#, "is_error": false, "result": {"a": 1}})),
            (json!({"content": "cut"}), json!({"content": "cut", "is_error": false, "result": "cut"})),
            (json!({"content": "[2]"}), json!({"content": "[2]", "is_error": false, "result": [2]})),
            (json!({"content": {"b": 2}}), json!({"content": r#"{"b":2}"#, "is_error": false, "result": {"b": 2}})),
            (json!({"result": {"b": 2}}), json!({"content": r#"{"b":2}"#, "is_error": false, "result": {"b": 2}})),
            (json!({"result": "gone"}), json!({"content": "gone", "is_error": false, "result": "gone"})),
            (
                json!({"content": "no", "is_error": true}),
                json!({"content": "no", "is_error": true, "result": "no", "error": "no"}),
            ),
        ];
        for (rewrite, expected) in cases {
            let mut after = before.clone();
            for (name, value) in rewrite.as_object().unwrap() {
                after[name] = value.clone();
            }
            sync_tool_result("tool.post", &before, &mut after).unwrap();
            assert_eq!(after, expected, "{rewrite}");
        }
    }

    #[test]
    fn an_error_that_is_mended_leaves_no_error_behind() {
        let before = json!({"content": "no", "is_error": true, "result": "no", "error": "no"});
        let mut after = json!({"content": "yes", "is_error": false, "result": "no", "error": "no"});
        sync_tool_result("tool.post", &before, &mut after).unwrap();
        assert_eq!(after, json!({"content": "yes", "is_error": false, "result": "yes"}));
    }

    #[test]
    fn a_rewrite_that_leaves_no_result_is_refused() {
        let before = json!({"content": "x", "is_error": false, "result": "x"});
        for bad in [json!(3), json!({"content": "x", "result": "x"}), json!({"content": "y", "is_error": 1})] {
            let mut after = bad.clone();
            assert!(sync_tool_result("tool.post", &before, &mut after).is_err(), "{bad}");
        }
    }
}

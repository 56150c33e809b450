//! The aliases of a tool call's result.

use serde_json::Value;

use super::{json_to_text, parse_json_or_text, require_object, require_texts};
use crate::event::EventPayloadError;

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
    fn the_spelling_that_changed_decides() {
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

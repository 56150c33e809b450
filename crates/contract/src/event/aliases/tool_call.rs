//! The aliases of a tool call's arguments.

use serde_json::Value;

use super::{require_object, require_texts};
use crate::event::EventPayloadError;
use crate::{JsonError, read_json};

/// Fields that a host works out from the call.
const WORKED_OUT: [&str; 3] = ["paths", "operations", "code_files"];

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
        for name in WORKED_OUT {
            fields.remove(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn original_call() -> Value {
        json!({"name": "run_command", "arguments": r#"{"command":"ls"}"#, "args": {"command": "ls"}})
    }

    #[test]
    fn the_spelling_that_changed_decides() {
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
}

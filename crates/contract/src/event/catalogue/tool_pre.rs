//! `tool.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target};

/// The row of `tool.pre`.
pub static ROW: Row = Row {
    name: "tool.pre",
    fires: "A tool call was validated against its schema and is about to run.",
    class: Class::Guard,
    subject: Some("name"),
    target: Target::Fields(&["name", "args", "arguments"]),
    deny: "The tool does not run; the reason is the tool's error result.",
    context: ContextScope::Turn,
    on_failure: FailurePolicy::Closed,
    schema: || schemars::schema_for!(ToolPre).to_value(),
    example: || {
        json!({
            "id": "call_1",
            "name": "run_command",
            "arguments": "{\"command\":\"ls -la\"}",
            "args": {"command": "ls -la"},
        })
    },
    settle,
};

/// The payload of `tool.pre` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ToolPre {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded and validated.
    pub args: Value,
}

/// `args` and `arguments` are two spellings of one value: the one that changed decides.
fn settle(before: &Value, after: &mut Value) -> Result<(), String> {
    let Some(fields) = after.as_object_mut() else {
        return Err(String::from("the payload of `tool.pre` must stay an object"));
    };
    if !fields.get("name").is_some_and(Value::is_string) {
        return Err(String::from("`name` must stay a string"));
    }
    let changed = |name: &str| fields.get(name) != before.get(name);
    if !changed("args") && changed("arguments") {
        let decoded = match fields.get("arguments") {
            Some(Value::String(text)) => serde_json::from_str(text).map_err(|fault| format!("`arguments` is not JSON: {fault}"))?,
            Some(other) => other.clone(),
            None => Value::Null,
        };
        fields.insert(String::from("args"), decoded);
    }
    let Some(Value::Object(args)) = fields.get("args") else {
        return Err(String::from("`args` must be an object"));
    };
    let text = serde_json::to_string(args).map_err(|fault| fault.to_string())?;
    fields.insert(String::from("arguments"), Value::String(text));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spelling_that_changed_decides() {
        let before = (ROW.example)();
        let mut after = before.clone();
        after["args"] = json!({"command": "ls -h"});
        settle(&before, &mut after).unwrap();
        assert_eq!(after["arguments"], r#"{"command":"ls -h"}"#);

        let mut after = before.clone();
        after["arguments"] = json!(r#"{"command": "pwd"}"#);
        settle(&before, &mut after).unwrap();
        assert_eq!(after["args"], json!({"command": "pwd"}));

        let mut after = before.clone();
        after["arguments"] = json!({"command": "pwd"});
        settle(&before, &mut after).unwrap();
        assert_eq!(after["arguments"], r#"{"command":"pwd"}"#);
    }

    #[test]
    fn a_rewrite_that_leaves_no_call_is_refused() {
        let before = (ROW.example)();
        for bad in [json!(null), json!({"args": {}}), json!({"name": "x", "args": 3})] {
            let mut after = bad.clone();
            assert!(settle(&before, &mut after).is_err(), "{bad}");
        }
    }
}

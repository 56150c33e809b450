//! Fills in payloads that a user wrote by hand.

use serde_json::{Map, Value};

use super::{EventName, EventPayloadError};

impl EventName {
    /// Fills in what a hand-written payload leaves out: aliases of the given fields, and empty values for the rest.
    ///
    /// Users often write only some fields (`{agent, prompt, depth, ...}`), and some hosts write `null` for an empty
    /// list. The name of a tool is never filled in: a call without a name is not a tool call.
    ///
    /// # Errors
    /// When the payload is not valid for the event.
    pub fn complete(&self, payload: &mut Value) -> Result<(), EventPayloadError> {
        let def = self.def();
        let schema = def.schema();
        let mut blank = build_blank(schema, schema.get("$defs").unwrap_or(&Value::Null)).unwrap_or(Value::Null);
        if let (Some(fields), Some(subject)) = (blank.as_object_mut(), def.subject)
            && self.as_str().starts_with("tool.")
        {
            fields.shift_remove(subject);
        }
        if let (Some(fields), Some(blank)) = (payload.as_object_mut(), blank.as_object()) {
            read_aliases(def.aliases, fields, |name, value| value.is_null() || blank.get(name) == Some(value));
        }
        match (&blank, &*payload) {
            (Value::Object(fields), Value::Object(given)) => {
                let mut whole = fields.clone();
                overlay_fields(&mut whole, given);
                *payload = Value::Object(whole);
            }
            // A payload that is not an object has no aliases and no fields to fill in.
            _ => blank = Value::Null,
        }
        // Compared with the blank, every given field counts as changed, so its aliases follow it.
        def.normalize(&blank, payload)
    }
}

/// Gives the fields that are written under another name their own name. If both names are there, the field's own one
/// wins, unless `gives_way` says that its value is nothing new.
pub fn read_aliases(
    aliases: &[(&str, &str)],
    fields: &mut Map<String, Value>,
    gives_way: impl Fn(&str, &Value) -> bool,
) {
    for (name, alias) in aliases {
        let Some(value) = fields.shift_remove(*alias) else { continue };
        if fields.get(*name).is_none_or(|own| gives_way(name, own)) {
            fields.insert((*name).to_owned(), value);
        }
    }
}

/// The empty value of a schema's type, if the type has one. An object gets every required field that has an empty
/// value.
fn build_blank(schema: &Value, definitions: &Value) -> Option<Value> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next()?;
        // References are followed only through an object's own fields. This ends, because payload types are not
        // recursive.
        return build_blank(definitions.get(name)?, definitions);
    }
    Some(match schema.get("type")?.as_str()? {
        "string" => Value::from(""),
        "boolean" => Value::from(false),
        "integer" | "number" => Value::from(0),
        "array" => Value::Array(Vec::new()),
        "object" => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let fields = required.filter_map(|name| {
                let name = name.as_str()?;
                Some((name.to_owned(), build_blank(schema.get("properties")?.get(name)?, definitions)?))
            });
            Value::Object(fields.collect())
        }
        _ => return None,
    })
}

/// Copies the given fields over the blank ones. A `null` does not replace a blank value.
fn overlay_fields(fields: &mut Map<String, Value>, arguments: &Map<String, Value>) {
    for (name, value) in arguments {
        match (fields.get_mut(name), value) {
            (Some(Value::Object(inner)), Value::Object(arguments)) => overlay_fields(inner, arguments),
            (Some(_), Value::Null) => {}
            _ => {
                fields.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::CATALOGUE;

    /// The event, the given payload, and some of the expected fields.
    fn cases() -> Vec<(&'static str, Value, Value)> {
        vec![
            (
                "delegation.pre",
                json!({"agent": "a", "prompt": "b", "depth": 2}),
                json!({"agent": "a", "prompt": "b", "task": "b", "depth": 2, "tools": []}),
            ),
            ("delegation.pre", json!({"task": "b", "tools": null}), json!({"agent": "", "prompt": "b", "tools": []})),
            (
                "delegation.post",
                json!({"agent": "a", "result": "x", "depth": 1}),
                json!({"response": "x", "tool_calls": []}),
            ),
            ("delegation.post_verify", json!({"response": "x", "attempt": 2}), json!({"result": "x", "attempt": 2})),
            (
                "turn.end",
                json!({"text": "a", "tool_calls": [{"name": "x", "args": {}}], "usage": {"input_tokens": 7, "output_tokens": 5}}),
                json!({"text": "a", "tool_calls": [{"name": "x", "args": {}}], "tool_results": []}),
            ),
            (
                "turn.end",
                json!({"Response": "a", "ToolCalls": null, "Usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}}),
                json!({"text": "a", "tool_calls": []}),
            ),
            ("agent.stop", json!({"Response": "a", "Usage": {}}), json!({"response": "a", "tool_results": []})),
            (
                "completion.pre",
                json!({"model": "", "messages": [{"role": "user", "content": "x"}]}),
                json!({"tools": []}),
            ),
            ("completion.post", json!({"choices": []}), json!({"text": "", "finish_reason": ""})),
            (
                "tool.post",
                json!({"name": "x", "content": "boom", "is_error": true}),
                json!({"error": "boom", "result": "boom"}),
            ),
            ("tool.post", json!({"name": "x", "content": "[1]"}), json!({"is_error": false, "result": [1]})),
            (
                "tool.pre",
                json!({"name": "x", "arguments": {"a": 1}}),
                json!({"args": {"a": 1}, "arguments": "{\"a\":1}"}),
            ),
        ]
    }

    #[test]
    fn a_payload_that_the_documents_show_in_part_becomes_whole() {
        for (event, given, expected) in cases() {
            let mut payload = given.clone();
            EventName::parse(event).unwrap().complete(&mut payload).unwrap_or_else(|error| panic!("{given}: {error}"));
            for (field, value) in expected.as_object().unwrap() {
                assert_eq!(&payload[field], value, "{event} {given}: `{field}`");
            }
            let schema = EventName::parse(event).unwrap().def().schema();
            for field in schema["required"].as_array().unwrap() {
                assert!(payload.get(field.as_str().unwrap()).is_some(), "{event} {given}: {field} in {payload}");
            }
        }
    }

    #[test]
    fn token_counts_follow_each_other_in_every_spelling() {
        let both = json!({"input_tokens": 7, "output_tokens": 5, "prompt_tokens": 7, "completion_tokens": 5});
        for event in ["turn.end", "agent.stop"] {
            for field in ["usage", "Usage"] {
                for given in [
                    json!({"input_tokens": 7, "output_tokens": 5}),
                    json!({"prompt_tokens": 7, "completion_tokens": 5}),
                ] {
                    let mut payload = json!({field: given});
                    EventName::parse(event).unwrap().complete(&mut payload).unwrap();
                    assert!(payload.get("Usage").is_none(), "{event}: {field} gives {payload}");
                    for (count, value) in both.as_object().unwrap() {
                        assert_eq!(&payload["usage"][count], value, "{event}: {field} gives {payload}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_whole_stays_as_it_is_and_what_is_no_payload_is_refused() {
        for def in CATALOGUE {
            let name = def.family().map_or(def.name.to_owned(), |family| format!("{family}x"));
            let mut payload = def.example();
            EventName::parse(&name).unwrap().complete(&mut payload).unwrap();
            assert_eq!(payload, def.example(), "{name}");
        }
        let bad = [
            ("tool.pre", json!({"args": {}})),
            ("tool.pre", json!({"name": "x"})),
            ("tool.pre", json!([])),
            ("turn.start", json!({})),
            ("turn.end", json!({"text": 3})),
            ("delegation.pre", json!({"tools": "all"})),
        ];
        for (event, payload) in bad {
            assert!(EventName::parse(event).unwrap().complete(&mut payload.clone()).is_err(), "{event} {payload}");
        }
    }
}

//! The arguments of a tool call: decoded, filled with defaults, coerced and checked against the tool's JSON Schema.

use pintle_host::contract::{PayloadError, read_payload};
use serde_json::{Map, Value};

use super::schema_checker::{SchemaChecker, kind};

/// Decodes a model's argument text. An empty text and `null` mean no arguments.
///
/// # Errors
/// When it is not a JSON object.
pub(crate) fn decode(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match read_payload(text.as_bytes()) {
        Ok(Value::Null) => Ok(Value::Object(Map::new())),
        Ok(object @ Value::Object(_)) if is_finite(&object) => Ok(object),
        Ok(Value::Object(_)) => Err(String::from("the arguments contain a number that is too large")),
        Ok(other) => Err(format!("the arguments must be a JSON object, not {}", kind(&other))),
        Err(PayloadError::NotJson(error)) => Err(format!("the arguments are not valid JSON: {error}")),
        Err(error) => Err(format!("the arguments are too large: {error}; send less at once")),
    }
}

/// Whether every number is finite. JSON can spell others, but scripts cannot represent them.
fn is_finite(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
        Value::Array(items) => items.iter().all(is_finite),
        Value::Object(fields) => fields.values().all(is_finite),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// Fits arguments to a schema: fills in defaults, and converts text that spells a value of the required type.
///
/// # Errors
/// With every mismatch, joined by `; `.
pub(crate) fn coerce(arguments: &mut Value, schema: &Value) -> Result<(), String> {
    let faults = SchemaChecker::new(schema).check(arguments);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn argument_texts_decode_to_an_object_or_say_why_not() {
        for text in ["", "  ", "null", "{}"] {
            assert_eq!(decode(text), Ok(json!({})), "{text:?}");
        }
        assert_eq!(decode(r#"{"a":1}"#), Ok(json!({"a": 1})));
        assert_eq!(decode("[1]").unwrap_err(), "the arguments must be a JSON object, not array");
        for text in ["{", "{} {}", "nonsense"] {
            assert!(decode(text).unwrap_err().starts_with("the arguments are not valid JSON"), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_finite_value_is_refused() {
        // Depending on how the parser was built, it rejects the number itself.
        assert!(decode(r#"{"a":[1e400]}"#).is_err());
    }

    #[test]
    fn values_are_completed_and_coerced_where_there_is_no_doubt() {
        let schema = json!({"type": "object", "properties": {
            "count": {"type": "integer"}, "ratio": {"type": "number"}, "deep": {"type": "boolean"},
            "name": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}},
            "mode": {"type": "string", "default": "fast"}, "maybe": {"type": ["integer", "null"]},
        }});
        let mut arguments = json!({
            "count": "3", "ratio": "0.5", "deep": "True", "name": 7, "list": "[\"1\", 2.0]", "mode": null,
            "maybe": null, "other": "kept",
        });
        coerce(&mut arguments, &schema).unwrap();
        let expected = json!({
            "count": 3, "ratio": 0.5, "deep": true, "name": "7", "list": [1, 2], "mode": "fast", "maybe": null,
            "other": "kept",
        });
        assert_eq!(arguments, expected);
    }

    #[test]
    fn everything_that_does_not_fit_is_told_at_once() {
        let cases = [
            (json!({"type": "object", "required": ["a"]}), json!({}), "`a` is required"),
            (
                json!({"properties": {"a": {"type": "integer"}, "b": {"enum": ["x", 1]}}}),
                json!({"a": "three", "b": "y"}),
                "`a` must be integer, not string; `b` must be one of \"x\", 1",
            ),
            (json!({"properties": {"a": {"type": "integer"}}}), json!({"a": 1.5}), "`a` must be integer, not number"),
            (
                json!({"properties": {"path": {}}, "additionalProperties": false}),
                json!({"paht": 1}),
                "`paht` is not a parameter; did you mean `path`?",
            ),
            (
                json!({"properties": {"n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 5}}}),
                json!({"n": "5"}),
                "`n` must be less than 5",
            ),
            (
                json!({"properties": {"l": {"type": "array", "maxItems": 1, "items": {"properties": {"x": {"type": "string"}}}}}}),
                json!({"l": [{"x": []}, {}]}),
                "`l` must have at most 1 items; `l[0].x` must be string, not array",
            ),
            (
                json!({"properties": {"s": {"type": "string", "minLength": 2, "pattern": "^a"}}}),
                json!({"s": "b"}),
                "`s` must have at least 2 characters; `s` must match `^a`",
            ),
            (
                json!({"properties": {"s": {"type": "string"}}, "required": ["s"]}),
                json!({"s": null}),
                "`s` must be string, not null",
            ),
        ];
        for (schema, mut arguments, expected) in cases {
            assert_eq!(coerce(&mut arguments, &schema).unwrap_err(), expected, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_says_nothing_accepts_everything() {
        for schema in [json!({}), json!(true), json!({"type": "thing"}), json!(null)] {
            coerce(&mut json!({"a": [1]}), &schema).unwrap();
        }
    }
}

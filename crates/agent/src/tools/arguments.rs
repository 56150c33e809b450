//! The arguments of a tool call: decoded, filled with defaults, coerced and checked against the tool's JSON Schema.
//!
//! The supported keywords are those that tool schemas use: `type`, `properties`, `required`, `additionalProperties`,
//! `items`, `enum`, `const`, `default`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`,
//! `maxLength`, `pattern`, `minItems`, `maxItems`. Other keywords are ignored.

use pintle::contract::{PayloadError, read_payload, suggest_nearest};
use serde_json::{Map, Number, Value};

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
    let mut faults = Vec::new();
    check_value(arguments, schema, "", &mut faults);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

fn check_value(value: &mut Value, schema: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else { return };
    let types = schema_types(schema);
    if !types.is_empty() && !types.iter().any(|wanted| is_of_type(value, wanted)) {
        match types.iter().find_map(|wanted| coerce_value(value, wanted)) {
            Some(better) => *value = better,
            None => {
                faults.push(format!("{} must be {}, not {}", describe_path(at), types.join(" or "), kind(value)));
                return;
            }
        }
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let shown: Vec<String> = allowed.iter().map(Value::to_string).collect();
        faults.push(format!("{} must be one of {}", describe_path(at), shown.join(", ")));
    }
    if schema.get("const").is_some_and(|wanted| wanted != value) {
        faults.push(format!("{} must be {}", describe_path(at), schema.get("const").unwrap_or(&Value::Null)));
    }
    match value {
        Value::Object(fields) => check_object(fields, schema, at, faults),
        Value::Array(items) => check_array(items, schema, at, faults),
        Value::String(text) => check_text(text, schema, at, faults),
        Value::Number(number) => check_number(number, schema, at, faults),
        Value::Null | Value::Bool(_) => {}
    }
}

fn check_object(fields: &mut Map<String, Value>, schema: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in properties {
        let here = join_path(at, name);
        // Models write `null` for omitted arguments.
        let left_out = fields.get(name).is_some_and(Value::is_null) && !allows_null(property);
        if left_out && !required.contains(&name.as_str()) {
            fields.shift_remove(name);
        }
        if !fields.contains_key(name)
            && let Some(default) = property.get("default")
        {
            fields.insert(name.clone(), default.clone());
        }
        if let Some(value) = fields.get_mut(name) {
            check_value(value, property, &here, faults);
        }
    }
    for name in &required {
        if !fields.contains_key(*name) {
            faults.push(format!("`{}` is required", join_path(at, name)));
        }
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => {
            for name in fields.keys().filter(|name| !properties.contains_key(*name)) {
                let near = suggest_nearest(name, properties.keys().map(String::as_str));
                let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                faults.push(format!("`{}` is not a parameter{hint}", join_path(at, name)));
            }
        }
        Some(others @ Value::Object(_)) => {
            for (name, value) in fields.iter_mut().filter(|(name, _)| !properties.contains_key(*name)) {
                check_value(value, others, &join_path(at, name), faults);
            }
        }
        _ => {}
    }
}

fn check_array(items: &mut [Value], schema: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let count = items.len() as u64;
    if schema.get("minItems").and_then(Value::as_u64).is_some_and(|least| count < least) {
        faults.push(format!(
            "{} must have at least {} items",
            describe_path(at),
            schema.get("minItems").unwrap_or(&Value::Null)
        ));
    }
    if schema.get("maxItems").and_then(Value::as_u64).is_some_and(|most| count > most) {
        faults.push(format!(
            "{} must have at most {} items",
            describe_path(at),
            schema.get("maxItems").unwrap_or(&Value::Null)
        ));
    }
    if let Some(each) = schema.get("items") {
        for (index, item) in items.iter_mut().enumerate() {
            check_value(item, each, &format!("{at}[{index}]"), faults);
        }
    }
}

fn check_text(text: &str, schema: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let length = text.chars().count() as u64;
    if let Some(least) = schema.get("minLength").and_then(Value::as_u64).filter(|least| length < *least) {
        faults.push(format!("{} must have at least {least} characters", describe_path(at)));
    }
    if let Some(most) = schema.get("maxLength").and_then(Value::as_u64).filter(|most| length > *most) {
        faults.push(format!("{} must have at most {most} characters", describe_path(at)));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        match regex::RegexBuilder::new(pattern).size_limit(1 << 20).build() {
            Ok(regex) if regex.is_match(text) => {}
            Ok(_) => faults.push(format!("{} must match `{pattern}`", describe_path(at))),
            Err(_) => faults.push(format!("{} has a schema pattern that is not valid: `{pattern}`", describe_path(at))),
        }
    }
}

/// Whether a value is within a bound.
type BoundCheck = fn(f64, f64) -> bool;

fn check_number(number: &Number, schema: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let Some(value) = number.as_f64() else { return };
    let bounds: [(&str, BoundCheck, &str); 4] = [
        ("minimum", |value, bound| value >= bound, "at least"),
        ("maximum", |value, bound| value <= bound, "at most"),
        ("exclusiveMinimum", |value, bound| value > bound, "more than"),
        ("exclusiveMaximum", |value, bound| value < bound, "less than"),
    ];
    for (keyword, holds, words) in bounds {
        if let Some(bound) = schema.get(keyword)
            && bound.as_f64().is_some_and(|bound| !holds(value, bound))
        {
            faults.push(format!("{} must be {words} {bound}", describe_path(at)));
        }
    }
}

fn schema_types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn allows_null(schema: &Value) -> bool {
    schema.as_object().is_none_or(|schema| {
        let types = schema_types(schema);
        types.is_empty() || types.contains(&"null")
    })
}

fn is_of_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.as_f64().is_some_and(f64::is_finite),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        // An unknown type is an error of the schema, not of the model.
        _ => true,
    }
}

/// The value converted to the required type, if the conversion is unambiguous.
fn coerce_value(value: &Value, wanted: &str) -> Option<Value> {
    match (wanted, value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("integer", Value::Number(number)) => to_exact_integer(number.as_f64()?).map(Value::from),
        ("number", Value::String(text)) => {
            let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite())?;
            to_exact_integer(number).map(Value::from).or_else(|| Number::from_f64(number).map(Value::Number))
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        ("object" | "array", Value::String(text)) => {
            serde_json::from_str(text).ok().filter(|inner| is_of_type(inner, wanted))
        }
        _ => None,
    }
}

/// A float that is a whole number small enough to be exact.
fn to_exact_integer(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the number is whole and within the exact range")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn join_path(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn describe_path(at: &str) -> String {
    if at.is_empty() { String::from("the arguments") } else { format!("`{at}`") }
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

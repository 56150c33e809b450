//! Compares values with what they must be.

use serde_json::{Map, Value};

/// Adds what differs between a value and what it must be: the path, the wanted value and the one that came. Of an object
/// only the fields that are wanted are compared.
pub fn compare_values(
    path: &str,
    wanted: &Value,
    actual: Option<&Value>,
    report: &mut dyn FnMut(&str, &Value, Option<&Value>),
) {
    match (wanted, actual) {
        (Value::Object(fields), Some(Value::Object(given))) => compare_fields(path, fields, given, report),
        (wanted, Some(actual)) if wanted == actual => {}
        (wanted, actual) => report(path, wanted, actual),
    }
}

fn compare_fields(
    path: &str,
    wanted: &Map<String, Value>,
    actual: &Map<String, Value>,
    report: &mut dyn FnMut(&str, &Value, Option<&Value>),
) {
    for (field, value) in wanted {
        compare_values(&format!("{path}.{field}"), value, actual.get(field), report);
    }
}

/// Whether two values are the same; `2` and `2.0` are.
pub(super) fn is_same_value(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

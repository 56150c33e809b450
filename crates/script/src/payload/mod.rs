//! Converts payloads between JSON and script values.

mod frozen;
mod number;
mod to_json;
mod view;

pub(crate) use to_json::{non_json_type, sequence_items, to_display, to_json};
pub(crate) use view::{can_be_read, parts_value, payload_value};

use number::{ScriptNumber, parse_number};
use serde_json::Value as Json;
use starlark::values::dict::AllocDict;
use starlark::values::list::AllocList;
use starlark::values::{FrozenHeap, FrozenValue, Heap, Value};

/// The maximum nesting depth of a value. `serde_json` parses to the same depth.
pub(crate) const MAX_DEPTH: usize = 128;

/// Converts a value to the heap of one call. Whole floats become integers, as in every other JSON reader of the field.
///
/// # Errors
/// If a number is not finite or the value is nested too deeply.
pub(crate) fn to_script<'v>(value: &Json, heap: Heap<'v>) -> Result<Value<'v>, String> {
    check_depth(value, 0)?;
    Ok(alloc_value(value, heap))
}

/// Converts a value to a frozen heap, which calls and threads share.
///
/// # Errors
/// As [`to_script`].
pub(crate) fn to_frozen(value: &Json, heap: &FrozenHeap) -> Result<FrozenValue, String> {
    check_depth(value, 0)?;
    Ok(alloc_frozen(value, heap))
}

/// Rejects values on which the interpreter would panic.
fn check_depth(value: &Json, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("the value is nested more than {MAX_DEPTH} levels deep"));
    }
    match value {
        Json::Number(digits) => parse_number(digits).map(|_| ()),
        Json::Array(items) => items.iter().try_for_each(|item| check_depth(item, depth + 1)),
        Json::Object(fields) => fields.values().try_for_each(|field| check_depth(field, depth + 1)),
        Json::Null | Json::Bool(_) | Json::String(_) => Ok(()),
    }
}

/// Allocates a value as `$Value`, and its parts with `$alloc`: the two heaps have the same methods and no common trait.
macro_rules! alloc_json {
    ($value:expr, $heap:expr, $Value:ident, $alloc:ident) => {
        match $value {
            Json::Null => $Value::new_none(),
            Json::Bool(truth) => $Value::new_bool(*truth),
            Json::Number(digits) => match parse_number(digits) {
                Ok(ScriptNumber::Int(whole)) => $heap.alloc(whole),
                Ok(ScriptNumber::Float(float)) => $heap.alloc(float),
                Ok(ScriptNumber::Big(big)) => $heap.alloc(big),
                Err(_) => $Value::new_none(),
            },
            Json::String(text) => $heap.alloc(text.as_str()),
            Json::Array(items) => $heap.alloc(AllocList(items.iter().map(|item| $alloc(item, $heap)))),
            Json::Object(fields) => {
                $heap.alloc(AllocDict(fields.iter().map(|(key, field)| (key.as_str(), $alloc(field, $heap)))))
            }
        }
    };
}

fn alloc_value<'v>(value: &Json, heap: Heap<'v>) -> Value<'v> {
    alloc_json!(value, heap, Value, alloc_value)
}

fn alloc_frozen(value: &Json, heap: &FrozenHeap) -> FrozenValue {
    alloc_json!(value, heap, FrozenValue, alloc_frozen)
}

#[cfg(test)]
mod tests {
    use starlark::environment::Module;

    use super::*;

    fn round_trip(text: &str) -> Result<String, String> {
        let value: Json = serde_json::from_str(text).unwrap();
        Module::with_temp_heap(|module| to_json(to_script(&value, module.heap())?)).map(|back| back.to_string())
    }

    #[test]
    fn numbers_keep_what_they_say() {
        let cases = [
            ("1.0", "1"),
            ("-0.5", "-0.5"),
            ("1e3", "1000"),
            ("9007199254740993", "9007199254740993"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "18446744073709551615"),
            ("1267650600228229401496703205376", "1267650600228229401496703205376"),
            ("0.1", "0.1"),
        ];
        for (text, expected) in cases {
            assert_eq!(round_trip(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        for text in ["1e400", "[{\"a\": -1e999}]"] {
            assert!(round_trip(text).unwrap_err().contains("finite"), "{text}");
        }
    }

    #[test]
    fn order_stays_and_depth_is_bounded() {
        let text = r#"{"b":1,"a":[null,true,"é"]}"#;
        assert_eq!(round_trip(text).as_deref(), Ok(text));
        let mut deep = Json::Null;
        for _ in 0..500 {
            deep = Json::Array(vec![deep]);
        }
        let refused = Module::with_temp_heap(|module| to_script(&deep, module.heap()).map(|_| ()));
        assert!(refused.unwrap_err().contains("128 levels"));
    }
}

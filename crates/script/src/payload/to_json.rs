//! Converts script values to JSON.

use std::str::FromStr;

use serde_json::{Map, Number, Value as Json};
use starlark::values::dict::DictRef;
use starlark::values::float::StarlarkFloat;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{UnpackValue, Value, ValueLike};

use super::number::float_to_json;
use crate::call_state::display_truncated;
use crate::starlark_values::RegexMatch;

/// The maximum nesting depth of a value that leaves a script.
const MAX_DEPTH: usize = 64;
/// The maximum number of values in one conversion, so that a value that contains itself a thousand times ends.
const MAX_VALUES: usize = 2_000_000;

/// Converts a value to JSON: tuples become lists, keys become strings, any other value its printed form.
///
/// # Errors
/// If it is nested too deeply, too large, or contains a number that is not finite.
pub(crate) fn to_json(value: Value<'_>) -> Result<Json, String> {
    convert_value(value, 0, &mut 0)
}

fn convert_value(value: Value<'_>, depth: usize, count: &mut usize) -> Result<Json, String> {
    if depth > MAX_DEPTH {
        return Err(format!("the value is nested more than {MAX_DEPTH} levels deep"));
    }
    *count += 1;
    if *count > MAX_VALUES {
        return Err(format!("the value contains more than {MAX_VALUES} values"));
    }
    if value.is_none() {
        return Ok(Json::Null);
    }
    if let Some(text) = value.unpack_str() {
        return Ok(Json::String(text.to_owned()));
    }
    if let Some(truth) = value.unpack_bool() {
        return Ok(Json::Bool(truth));
    }
    if let Some(int) = value.unpack_i32() {
        return Ok(Json::Number(int.into()));
    }
    if let Some(dict) = DictRef::from_value(value) {
        let mut fields = Map::with_capacity(dict.len());
        for (key, field) in dict.iter() {
            fields.insert(to_display(key), convert_value(field, depth + 1, count)?);
        }
        return Ok(Json::Object(fields));
    }
    if let Some(items) = sequence_items(value) {
        return items.iter().map(|item| convert_value(*item, depth + 1, count)).collect();
    }
    if let Some(found) = value.downcast_ref::<RegexMatch>() {
        return Ok(Json::Object(found.fields.clone()));
    }
    convert_scalar(value)
}

fn convert_scalar(value: Value<'_>) -> Result<Json, String> {
    match value.get_type() {
        "int" => Number::from_str(&value.to_str()).map(Json::Number).map_err(|error| error.to_string()),
        "float" => match StarlarkFloat::unpack_value(value) {
            Ok(Some(float)) => float_to_json(float.0).map(Json::Number),
            _ => Ok(Json::Null),
        },
        "range" => Err(String::from("a range cannot be JSON; convert it with `list(..)`")),
        _ => Ok(Json::String(to_display(value))),
    }
}

/// The items of a list or a tuple.
pub(crate) fn sequence_items<'v>(value: Value<'v>) -> Option<&'v [Value<'v>]> {
    let tuple = || TupleRef::from_value(value).map(TupleRef::content);
    ListRef::from_value(value).map(ListRef::content).or_else(tuple)
}

/// The type of a part that cannot be JSON and would only be printed.
pub(crate) fn non_json_type(value: Value<'_>) -> Option<&'static str> {
    find_non_json_type(value, 0, &mut 0)
}

fn find_non_json_type(value: Value<'_>, depth: usize, seen: &mut usize) -> Option<&'static str> {
    *seen += 1;
    let plain = value.is_none() || value.unpack_str().is_some() || value.unpack_bool().is_some();
    // A deeper or larger value is rejected for that reason.
    if plain || depth > MAX_DEPTH || *seen > MAX_VALUES {
        return None;
    }
    if let Some(dict) = DictRef::from_value(value) {
        return dict.iter().find_map(|(key, field)| {
            find_non_json_type(key, depth + 1, seen).or_else(|| find_non_json_type(field, depth + 1, seen))
        });
    }
    if let Some(items) = sequence_items(value) {
        return items.iter().find_map(|item| find_non_json_type(*item, depth + 1, seen));
    }
    let known = matches!(value.get_type(), "int" | "float" | "range") || value.downcast_ref::<RegexMatch>().is_some();
    (!known).then(|| value.get_type())
}

/// A string unchanged, any other value as Starlark prints it.
pub(crate) fn to_display(value: Value<'_>) -> String {
    display_truncated(value, usize::MAX)
}

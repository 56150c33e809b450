//! The template functions.

use std::cmp::Ordering;

use serde_json::Value;

use super::format;
use super::value::TemplateValue;

/// A template function.
#[derive(Debug)]
pub(super) struct TemplateFunction {
    /// The name of the function.
    pub(super) name: &'static str,
    min_arguments: usize,
    max_arguments: usize,
    /// The implementation.
    pub(super) body: FunctionBody,
}

/// The way in which a function is called.
#[derive(Debug)]
pub(super) enum FunctionBody {
    /// With all its arguments.
    Eager(for<'a> fn(&[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String>),
    /// With one argument after the other, up to the first that is true (`or`) or false (`and`).
    ShortCircuit(bool),
}

/// No maximum number of arguments.
const ANY: usize = usize::MAX;

/// Every function.
pub(super) static FUNCTIONS: &[TemplateFunction] = &[
    TemplateFunction { name: "and", min_arguments: 1, max_arguments: ANY, body: FunctionBody::ShortCircuit(false) },
    TemplateFunction { name: "eq", min_arguments: 2, max_arguments: ANY, body: FunctionBody::Eager(compare_equal) },
    TemplateFunction {
        name: "ge",
        min_arguments: 2,
        max_arguments: 2,
        body: FunctionBody::Eager(|cells| compare_values(cells, Ordering::is_ge)),
    },
    TemplateFunction {
        name: "gt",
        min_arguments: 2,
        max_arguments: 2,
        body: FunctionBody::Eager(|cells| compare_values(cells, Ordering::is_gt)),
    },
    TemplateFunction { name: "index", min_arguments: 1, max_arguments: ANY, body: FunctionBody::Eager(index_value) },
    TemplateFunction {
        name: "le",
        min_arguments: 2,
        max_arguments: 2,
        body: FunctionBody::Eager(|cells| compare_values(cells, Ordering::is_le)),
    },
    TemplateFunction { name: "len", min_arguments: 1, max_arguments: 1, body: FunctionBody::Eager(value_length) },
    TemplateFunction {
        name: "lt",
        min_arguments: 2,
        max_arguments: 2,
        body: FunctionBody::Eager(|cells| compare_values(cells, Ordering::is_lt)),
    },
    TemplateFunction { name: "ne", min_arguments: 2, max_arguments: 2, body: FunctionBody::Eager(compare_unequal) },
    TemplateFunction {
        name: "not",
        min_arguments: 1,
        max_arguments: 1,
        body: FunctionBody::Eager(|cells| Ok(TemplateValue::from_bool(!cells.iter().any(TemplateValue::is_truthy)))),
    },
    TemplateFunction { name: "or", min_arguments: 1, max_arguments: ANY, body: FunctionBody::ShortCircuit(true) },
    TemplateFunction {
        name: "print",
        min_arguments: 0,
        max_arguments: ANY,
        body: FunctionBody::Eager(|cells| format::format_print(cells).map(TemplateValue::from_text)),
    },
    TemplateFunction { name: "printf", min_arguments: 1, max_arguments: ANY, body: FunctionBody::Eager(printf) },
    TemplateFunction { name: "println", min_arguments: 0, max_arguments: ANY, body: FunctionBody::Eager(println) },
    TemplateFunction { name: "toJSON", min_arguments: 1, max_arguments: 1, body: FunctionBody::Eager(to_json) },
    TemplateFunction { name: "truncate", min_arguments: 2, max_arguments: 2, body: FunctionBody::Eager(truncate) },
];

pub(super) fn find_function(name: &str) -> Option<&'static TemplateFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl TemplateFunction {
    /// Checks the number of arguments; the error contains the expected number.
    pub(super) fn check_argument_count(&self, count: usize) -> Result<(), String> {
        if (self.min_arguments..=self.max_arguments).contains(&count) {
            return Ok(());
        }
        let wanted = match (self.min_arguments, self.max_arguments) {
            (least, ANY) => format!("at least {least}"),
            (least, _) => least.to_string(),
        };
        Err(format!("`{}` takes {wanted} argument(s), not {count}", self.name))
    }
}

/// Whether the first value equals one of the others.
fn compare_equal<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    let Some((first, others)) = cells.split_first() else { return Ok(TemplateValue::from_bool(false)) };
    for other in others {
        if are_equal(first, other)? {
            return Ok(TemplateValue::from_bool(true));
        }
    }
    Ok(TemplateValue::from_bool(false))
}

fn compare_unequal<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    let [one, other] = cells else { return Ok(TemplateValue::from_bool(false)) };
    are_equal(one, other).map(|same| TemplateValue::from_bool(!same))
}

/// Whether two values are equal. Lists and objects are not compared, as in Go, so that the cost is limited.
fn are_equal(one: &TemplateValue<'_>, other: &TemplateValue<'_>) -> Result<bool, String> {
    match (one.value(), other.value()) {
        // An omitted field is empty.
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => Ok(text.is_empty()),
        (Value::Number(_), Value::Number(_)) => Ok(order_values(one, other) == Some(Ordering::Equal)),
        (Value::Null, _) | (_, Value::Null) => Ok(one.value() == other.value()),
        (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
            Err(format!("{} and {} cannot be compared", one.kind_name(), other.kind_name()))
        }
        (one, other) => Ok(one == other),
    }
}

fn order_values(one: &TemplateValue<'_>, other: &TemplateValue<'_>) -> Option<Ordering> {
    match (one.value(), other.value()) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        _ => None,
    }
}

fn compare_values<'a>(cells: &[TemplateValue<'a>], holds: fn(Ordering) -> bool) -> Result<TemplateValue<'a>, String> {
    let [one, other] = cells else { return Ok(TemplateValue::from_bool(false)) };
    match order_values(one, other) {
        Some(order) => Ok(TemplateValue::from_bool(holds(order))),
        None => Err(format!("{} and {} cannot be compared", one.kind_name(), other.kind_name())),
    }
}

/// An element of a list or an object. A missing key yields nothing.
fn index_value<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    let Some((first, places)) = cells.split_first() else { return Ok(TemplateValue::Absent) };
    let mut cell = first.clone();
    for place in places {
        cell = match (cell.value(), place.value()) {
            (Value::Null, _) => TemplateValue::Absent,
            (Value::Object(_), Value::String(key)) => {
                cell.borrow_part(|value| value.get(key)).unwrap_or(TemplateValue::Absent)
            }
            (Value::Array(items), Value::Number(number)) => {
                let found = place.as_count().and_then(|index| cell.borrow_part(|value| value.get(index)));
                found.ok_or_else(|| format!("index: {number} is out of range for a list of {}", items.len()))?
            }
            _ => return Err(format!("index: cannot index {} with {}", cell.kind_name(), place.kind_name())),
        };
    }
    Ok(cell)
}

/// The number of bytes of a string, or of elements of a list or an object.
fn value_length<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    let Some(cell) = cells.first() else { return Ok(TemplateValue::from_count(0)) };
    match cell.value() {
        Value::Null => Ok(TemplateValue::from_count(0)),
        Value::String(text) => Ok(TemplateValue::from_count(text.len())),
        Value::Array(items) => Ok(TemplateValue::from_count(items.len())),
        Value::Object(fields) => Ok(TemplateValue::from_count(fields.len())),
        Value::Bool(_) | Value::Number(_) => Err(format!("len: {} has no length", cell.kind_name())),
    }
}

fn printf<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    let Some((format, cells)) = cells.split_first() else { return Ok(TemplateValue::from_text(String::new())) };
    match format.value() {
        Value::String(text) => format::format_printf(text, cells).map(TemplateValue::from_text),
        _ => Err(format!("printf: the format is {}, not a string", format.kind_name())),
    }
}

fn println<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    format::format_println(cells).map(TemplateValue::from_text)
}

fn to_json<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    Ok(TemplateValue::from_text(cells.first().map_or_else(String::new, |cell| cell.value().to_string())))
}

/// `truncate N TEXT`: the first N bytes at most, without splitting a character, and `…` if something was cut.
fn truncate<'a>(cells: &[TemplateValue<'a>]) -> Result<TemplateValue<'a>, String> {
    let [most, cell] = cells else { return Ok(TemplateValue::Absent) };
    let Some(most) = most.as_count() else {
        return Err(format!("truncate: the length is {}; write it as in `truncate 200 .X`", most.kind_name()));
    };
    let text = match cell.value() {
        Value::Array(_) | Value::Object(_) => {
            return Err(format!("truncate: {} is not a string; apply `toJSON` first", cell.kind_name()));
        }
        Value::String(text) => text,
        _ => &format::display_value(cell),
    };
    if text.len() <= most {
        return Ok(TemplateValue::from_text(text.clone()));
    }
    let head = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    Ok(TemplateValue::from_text(format!("{head}…")))
}

//! The functions of templates, a row each.

use std::cmp::Ordering;

use serde_json::Value;

use super::cell::Cell;
use super::format;

/// One function.
#[derive(Debug)]
pub(super) struct Function {
    /// Its name.
    pub(super) name: &'static str,
    least: usize,
    most: usize,
    /// What it does.
    pub(super) act: Act,
}

/// How a function is called.
#[derive(Debug)]
pub(super) enum Act {
    /// With all its arguments.
    All(for<'a> fn(&[Cell<'a>]) -> Result<Cell<'a>, String>),
    /// With one argument after the other, up to the first that is true (`or`) or is not (`and`).
    Until(bool),
}

/// As many arguments as one likes.
const ANY: usize = usize::MAX;

/// Every function.
pub(super) static FUNCTIONS: &[Function] = &[
    Function { name: "and", least: 1, most: ANY, act: Act::Until(false) },
    Function { name: "eq", least: 2, most: ANY, act: Act::All(equal) },
    Function { name: "ge", least: 2, most: 2, act: Act::All(|cells| compare(cells, Ordering::is_ge)) },
    Function { name: "gt", least: 2, most: 2, act: Act::All(|cells| compare(cells, Ordering::is_gt)) },
    Function { name: "index", least: 1, most: ANY, act: Act::All(index) },
    Function { name: "le", least: 2, most: 2, act: Act::All(|cells| compare(cells, Ordering::is_le)) },
    Function { name: "len", least: 1, most: 1, act: Act::All(length) },
    Function { name: "lt", least: 2, most: 2, act: Act::All(|cells| compare(cells, Ordering::is_lt)) },
    Function { name: "ne", least: 2, most: 2, act: Act::All(unequal) },
    Function {
        name: "not",
        least: 1,
        most: 1,
        act: Act::All(|cells| Ok(Cell::truth(!cells.iter().any(Cell::is_true)))),
    },
    Function { name: "or", least: 1, most: ANY, act: Act::Until(true) },
    Function { name: "print", least: 0, most: ANY, act: Act::All(|cells| format::print(cells).map(Cell::text)) },
    Function { name: "printf", least: 1, most: ANY, act: Act::All(printf) },
    Function { name: "println", least: 0, most: ANY, act: Act::All(println) },
    Function { name: "toJSON", least: 1, most: 1, act: Act::All(to_json) },
    Function { name: "truncate", least: 2, most: 2, act: Act::All(truncate) },
];

/// Finds a function by its name.
pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Function {
    /// Whether it takes so many arguments; says how many it does take.
    pub(super) fn accepts(&self, given: usize) -> Result<(), String> {
        if (self.least..=self.most).contains(&given) {
            return Ok(());
        }
        let wanted = match (self.least, self.most) {
            (least, ANY) => format!("at least {least}"),
            (least, _) => least.to_string(),
        };
        Err(format!("`{}` takes {wanted} argument(s), not {given}", self.name))
    }
}

/// Whether the first value is one of the others.
fn equal<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    let Some((first, others)) = cells.split_first() else { return Ok(Cell::truth(false)) };
    for other in others {
        if same(first, other)? {
            return Ok(Cell::truth(true));
        }
    }
    Ok(Cell::truth(false))
}

fn unequal<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    let [one, other] = cells else { return Ok(Cell::truth(false)) };
    same(one, other).map(|same| Cell::truth(!same))
}

/// Whether two values are equal. Lists and objects are not compared, as in Go, so that the work is bounded.
fn same(one: &Cell<'_>, other: &Cell<'_>) -> Result<bool, String> {
    match (one.value(), other.value()) {
        // A field that is left out is empty.
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => Ok(text.is_empty()),
        (Value::Number(_), Value::Number(_)) => Ok(order(one, other) == Some(Ordering::Equal)),
        (Value::Null, _) | (_, Value::Null) => Ok(one.value() == other.value()),
        (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
            Err(format!("{} and {} cannot be compared", one.kind(), other.kind()))
        }
        (one, other) => Ok(one == other),
    }
}

fn order(one: &Cell<'_>, other: &Cell<'_>) -> Option<Ordering> {
    match (one.value(), other.value()) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        _ => None,
    }
}

fn compare<'a>(cells: &[Cell<'a>], holds: fn(Ordering) -> bool) -> Result<Cell<'a>, String> {
    let [one, other] = cells else { return Ok(Cell::truth(false)) };
    match order(one, other) {
        Some(order) => Ok(Cell::truth(holds(order))),
        None => Err(format!("{} and {} cannot be compared", one.kind(), other.kind())),
    }
}

/// The part of a list or an object. A key that is not there gives nothing.
fn index<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    let Some((first, places)) = cells.split_first() else { return Ok(Cell::Absent) };
    let mut cell = first.clone();
    for place in places {
        cell = match (cell.value(), place.value()) {
            (Value::Null, _) => Cell::Absent,
            (Value::Object(_), Value::String(key)) => cell.part(|value| value.get(key)).unwrap_or(Cell::Absent),
            (Value::Array(items), Value::Number(number)) => {
                let found = place.as_count().and_then(|at| cell.part(|value| value.get(at)));
                found.ok_or_else(|| format!("index: {number} is not in a list of {}", items.len()))?
            }
            _ => return Err(format!("index: {} has no part that {} names", cell.kind(), place.kind())),
        };
    }
    Ok(cell)
}

/// Bytes of a text, or parts of a list or an object.
fn length<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    let Some(cell) = cells.first() else { return Ok(Cell::count(0)) };
    match cell.value() {
        Value::Null => Ok(Cell::count(0)),
        Value::String(text) => Ok(Cell::count(text.len())),
        Value::Array(items) => Ok(Cell::count(items.len())),
        Value::Object(fields) => Ok(Cell::count(fields.len())),
        Value::Bool(_) | Value::Number(_) => Err(format!("len: {} has no length", cell.kind())),
    }
}

fn printf<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    let Some((format, cells)) = cells.split_first() else { return Ok(Cell::text(String::new())) };
    match format.value() {
        Value::String(text) => format::printf(text, cells).map(Cell::text),
        _ => Err(format!("printf: the format is {}, not a text", format.kind())),
    }
}

fn println<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    format::println(cells).map(Cell::text)
}

fn to_json<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    Ok(Cell::text(cells.first().map_or_else(String::new, |cell| cell.value().to_string())))
}

/// `truncate N TEXT`: at most so many bytes, never within a character, and `…` when something was cut.
fn truncate<'a>(cells: &[Cell<'a>]) -> Result<Cell<'a>, String> {
    let [most, cell] = cells else { return Ok(Cell::Absent) };
    let Some(most) = most.as_count() else {
        return Err(format!("truncate: the length is {}; write it as in `truncate 200 .X`", most.kind()));
    };
    let text = match cell.value() {
        Value::Array(_) | Value::Object(_) => {
            return Err(format!("truncate: {} is no text; write `toJSON` before it", cell.kind()));
        }
        Value::String(text) => text,
        _ => &format::shown(cell),
    };
    if text.len() <= most {
        return Ok(Cell::text(text.clone()));
    }
    let head = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    Ok(Cell::text(format!("{head}…")))
}

//! Paths into an event's payload, resolved without building the payload.

use std::borrow::Cow;

use pintle_contract::{Event, did_you_mean};
use serde_json::Value;

use super::PatternFault;
use crate::harn::Row;
use crate::harn::encode::{Get, Given, Key, to_value};

/// A path such as `tool.args.path`, bound to the payload of one event.
#[derive(Debug, Clone)]
pub(super) struct FieldPath {
    text: String,
    from: From,
    /// What is left of the path behind the keys that the event has always.
    rest: Vec<String>,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy)]
enum From {
    /// The event's name.
    Name(&'static str),
    /// A key.
    Key(&'static Key),
}

impl FieldPath {
    /// Binds a path.
    pub(super) fn bind(text: &str, row: &'static Row) -> Result<Self, PatternFault> {
        let mut segments = text.split('.').map(str::trim);
        let first = segments.next().unwrap_or_default();
        let own = |from, rest: Vec<String>| Self { text: text.to_owned(), from, rest };
        if first == "event" {
            return Ok(own(From::Name(row.name), segments.map(str::to_owned).collect()));
        }
        let mut key = row.all_keys().find(|key| key.name == first).ok_or_else(|| unknown(text, row))?;
        while let Get::Table(keys) = key.get {
            let Some(segment) = segments.next() else { break };
            key = keys.iter().find(|key| key.name == segment).ok_or_else(|| unknown(text, row))?;
        }
        Ok(own(From::Key(key), segments.map(str::to_owned).collect()))
    }

    /// Whether it is the path of this text.
    pub(super) fn is(&self, path: Option<&str>) -> bool {
        path == Some(self.text.as_str())
    }

    /// The value, as text: nothing reads as an empty one, and what is no text as its JSON form.
    pub(super) fn text<'a>(&'a self, event: &'a Event) -> Cow<'a, str> {
        match self.resolve(event) {
            Given::Absent => Cow::Borrowed(""),
            Given::Text(text) => Cow::Borrowed(text),
            Given::Value(Value::String(text)) => Cow::Borrowed(text),
            Given::Made(Value::String(text)) => Cow::Owned(text),
            Given::Number(number) => Cow::Owned(number.to_string()),
            Given::Value(value) => Cow::Owned(value.to_string()),
            Given::Made(value) => Cow::Owned(value.to_string()),
            table @ Given::Table(_) => {
                Cow::Owned(to_value(table, event).map(|value| value.to_string()).unwrap_or_default())
            }
        }
    }

    /// Whether there is something that is not false, 0 or empty.
    pub(super) fn is_truthy(&self, event: &Event) -> bool {
        match self.resolve(event) {
            Given::Absent => false,
            Given::Text(text) => !text.is_empty(),
            Given::Number(number) => number != 0,
            Given::Value(value) => truthy(value),
            Given::Made(value) => truthy(&value),
            table @ Given::Table(_) => to_value(table, event).is_some(),
        }
    }

    fn resolve<'a>(&'a self, event: &'a Event) -> Given<'a> {
        let given = match self.from {
            From::Name(name) => Given::Text(name),
            From::Key(key) => key.of(event),
        };
        self.rest.iter().fold(given, |given, segment| below(given, segment, event))
    }
}

/// What stands under a key. Lists have none.
fn below<'a>(given: Given<'a>, segment: &str, event: &'a Event) -> Given<'a> {
    match given {
        Given::Value(Value::Object(fields)) => fields.get(segment).map_or(Given::Absent, Given::Value),
        Given::Made(Value::Object(mut fields)) => fields.shift_remove(segment).map_or(Given::Absent, Given::Made),
        Given::Table(keys) => keys.iter().find(|key| key.name == segment).map_or(Given::Absent, |key| key.of(event)),
        _ => Given::Absent,
    }
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Whether a path's first part is a key of an event's payload.
pub(super) fn is_root(first: &str, row: &Row) -> bool {
    first == "event" || row.all_keys().any(|key| key.name == first)
}

fn unknown(text: &str, row: &Row) -> PatternFault {
    let message = format!("`{}` has no `{text}` to match with", row.name);
    let paths = row.paths();
    let help = match did_you_mean(text, paths.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {}", paths.join(", ")),
    };
    PatternFault::with(message, help)
}

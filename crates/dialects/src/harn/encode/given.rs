//! Where the values of a payload come from, without copying them.

use pintle_contract::Event;
use serde_json::{Map, Value};

/// One key of a payload.
#[derive(Debug, Clone, Copy)]
pub(in crate::harn) struct Key {
    pub(in crate::harn) name: &'static str,
    pub(in crate::harn) get: Get,
}

/// Where a key's value comes from.
#[derive(Debug, Clone, Copy)]
pub(in crate::harn) enum Get {
    /// A field of the canonical payload; the key is absent when the field is.
    Field(&'static str),
    /// Something else.
    Made(fn(&Event) -> Given<'_>),
    /// A table; absent when all its keys are.
    Table(&'static [Key]),
}

/// A value of a payload.
#[derive(Debug, Clone)]
pub(in crate::harn) enum Given<'a> {
    /// There is none.
    Absent,
    /// A text.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A value of the canonical payload.
    Value(&'a Value),
    /// A value that was made.
    Made(Value),
    /// A table of further keys.
    Table(&'static [Key]),
}

impl<'a> Given<'a> {
    /// A text, unless it is empty.
    pub(in crate::harn) fn some(text: &'a str) -> Self {
        if text.is_empty() { Self::Absent } else { Self::Text(text) }
    }

    /// The first of some fields that is there.
    pub(in crate::harn) fn first(event: &'a Event, fields: &[&str]) -> Self {
        let found = fields.iter().find_map(|field| event.payload.field(field));
        found.map_or(Self::Absent, Self::Value)
    }
}

impl Key {
    /// The key's value for an event.
    pub(in crate::harn) fn of<'a>(&self, event: &'a Event) -> Given<'a> {
        match self.get {
            Get::Field(name) => event.payload.field(name).map_or(Given::Absent, Given::Value),
            Get::Made(make) => make(event),
            Get::Table(keys) => Given::Table(keys),
        }
    }
}

/// The value as JSON; `None` for one that is absent.
pub(in crate::harn) fn to_value(given: Given<'_>, event: &Event) -> Option<Value> {
    Some(match given {
        Given::Absent => return None,
        Given::Text(text) => Value::from(text),
        Given::Number(number) => Value::from(number),
        Given::Value(value) => value.clone(),
        Given::Made(value) => value,
        Given::Table(keys) => {
            let mut fields = Map::with_capacity(keys.len());
            fill(&mut fields, keys, event);
            if fields.is_empty() {
                return None;
            }
            Value::Object(fields)
        }
    })
}

/// Adds the keys that are there.
pub(in crate::harn) fn fill<'k>(
    fields: &mut Map<String, Value>,
    keys: impl IntoIterator<Item = &'k Key>,
    event: &Event,
) {
    for key in keys {
        if let Some(value) = to_value(key.of(event), event) {
            fields.insert(key.name.to_owned(), value);
        }
    }
}

//! A payload described key by key, so that a reader takes what it wants and nothing else is made.

use serde_json::{Map, Value};

use crate::Event;

/// One key of a table.
#[derive(Debug, Clone, Copy)]
pub struct PayloadKey {
    /// Its name.
    pub name: &'static str,
    /// Where its value comes from.
    pub get: KeySource,
}

/// Where a key's value comes from.
#[derive(Debug, Clone, Copy)]
pub enum KeySource {
    /// A field of the canonical payload; the key is absent when the field is.
    Field(&'static str),
    /// Something else.
    Computed(fn(&Event) -> LazyValue<'_>),
    /// A table; absent when all its keys are.
    Table(&'static [PayloadKey]),
}

/// The value of a key.
#[derive(Debug, Clone)]
pub enum LazyValue<'a> {
    /// There is none.
    Absent,
    /// A text.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A value of the event's canonical payload, at its place there: whoever keeps what it made of it may know it again
    /// by its address.
    Value(&'a Value),
    /// A value that was made.
    Computed(Value),
    /// A table of further keys.
    Table(&'static [PayloadKey]),
}

/// The payload of one event by its keys.
#[derive(Debug, Clone, Copy)]
pub struct LazyPayload<'a> {
    event: &'a Event,
    keys: [&'static [PayloadKey]; 2],
}

impl PayloadKey {
    /// The key's value for an event.
    #[must_use]
    pub fn value_for<'a>(&self, event: &'a Event) -> LazyValue<'a> {
        match self.get {
            KeySource::Field(name) => event.payload.field(name).map_or(LazyValue::Absent, LazyValue::Value),
            KeySource::Computed(make) => make(event),
            KeySource::Table(keys) => LazyValue::Table(keys),
        }
    }
}

impl<'a> LazyValue<'a> {
    /// A text, unless it is empty.
    #[must_use]
    pub fn text_or_absent(text: &'a str) -> Self {
        if text.is_empty() { Self::Absent } else { Self::Text(text) }
    }

    /// The first of some fields of the canonical payload that is there.
    #[must_use]
    pub fn first_present(event: &'a Event, fields: &[&str]) -> Self {
        let found = fields.iter().find_map(|field| event.payload.field(field));
        found.map_or(Self::Absent, Self::Value)
    }

    /// The value as JSON; `None` for one that is absent, and for a table without a key that is there.
    #[must_use]
    pub fn to_value(self, event: &Event) -> Option<Value> {
        Some(match self {
            Self::Absent => return None,
            Self::Text(text) => Value::from(text),
            Self::Number(number) => Value::from(number),
            Self::Value(value) => value.clone(),
            Self::Computed(value) => value,
            Self::Table(keys) => {
                let fields = LazyPayload::new(event, [keys, &[]]).to_object();
                if fields.is_empty() {
                    return None;
                }
                Value::Object(fields)
            }
        })
    }
}

impl<'a> LazyPayload<'a> {
    /// The payload of an event: the keys of both tables, in order. No name may be in them twice.
    #[must_use]
    pub fn new(event: &'a Event, keys: [&'static [PayloadKey]; 2]) -> Self {
        Self { event, keys }
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &'a Event {
        self.event
    }

    /// The keys that may be there, in order.
    pub fn keys(&self) -> impl Iterator<Item = &'static PayloadKey> {
        self.keys.into_iter().flatten()
    }

    /// The key of a name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static PayloadKey> {
        self.keys().find(|key| key.name == name)
    }

    /// Whether no key is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys().all(|key| match key.value_for(self.event) {
            LazyValue::Absent => true,
            LazyValue::Table(keys) => Self::new(self.event, [keys, &[]]).is_empty(),
            LazyValue::Text(_) | LazyValue::Number(_) | LazyValue::Value(_) | LazyValue::Computed(_) => false,
        })
    }

    /// The payload as JSON: the keys that are there.
    #[must_use]
    pub fn to_object(&self) -> Map<String, Value> {
        let mut fields = Map::with_capacity(self.keys.iter().map(|keys| keys.len()).sum());
        for key in self.keys() {
            if let Some(value) = key.value_for(self.event).to_value(self.event) {
                fields.insert(key.name.to_owned(), value);
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{EventName, Origin};

    static INNER: &[PayloadKey] = &[
        PayloadKey { name: "prompt", get: KeySource::Field("prompt") },
        PayloadKey { name: "absent", get: KeySource::Field("absent") },
    ];
    static OUTER: &[PayloadKey] = &[
        PayloadKey { name: "agent", get: KeySource::Computed(|event| LazyValue::text_or_absent(&event.origin.agent)) },
        PayloadKey { name: "turn", get: KeySource::Computed(|event| LazyValue::Number(event.origin.turn.into())) },
    ];
    static MORE: &[PayloadKey] = &[
        PayloadKey {
            name: "empty",
            get: KeySource::Table(&[PayloadKey { name: "absent", get: KeySource::Field("absent") }]),
        },
        PayloadKey { name: "inner", get: KeySource::Table(INNER) },
        PayloadKey {
            name: "first",
            get: KeySource::Computed(|event| LazyValue::first_present(event, &["absent", "source"])),
        },
    ];

    #[test]
    fn a_payload_has_the_keys_that_are_there_in_order_and_gives_each_alone() {
        let origin = Arc::new(Origin { turn: 3, ..Origin::default() });
        let payload = json!({"prompt": "hi", "source": "user"});
        let event = Event::new(EventName::parse("prompt.submit").unwrap(), payload, origin);
        let parts = LazyPayload::new(&event, [OUTER, MORE]);
        let whole = parts.to_object();
        assert_eq!(Value::Object(whole.clone()).to_string(), r#"{"turn":3,"inner":{"prompt":"hi"},"first":"user"}"#);
        for key in parts.keys() {
            let found = parts.key(key.name).unwrap().value_for(&event);
            assert_eq!(found.to_value(&event).as_ref(), whole.get(key.name), "{}", key.name);
        }
        assert!(parts.key("unknown").is_none());
        assert!(!parts.is_empty());
        assert!(LazyPayload::new(&event, [&MORE[..1], &[]]).is_empty());
        let LazyValue::Value(found) = PayloadKey { name: "p", get: KeySource::Field("prompt") }.value_for(&event)
        else {
            panic!()
        };
        assert!(std::ptr::eq(found, event.payload.field("prompt").unwrap()));
    }
}

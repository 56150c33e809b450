//! A payload described key by key, so that only the keys that are read are computed.

use serde_json::{Map, Value};

use crate::Event;

/// One key of a table.
#[derive(Debug, Clone, Copy)]
pub struct PayloadKey {
    /// The name of the key.
    pub name: &'static str,
    /// Where the value comes from.
    pub get: KeySource,
}

/// Where the value of a key comes from.
#[derive(Debug, Clone, Copy)]
pub enum KeySource {
    /// A field of the canonical payload; the key is absent if the field is.
    Field(&'static str),
    /// A function of the event.
    Computed(fn(&Event) -> LazyValue<'_>),
    /// A nested table; absent if all its keys are.
    Table(&'static [PayloadKey]),
}

/// The value of a key.
#[derive(Debug, Clone)]
pub enum LazyValue<'a> {
    /// The key is absent.
    Absent,
    /// A string.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A reference into the event's canonical payload. A reader that caches conversions can use its address as the key.
    Value(&'a Value),
    /// A computed value.
    Computed(Value),
    /// A table of further keys.
    Table(&'static [PayloadKey]),
}

/// The payload of one event, by its keys.
#[derive(Debug, Clone, Copy)]
pub struct LazyPayload<'a> {
    event: &'a Event,
    keys: [&'static [PayloadKey]; 2],
}

impl PayloadKey {
    /// The value of the key for an event.
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
    /// A string, or absent if it is empty.
    #[must_use]
    pub fn text_or_absent(text: &'a str) -> Self {
        if text.is_empty() { Self::Absent } else { Self::Text(text) }
    }

    /// The first of several fields that the canonical payload has; absent if it has none of them.
    #[must_use]
    pub fn first_present(event: &'a Event, fields: &[&str]) -> Self {
        let found = fields.iter().find_map(|field| event.payload.field(field));
        found.map_or(Self::Absent, Self::Value)
    }

    /// Converts the value to JSON; `None` if it is absent, or a table without present keys.
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
    /// Creates the payload of an event from the keys of two tables, in order. A name must not occur in both.
    #[must_use]
    pub fn new(event: &'a Event, keys: [&'static [PayloadKey]; 2]) -> Self {
        Self { event, keys }
    }

    /// The event that the payload belongs to.
    #[must_use]
    pub fn event(&self) -> &'a Event {
        self.event
    }

    /// The keys that may be present, in order.
    pub fn keys(&self) -> impl Iterator<Item = &'static PayloadKey> {
        self.keys.into_iter().flatten()
    }

    /// Finds a key by name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static PayloadKey> {
        self.keys().find(|key| key.name == name)
    }

    /// Whether no key is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys().all(|key| match key.value_for(self.event) {
            LazyValue::Absent => true,
            LazyValue::Table(keys) => Self::new(self.event, [keys, &[]]).is_empty(),
            LazyValue::Text(_) | LazyValue::Number(_) | LazyValue::Value(_) | LazyValue::Computed(_) => false,
        })
    }

    /// Converts the present keys to a JSON object.
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

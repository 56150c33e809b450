//! Paths into an event's payload, resolved without building the payload.

use std::borrow::Cow;

use pintle_contract::{Event, KeySource, LazyValue, PayloadKey, suggest_or_list};
use serde_json::Value;

use crate::harn::HarnEventDef;
use crate::harn::fault::HarnFault;

/// A path such as `tool.args.path`, bound to the payload of one event.
#[derive(Debug, Clone)]
pub(super) struct FieldPath {
    text: String,
    key: &'static PayloadKey,
    /// The segments after the keys that the event always has.
    rest: Vec<String>,
}

impl FieldPath {
    pub(super) fn bind(text: &str, def: &'static HarnEventDef) -> Result<Self, HarnFault> {
        let mut segments = text.split('.').map(str::trim);
        let first = segments.next().unwrap_or_default();
        let mut key = def.all_keys().find(|key| key.name == first).ok_or_else(|| unknown_path(text, def))?;
        while let KeySource::Table(keys) = key.get {
            let Some(segment) = segments.next() else { break };
            key = keys.iter().find(|key| key.name == segment).ok_or_else(|| unknown_path(text, def))?;
        }
        Ok(Self { text: text.to_owned(), key, rest: segments.map(str::to_owned).collect() })
    }

    /// Whether it is the path of this string.
    pub(super) fn is_path(&self, path: Option<&str>) -> bool {
        path == Some(self.text.as_str())
    }

    /// The value as a string: empty if it is absent, and its JSON text if it is not a string.
    #[inline]
    pub(super) fn text<'a>(&'a self, event: &'a Event) -> Cow<'a, str> {
        // Nearly all patterns match a string of the canonical payload, such as the name of a tool.
        if let (KeySource::Field(name), true) = (self.key.get, self.rest.is_empty())
            && let Some(Value::String(text)) = event.payload.field(name)
        {
            return Cow::Borrowed(text);
        }
        self.any_text(event)
    }

    fn any_text<'a>(&'a self, event: &'a Event) -> Cow<'a, str> {
        match self.resolve(event) {
            LazyValue::Absent => Cow::Borrowed(""),
            LazyValue::Text(text) => Cow::Borrowed(text),
            LazyValue::Value(Value::String(text)) => Cow::Borrowed(text),
            LazyValue::Computed(Value::String(text)) => Cow::Owned(text),
            LazyValue::Number(number) => Cow::Owned(number.to_string()),
            LazyValue::Value(value) => Cow::Owned(value.to_string()),
            LazyValue::Computed(value) => Cow::Owned(value.to_string()),
            table @ LazyValue::Table(_) => {
                Cow::Owned(table.to_value(event).map(|value| value.to_string()).unwrap_or_default())
            }
        }
    }

    /// Whether the value is something other than false, 0 or empty.
    pub(super) fn is_truthy(&self, event: &Event) -> bool {
        match self.resolve(event) {
            LazyValue::Absent => false,
            LazyValue::Text(text) => !text.is_empty(),
            LazyValue::Number(number) => number != 0,
            LazyValue::Value(value) => is_truthy_value(value),
            LazyValue::Computed(value) => is_truthy_value(&value),
            table @ LazyValue::Table(_) => table.to_value(event).is_some(),
        }
    }

    fn resolve<'a>(&'a self, event: &'a Event) -> LazyValue<'a> {
        self.rest.iter().fold(self.key.value_for(event), |part, segment| child_value(part, segment, event))
    }
}

/// The value of a key. Lists have none.
fn child_value<'a>(value: LazyValue<'a>, segment: &str, event: &'a Event) -> LazyValue<'a> {
    match value {
        LazyValue::Value(Value::Object(fields)) => fields.get(segment).map_or(LazyValue::Absent, LazyValue::Value),
        LazyValue::Computed(Value::Object(mut fields)) => {
            fields.shift_remove(segment).map_or(LazyValue::Absent, LazyValue::Computed)
        }
        LazyValue::Table(keys) => {
            keys.iter().find(|key| key.name == segment).map_or(LazyValue::Absent, |key| key.value_for(event))
        }
        _ => LazyValue::Absent,
    }
}

fn is_truthy_value(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Whether a path's first segment is a key of an event's payload.
pub(super) fn is_root(first: &str, def: &HarnEventDef) -> bool {
    def.all_keys().any(|key| key.name == first)
}

fn unknown_path(text: &str, def: &HarnEventDef) -> HarnFault {
    let message = format!("`{}` has no field `{text}`", def.name);
    let paths = def.paths();
    let help = suggest_or_list(text, paths.iter().map(String::as_str), "its fields are");
    HarnFault::of_pattern(message, help)
}

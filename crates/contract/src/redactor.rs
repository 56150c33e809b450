//! Redaction: removing secrets from what is recorded, shown or sent.

use std::fmt::Debug;

use serde_json::{Map, Value};

/// Removes secrets from texts and values.
pub trait Redactor: Send + Sync + Debug {
    /// Redacts a text; `None` if it contains no secret.
    fn redact(&self, text: &str) -> Option<String>;

    /// Whether a text could contain a secret or the start of one. The check is cheap and may have false positives, but
    /// no false negatives. Default: true.
    fn may_contain_secret(&self, _text: &str) -> bool {
        true
    }

    /// Redacts the value of a field, whose name may show that it is a secret; otherwise like [`Redactor::redact`].
    fn redact_named(&self, _name: &str, text: &str) -> Option<String> {
        self.redact(text)
    }

    /// Redacts the strings and field names in a value, at any depth; `None` if it contains no secret.
    fn redact_value(&self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => self.redact(text).map(Value::String),
            Value::Array(items) => {
                let mut clean: Option<Vec<Value>> = None;
                for (index, item) in items.iter().enumerate() {
                    if let Some(item) = self.redact_value(item)
                        && let Some(place) = clean.get_or_insert_with(|| items.clone()).get_mut(index)
                    {
                        *place = item;
                    }
                }
                clean.map(Value::Array)
            }
            Value::Object(fields) => self.redact_fields(fields).map(Value::Object),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// Redacts the fields of an object, like [`Redactor::redact_value`].
    fn redact_fields(&self, fields: &Map<String, Value>) -> Option<Map<String, Value>> {
        let mut clean: Option<Map<String, Value>> = None;
        let mut renamed = Vec::new();
        for (name, value) in fields {
            if let Some(new) = self.redact(name) {
                renamed.push((name.as_str(), new));
            }
            let value = match value {
                Value::String(text) => self.redact_named(name, text).map(Value::String),
                _ => self.redact_value(value),
            };
            if let Some(value) = value {
                clean.get_or_insert_with(|| fields.clone()).insert(name.clone(), value);
            }
        }
        if renamed.is_empty() {
            return clean;
        }
        let fields = clean.unwrap_or_else(|| fields.clone());
        let name_of = |name: String| match renamed.iter().find(|(old, _)| *old == name) {
            Some((_, new)) => new.clone(),
            None => name,
        };
        Some(fields.into_iter().map(|(name, value)| (name_of(name), value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug)]
    struct HushRedactor;

    impl Redactor for HushRedactor {
        fn redact(&self, text: &str) -> Option<String> {
            text.contains("hush").then(|| text.replace("hush", "-"))
        }

        fn redact_named(&self, name: &str, text: &str) -> Option<String> {
            if name == "pin" { Some(String::from("-")) } else { self.redact(text) }
        }
    }

    #[test]
    fn secrets_at_any_depth_and_in_names_are_redacted_in_order() {
        let cases = [
            (json!({"a": 1, "b": ["x", {"c": null}]}), None),
            (json!("hush now"), Some(json!("- now"))),
            (json!({"a": ["x", {"b": "hush"}], "z": 1.50}), Some(json!({"a": ["x", {"b": "-"}], "z": 1.50}))),
            (json!({"a": 1, "my hush": {"pin": "1234"}, "b": 2}), Some(json!({"a": 1, "my -": {"pin": "-"}, "b": 2}))),
        ];
        for (value, expected) in cases {
            let clean = HushRedactor.redact_value(&value);
            assert_eq!(clean.as_ref().map(ToString::to_string), expected.as_ref().map(ToString::to_string), "{value}");
        }
    }
}

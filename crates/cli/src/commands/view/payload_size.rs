//! Keeps answers small: what tapes hold may be as large as a model's whole conversation.

use pintle_host::tape::show::RemovedTexts;
use serde_json::{Map, Value};

/// Most bytes of one text.
const MAX_TEXT_BYTES: usize = 20_000;
/// Most bytes of all texts of an answer's value together, about.
const MAX_VALUE_BYTES: usize = 300_000;
/// What each value costs beside its text.
const VALUE_BYTES: usize = 16;

/// Copies values as far as they are not too large, without what hooks removed.
pub(super) struct ValueLimit<'r> {
    removed: &'r RemovedTexts,
    bytes_left: usize,
}

impl<'r> ValueLimit<'r> {
    pub(super) fn new(removed: &'r RemovedTexts) -> Self {
        Self { removed, bytes_left: MAX_VALUE_BYTES }
    }

    /// Copies a value. What is too large says how large it is.
    pub(super) fn copy(&mut self, value: &Value) -> Value {
        if self.bytes_left == 0 {
            return Value::from("(left out: too large)");
        }
        self.bytes_left = self.bytes_left.saturating_sub(VALUE_BYTES);
        match value {
            Value::String(text) => Value::from(self.copy_text(text)),
            Value::Array(items) => {
                let mut copied = Vec::new();
                for item in items {
                    copied.push(self.copy(item));
                    if self.bytes_left == 0 {
                        break;
                    }
                }
                if let Some(left_out) = items.len().checked_sub(copied.len()).filter(|count| *count > 0) {
                    copied.push(Value::from(format!("(left out: {left_out} more)")));
                }
                Value::Array(copied)
            }
            Value::Object(fields) => {
                let mut copied = Map::new();
                for (name, field) in fields {
                    let name = self.copy_text(name);
                    let field = self.copy(field);
                    copied.insert(name, field);
                    if self.bytes_left == 0 {
                        break;
                    }
                }
                if let Some(left_out) = fields.len().checked_sub(copied.len()).filter(|count| *count > 0) {
                    copied.insert(String::from("(left out)"), Value::from(left_out));
                }
                Value::Object(copied)
            }
            value => value.clone(),
        }
    }

    fn copy_text(&mut self, text: &str) -> String {
        let copied = self.removed.replacement_for(text).unwrap_or_else(|| {
            let most = self.bytes_left.min(MAX_TEXT_BYTES);
            match text.len().checked_sub(most).filter(|more| *more > 0) {
                None => text.to_owned(),
                Some(_) => {
                    let kept = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
                    format!("{kept}… (and {} bytes more)", text.len() - kept.len())
                }
            }
        });
        self.bytes_left = self.bytes_left.saturating_sub(copied.len());
        copied
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_of_any_size_is_copied_as_far_as_it_is_small() {
        let removed = RemovedTexts::default();
        let copy = |value: &Value| ValueLimit::new(&removed).copy(value);
        let small = json!({"a": [1, "two", null, {"b": true}]});
        assert_eq!(copy(&small), small);
        for large in [
            json!("é".repeat(400_000)),
            json!(vec!["x".repeat(1_000); 4_000]),
            json!(vec![0; 400_000]),
            Value::Object((0..100_000).map(|number| (format!("field {number}"), json!("text"))).collect()),
        ] {
            let copied = copy(&large).to_string();
            assert!(copied.len() < 2 * MAX_VALUE_BYTES, "{}", copied.len());
            assert!(copied.contains("more)") || copied.contains("(left out)"));
        }
    }
}

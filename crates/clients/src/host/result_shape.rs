//! Writes results in the structure of the host's own tool results.

use serde_json::{Map, Value};

/// Fields that contain the text of a result, in order of preference.
const TEXTS: [&str; 8] = ["stdout", "content", "text", "output", "result", "llmContent", "message", "error"];
/// Fields that describe a result instead of containing it. Without them the host does not recognise the result.
const MARKS: [&str; 3] = ["type", "filePath", "mimeType"];

/// A hook's result in the structure of the original: a host that checks the structure ignores any other. The text
/// replaces the original's text, and every other text in it is removed.
#[must_use]
pub fn shape_like(original: &Value, changed: &Value) -> Value {
    if json_kind_rank(original) == json_kind_rank(changed) || original.is_null() {
        return changed.clone();
    }
    let text = match changed {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut shape = without_texts(original);
    if put_text(&mut shape, &text) { shape } else { Value::String(text) }
}

fn json_kind_rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// The same structure without texts.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => Value::String(String::new()),
        Value::Array(items) => Value::Array(items.iter().map(without_texts).collect()),
        Value::Object(fields) => {
            let kept = |name: &str, value: &Value| {
                if MARKS.contains(&name) { value.clone() } else { without_texts(value) }
            };
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), kept(name, value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Inserts a text where the structure allows it.
fn put_text(shape: &mut Value, text: &str) -> bool {
    match shape {
        Value::String(place) => {
            text.clone_into(place);
            true
        }
        Value::Array(items) => items.iter_mut().any(|item| put_text(item, text)),
        Value::Object(fields) => {
            let known = TEXTS.into_iter().find(|name| fields.get(*name).is_some_and(Value::is_string));
            if let Some(place) = known.and_then(|name| fields.get_mut(name)) {
                return put_text(place, text);
            }
            fields.iter_mut().any(|(name, value)| !MARKS.contains(&name.as_str()) && put_text(value, text))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_takes_the_place_of_the_text_and_the_form_stays() {
        let shell = json!({"stdout": "secret", "stderr": "more", "interrupted": false, "isImage": false});
        let read = json!({"type": "text", "file": {"filePath": "/a", "content": "secret", "numLines": 2}});
        let server = json!([{"type": "text", "text": "secret"}, {"type": "text", "text": "more"}]);
        for (original, expected) in [
            (shell, json!({"stdout": "NO", "stderr": "", "interrupted": false, "isImage": false})),
            (read, json!({"type": "text", "file": {"filePath": "/a", "content": "NO", "numLines": 2}})),
            (server, json!([{"type": "text", "text": "NO"}, {"type": "text", "text": ""}])),
            (json!("secret"), json!("NO")),
            (json!({"count": 1}), json!("NO")),
            (Value::Null, json!("NO")),
        ] {
            assert_eq!(shape_like(&original, &json!("NO")), expected, "{original}");
        }
        assert_eq!(shape_like(&json!({"stdout": "a"}), &json!({"stdout": "b"})), json!({"stdout": "b"}));
        assert_eq!(shape_like(&json!("a"), &json!({"b": 1})), json!("{\"b\":1}"));
    }
}

//! Extracts the JSON answer from a program's output.

use std::borrow::Cow;

use pintle_contract::read_json;
use serde_json::{Map, Value};

use crate::refusal::refuses;

/// The output without progress lines.
pub(super) fn strip_progress(text: &str) -> Cow<'_, str> {
    if !text.contains("\"progress\"") {
        return Cow::Borrowed(text);
    }
    let is_progress = |line: &str| {
        let object: Option<Map<String, Value>> = read_json(line.trim()).ok();
        object.is_some_and(|object| {
            object.get("type").and_then(Value::as_str) == Some("progress")
                && !object.iter().any(|(name, value)| refuses(name, value))
        })
    };
    Cow::Owned(text.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_progress_are_no_answer() {
        for (text, wanted) in [
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("{\"type\":\"progress\",\"message\":\"x\"}\n{\"a\": 1}\n", "{\"a\": 1}"),
            ("{\"type\":\"progress\"}", ""),
            (
                "{\"type\":\"progress\",\"permissionDecision\":\"deny\"}",
                "{\"type\":\"progress\",\"permissionDecision\":\"deny\"}",
            ),
            ("{\"a\": \"progress\"}", "{\"a\": \"progress\"}"),
        ] {
            assert_eq!(strip_progress(text), wanted, "{text}");
        }
    }
}

//! Describes returned and accepted values for messages.

use serde_json::Value;

use super::tables::ReturnTable;
use crate::harn::event_def::{HarnEventDef, HarnRewrite};

/// The type of a value, for messages.
pub(super) fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// The values that hooks of an event may return.
pub(super) fn accepted_values(def: &HarnEventDef) -> String {
    let mut words = vec![String::from("nil"), String::from("true")];
    if def.veto {
        words.push(String::from("false"));
    }
    words.extend(def.empty_word.map(|word| format!("\"{word}\"")));
    if def.rewrites == Some(HarnRewrite::Result) {
        words.push(String::from("a string"));
    }
    let keys = ReturnTable::keys(def).filter(|key| key.is_primary).map(|key| key.name).chain(["reminder"]);
    let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    format!("{} or a table with {}", words.join(", "), join_words(&keys))
}

/// `a, b or c`.
fn join_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

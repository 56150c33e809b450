//! The keys that a returned table may have, by what its event supports.

use pintle_contract::suggest_nearest;
use serde_json::Value;

use crate::harn::event_def::{HarnEventDef, HarnRewrite};

/// One key of a returned table.
#[derive(Debug)]
pub(super) struct TableKey {
    pub(super) name: &'static str,
    /// Whether it has a meaning of its own, without another key.
    pub(super) is_primary: bool,
    is_supported_by: fn(&HarnEventDef) -> bool,
}

/// The control keys.
pub(super) struct ReturnTable;

const fn table_key(name: &'static str, is_primary: bool, is_supported_by: fn(&HarnEventDef) -> bool) -> TableKey {
    TableKey { name, is_primary, is_supported_by }
}

const KEYS: &[TableKey] = &[
    table_key("block", true, |row| row.veto),
    table_key("deny", true, |row| row.veto),
    table_key("decision", true, |row| row.decides),
    table_key("reason", false, |row| row.veto),
    table_key("action", false, |row| row.rewrites == Some(HarnRewrite::StepArguments)),
    table_key("args", true, takes_arguments),
    table_key("output", true, |row| row.rewrites == Some(HarnRewrite::Output)),
    table_key("result", true, gives_results),
    table_key("modify", false, is_step),
    table_key("truncated", false, |row| row.rewrites == Some(HarnRewrite::Result)),
    table_key("dropped_bytes", false, |row| row.rewrites == Some(HarnRewrite::Result)),
    table_key("denial", false, |row| row.rewrites == Some(HarnRewrite::Result)),
];

fn takes_arguments(def: &HarnEventDef) -> bool {
    matches!(def.rewrites, Some(HarnRewrite::Arguments | HarnRewrite::StepArguments))
}

fn gives_results(def: &HarnEventDef) -> bool {
    matches!(def.rewrites, Some(HarnRewrite::Result | HarnRewrite::Output))
}

fn is_step(def: &HarnEventDef) -> bool {
    matches!(def.rewrites, Some(HarnRewrite::StepArguments | HarnRewrite::Output))
}

impl ReturnTable {
    /// The keys that an event supports.
    pub(super) fn keys(def: &HarnEventDef) -> impl Iterator<Item = &'static TableKey> {
        KEYS.iter().filter(move |key| (key.is_supported_by)(def))
    }

    /// Whether a key is a control key of any event.
    pub(super) fn is_control(name: &str) -> bool {
        KEYS.iter().any(|key| key.name == name)
    }

    /// What is wrong with a key, if anything.
    pub(super) fn explain_unsupported(name: &str, def: &HarnEventDef) -> Option<String> {
        if Self::keys(def).any(|key| key.name == name) {
            return None;
        }
        if Self::is_control(name) {
            return Some(format!("a table with `{name}`, which this event does not support"));
        }
        let known = Self::keys(def).map(|key| key.name).chain(["reminder", "then", "effects", "body"]);
        let hint = suggest_nearest(name, known).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        Some(format!("a table with the unknown key `{name}`{hint}"))
    }
}

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

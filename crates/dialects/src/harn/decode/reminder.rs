//! Decodes reminders.

use pintle_contract::{Reminder, ReminderAuthority, ReminderPropagation, ReminderRoleHint, suggest_nearest};
use serde_json::{Map, Value};

use super::tables::value_kind;

/// The keys of a reminder. `goal_pin` is known but has no effect.
pub(super) const KEYS: [&str; 9] = [
    "body",
    "tags",
    "dedupe_key",
    "ttl_turns",
    "preserve_on_compact",
    "propagate",
    "role_hint",
    "authority",
    "goal_pin",
];

/// A decoded reminder.
#[derive(Debug, PartialEq)]
pub(super) struct ParsedReminder {
    pub(super) reminder: Reminder,
    pub(super) warning: Option<String>,
}

/// Decodes a reminder.
///
/// # Errors
/// What is wrong with it, with Harn's error code if there is one.
pub(super) fn read(spec: Value) -> Result<ParsedReminder, String> {
    let Value::Object(mut fields) = spec else {
        return Err(format!("a reminder must be a table, not {}", value_kind(&spec)));
    };
    fields.retain(|_, value| !value.is_null());
    check_unknown_keys(&fields)?;
    let body = match fields.remove("body") {
        Some(Value::String(body)) if !body.trim().is_empty() => body.trim().to_owned(),
        _ => return Err(String::from("`body` must be a non-empty string")),
    };
    let warning = fields
        .remove("goal_pin")
        .map(|_| String::from("`goal_pin` of a reminder has no effect: Pintle does not pin goals"));
    let reminder = Reminder {
        body,
        tags: read_tags(fields.remove("tags"))?,
        dedupe_key: read_key(fields.remove("dedupe_key"))?,
        ttl_turns: read_turns(fields.remove("ttl_turns"))?,
        preserve_on_compact: match fields.remove("preserve_on_compact") {
            None => false,
            Some(Value::Bool(said)) => said,
            Some(other) => return Err(type_error("preserve_on_compact", "true or false", &other)),
        },
        propagate: read_word(fields.remove("propagate"), "propagate", "HARN-RMD-005: ", &PROPAGATE)?,
        role_hint: read_word(fields.remove("role_hint"), "role_hint", "", &ROLES)?,
        authority: read_word(fields.remove("authority"), "authority", "", &AUTHORITY)?,
    };
    Ok(ParsedReminder { reminder, warning })
}

const PROPAGATE: [(&str, ReminderPropagation); 3] =
    [("all", ReminderPropagation::All), ("session", ReminderPropagation::Session), ("none", ReminderPropagation::None)];

const ROLES: [(&str, ReminderRoleHint); 4] = [
    ("system", ReminderRoleHint::System),
    ("developer", ReminderRoleHint::Developer),
    ("user_block", ReminderRoleHint::UserBlock),
    ("ephemeral_cache", ReminderRoleHint::EphemeralCache),
];

const AUTHORITY: [(&str, ReminderAuthority); 3] = [
    ("contract", ReminderAuthority::Contract),
    ("corrective", ReminderAuthority::Corrective),
    ("advisory", ReminderAuthority::Advisory),
];

fn check_unknown_keys(fields: &Map<String, Value>) -> Result<(), String> {
    let strange: Vec<&str> = fields.keys().map(String::as_str).filter(|key| !KEYS.contains(key)).collect();
    let Some(first) = strange.first() else { return Ok(()) };
    let hint = suggest_nearest(first, KEYS).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let names: Vec<String> = strange.iter().map(|key| format!("`{key}`")).collect();
    Err(format!("HARN-RMD-001: unknown reminder option {}{hint}", names.join(", ")))
}

/// Decodes unique, trimmed tags.
fn read_tags(value: Option<Value>) -> Result<Vec<String>, String> {
    let items = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(type_error("tags", "a list of strings", &other)),
    };
    let mut tags: Vec<String> = Vec::with_capacity(items.len());
    for item in items {
        let Value::String(tag) = item else {
            return Err(format!("`tags` must contain strings, not {}", value_kind(&item)));
        };
        let tag = tag.trim();
        if !tag.is_empty() && tags.iter().all(|known| known != tag) {
            tags.push(tag.to_owned());
        }
    }
    Ok(tags)
}

fn read_key(value: Option<Value>) -> Result<Option<String>, String> {
    match value {
        None => Ok(None),
        Some(Value::String(key)) if !key.trim().is_empty() => Ok(Some(key.trim().to_owned())),
        Some(Value::String(_)) => Err(String::from("`dedupe_key` must not be empty")),
        Some(other) => Err(type_error("dedupe_key", "a string", &other)),
    }
}

fn read_turns(value: Option<Value>) -> Result<Option<u32>, String> {
    let Some(value) = value else { return Ok(None) };
    if !value.is_number() {
        return Err(type_error("ttl_turns", "a whole number above 0", &value));
    }
    let turns = value.as_u64().and_then(|turns| u32::try_from(turns).ok()).filter(|turns| *turns > 0);
    turns.map(Some).ok_or_else(|| format!("`ttl_turns` must be a whole number above 0, not {value}"))
}

fn read_word<T: Copy + Default, const N: usize>(
    value: Option<Value>,
    name: &str,
    code: &str,
    words: &[(&str, T); N],
) -> Result<T, String> {
    let all = || words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    match value {
        None => Ok(T::default()),
        Some(Value::String(text)) => {
            let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
            found.ok_or_else(|| format!("{code}`{name}` must be one of {}, not \"{text}\"", all()))
        }
        Some(other) => Err(format!("{code}`{name}` must be one of {}, not {}", all(), value_kind(&other))),
    }
}

fn type_error(name: &str, wanted: &str, value: &Value) -> String {
    format!("`{name}` must be {wanted}, not {}", value_kind(value))
}

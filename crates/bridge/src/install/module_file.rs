//! Handles a module of code that has a table with one entry a line.

use serde_json::{Map, Value};

use super::{InstalledEntry, line};

/// The entries in the text of a module. Foreign lines are no entries.
pub(super) fn own_entries(text: &str, host: &str) -> Vec<InstalledEntry> {
    let entry = |line: &str| {
        let fields: Map<String, Value> =
            serde_json::from_str(&format!("{{{}}}", line.trim().trim_end_matches(','))).ok()?;
        let (event, hook) = fields.into_iter().next()?;
        let command = hook.get("command")?.as_str()?.to_owned();
        line::parse_own_command(&command, host)?;
        let timeout_ms = hook.get("timeoutMs").and_then(Value::as_u64).unwrap_or_default();
        Some(InstalledEntry { event, command, timeout_ms })
    };
    text.lines().filter_map(entry).collect()
}

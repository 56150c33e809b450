//! The keys that a returned table may have, by what its event supports.

use pintle_contract::suggest_nearest;

use crate::harn::row::{Rewrites, Row};

/// One key.
#[derive(Debug)]
pub(super) struct TableKey {
    pub(super) name: &'static str,
    /// Whether it means something by itself, rather than beside another.
    pub(super) leads: bool,
    /// Whether an event supports it.
    on: fn(&Row) -> bool,
}

/// The keys that say what is to be done.
pub(super) struct Table;

const KEYS: &[TableKey] = &[
    TableKey { name: "block", leads: true, on: |row| row.veto },
    TableKey { name: "deny", leads: true, on: |row| row.veto },
    TableKey { name: "decision", leads: true, on: |row| row.decides },
    TableKey { name: "reason", leads: false, on: |row| row.veto },
    TableKey { name: "action", leads: false, on: |row| row.rewrites == Some(Rewrites::StepArguments) },
    TableKey { name: "args", leads: true, on: |row| takes_arguments(row) },
    TableKey { name: "output", leads: true, on: |row| row.rewrites == Some(Rewrites::Output) },
    TableKey { name: "result", leads: true, on: |row| gives_results(row) },
    TableKey { name: "modify", leads: false, on: |row| is_step(row) },
    TableKey { name: "truncated", leads: false, on: |row| row.rewrites == Some(Rewrites::Result) },
    TableKey { name: "dropped_bytes", leads: false, on: |row| row.rewrites == Some(Rewrites::Result) },
    TableKey { name: "denial", leads: false, on: |row| row.rewrites == Some(Rewrites::Result) },
];

fn takes_arguments(row: &Row) -> bool {
    matches!(row.rewrites, Some(Rewrites::Arguments | Rewrites::StepArguments))
}

fn gives_results(row: &Row) -> bool {
    matches!(row.rewrites, Some(Rewrites::Result | Rewrites::Output))
}

fn is_step(row: &Row) -> bool {
    matches!(row.rewrites, Some(Rewrites::StepArguments | Rewrites::Output))
}

impl Table {
    /// The keys of an event.
    pub(super) fn keys(row: &Row) -> impl Iterator<Item = &'static TableKey> {
        KEYS.iter().filter(move |key| (key.on)(row))
    }

    /// Whether a key says what is to be done, on some event.
    pub(super) fn is_control(name: &str) -> bool {
        KEYS.iter().any(|key| key.name == name)
    }

    /// What is wrong with a key, when something is.
    pub(super) fn objection(name: &str, row: &Row) -> Option<String> {
        if Self::keys(row).any(|key| key.name == name) {
            return None;
        }
        if Self::is_control(name) {
            return Some(format!("a table with `{name}`, which this event does not support"));
        }
        let known = Self::keys(row).map(|key| key.name).chain(["reminder", "then", "effects", "body"]);
        let hint = suggest_nearest(name, known).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        Some(format!("a table with the unknown key `{name}`{hint}"))
    }
}

//! Texts that hooks removed, which are hidden in the host's own records.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::{Decision, EventKind};
use serde_json::Value;

use super::style::single_line;
use crate::record::{OutcomeRecord, Record, RecordBody};

/// The payload fields with text of a model or a tool.
const TEXTS: [&str; 4] = ["text", "response", "content", "result"];

/// The events whose denial removes their text.
const WITHHELD_IF_DENIED: [EventKind; 4] =
    [EventKind::CompletionPost, EventKind::AgentStop, EventKind::TurnEnd, EventKind::ToolResult];

/// Shorter texts may be part of another text by chance.
const SHORTEST_PART_BYTES: usize = 4;

/// Every text of a tape that a hook rewrote or denied, as it was before.
#[derive(Debug, Clone, Default)]
pub struct RemovedTexts {
    texts: BTreeSet<String>,
    /// The payloads of the open dispatches: as fired, and the newest version.
    open: BTreeMap<u64, (Value, Option<Value>)>,
}

impl RemovedTexts {
    /// The removed texts of these records.
    #[must_use]
    pub fn from_records(records: &[Record<'_>]) -> Self {
        let mut removed = Self::default();
        records.iter().for_each(|record| removed.add(&record.body));
        removed
    }

    /// Adds the next record.
    pub fn add(&mut self, body: &RecordBody<'_>) {
        match body {
            // No hook removed anything.
            RecordBody::Event(fired) if fired.outcome().is_some() => {}
            RecordBody::Event(fired) => {
                self.open.insert(fired.dispatch, (fired.payload.clone().into_owned(), None));
            }
            RecordBody::HookCall(call) => {
                let seen = call.value.as_deref().cloned();
                if let (Some(seen), Some((_, newest))) = (seen, self.open.get_mut(&call.dispatch)) {
                    *newest = Some(seen);
                }
            }
            RecordBody::Outcome(decided) => self.conclude(decided),
            _ => {}
        }
    }

    fn conclude(&mut self, record: &OutcomeRecord<'_>) {
        let Some((before, newest)) = self.open.remove(&record.dispatch) else { return };
        let is_withheld = || EventKind::from_name(&record.event).is_some_and(|kind| WITHHELD_IF_DENIED.contains(&kind));
        let is_refused = record.decision == Decision::Deny && is_withheld();
        let after = record.value.as_deref().or(newest.as_ref()).filter(|_| record.rewritten);
        for name in TEXTS {
            let Some(old) = before.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()) else { continue };
            let is_changed = after.is_some_and(|after| after.get(name).and_then(Value::as_str) != Some(old));
            if is_refused || is_changed {
                self.texts.insert(old.to_owned());
            }
        }
    }

    /// The replacement for a record's text that contains a removed text.
    #[must_use]
    pub fn replacement_for(&self, text: &str) -> Option<String> {
        let is_in = |removed: &String| {
            text == removed || (removed.len() >= SHORTEST_PART_BYTES && text.contains(removed.as_str()))
        };
        self.texts.iter().any(is_in).then(|| format!("({} bytes, removed by a hook)", text.len()))
    }

    /// A text of the tape, truncated and safe on a terminal; if it contains a removed text, how long it is.
    #[must_use]
    pub fn display_text(&self, text: &str, chars: usize) -> String {
        self.replacement_for(text).unwrap_or_else(|| single_line(text, chars))
    }
}

//! What the outcomes on a tape leave in the session.

use pintle_host::tape::record::OutcomeRecord;
use pintle_host::{Decision, Effect, EventKind};
use serde_json::Value;

use super::super::open_event::{OpenEvent, PayloadOnTape};
use super::TapeFold;

impl TapeFold<'_> {
    /// Applies the outcome of a dispatch; `line` as for a record.
    pub(super) fn apply_outcome(&mut self, mut record: OutcomeRecord<'static>, line: Option<Vec<u8>>) {
        let Some(mut open) = self.open_events.remove(&record.dispatch) else { return };
        if let Some(value) = record.value.take() {
            open.versions.push((record.payload, PayloadOnTape { value: value.into_owned(), line }));
        }
        let index = open.versions.iter().position(|(version, _)| *version == record.payload);
        let last = index.map_or_else(|| open.payload.clone(), |index| open.versions.swap_remove(index).1);
        let text = |name: &str| last.value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if open.is_main {
            self.apply_main_outcome(&open, &record, &text);
        }
        match open.kind {
            Some(EventKind::CompletionPre) => {
                self.request_payloads.insert(open.run, (record.dispatch, last.into_recorded()));
            }
            Some(EventKind::ToolPre) => drop(self.guarded_calls.insert((open.run, text("id")), last.value)),
            _ => {}
        }
    }

    /// Applies the outcome of an event of the session's own agent; `text` reads its final payload.
    fn apply_main_outcome(&mut self, open: &OpenEvent, record: &OutcomeRecord<'_>, text: &dyn Fn(&str) -> String) {
        self.take_notes(open, record);
        if open.kind == Some(EventKind::StepPre) && record.decision == Decision::Deny {
            self.steps.refuse(&text("persona"), &text("step"));
        }
        let Some(turn) = &mut self.interrupted_turn else { return };
        match open.kind {
            Some(EventKind::AgentStop) if record.decision == Decision::Deny => {
                turn.progress.continuations += 1;
                turn.progress.is_done = false;
            }
            Some(EventKind::ToolPost) => {
                let stop = record.reasons.iter().find(|reason| reason.stops_run);
                turn.last_batch.stop = turn.last_batch.stop.take().or_else(|| stop.map(|reason| reason.text.clone()));
            }
            Some(EventKind::SessionResume) if record.decision == Decision::Allow => {
                let raised = open.payload.value.get("new_max_iterations").and_then(Value::as_u64);
                turn.limit = raised.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)).or(turn.limit);
            }
            _ => {}
        }
    }

    /// Adds the context from the hooks of a dispatch.
    fn take_notes(&mut self, open: &OpenEvent, record: &OutcomeRecord<'_>) {
        let Some(kind) = open.kind else { return };
        for told in &record.effects {
            let Effect::Context(text) = &*told.effect else { continue };
            let mut notes =
                self.interrupted_turn.as_mut().map(|turn| std::mem::take(&mut turn.notes)).unwrap_or_default();
            notes.add(kind, text);
            self.restored.add_notes(kind, std::mem::take(&mut notes.persistent));
            if let Some(turn) = &mut self.interrupted_turn {
                turn.notes = notes;
            }
        }
    }
}

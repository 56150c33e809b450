//! Writes checkpoints onto a tape.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::json;

use super::output::TapeOutput;
use crate::checkpoint::{CheckpointSigner, CheckpointText};
use crate::record::host::{HostRecord, TurnPhase};
use crate::record::{CheckpointRecord, NoteRecord, RecordBody};

/// The kind of the note that says why a tape has no checkpoints.
pub(crate) const UNSIGNED: &str = "unsigned";

/// What the writer knows about the checkpoints of a tape.
#[derive(Debug, Default)]
pub(super) struct CheckpointState {
    /// Who signs them; without one there are none.
    pub(super) signer: Option<Arc<dyn CheckpointSigner>>,
    /// The number of records up to the last one.
    pub(super) covered: u64,
    /// Whether the tape says why it has none.
    pub(super) is_unsigned: bool,
}

impl TapeOutput {
    /// Writes a checkpoint if `record_count` records or more have none. If it cannot be signed, the tape says why, once.
    pub(super) fn put_checkpoint(&mut self, record_count: u64, is_end: bool) {
        let Some(signer) = self.checkpoints.signer.clone() else { return };
        let Some(header) = &self.lines.header else { return };
        if self.error.is_some() || self.lines.next_seq < self.checkpoints.covered.saturating_add(record_count) {
            return;
        }
        let text = CheckpointText::new(header, &self.lines.tree).with_end(is_end).to_string();
        // A tape that was merged again has the same lines as before, so they do not depend on the clock.
        let at_ms = self.last_ms;
        match signer.sign(&text) {
            Ok(signatures) => {
                let note = format!("{text}\n{signatures}");
                self.put_record(at_ms, RecordBody::Checkpoint(CheckpointRecord { note: Cow::Borrowed(&note) }), None);
                if self.error.is_none() {
                    signer.publish(&note);
                }
            }
            Err(_) if self.checkpoints.is_unsigned => {}
            Err(reason) => {
                let data = Cow::Owned(json!({ "reason": reason }));
                self.put_record(at_ms, RecordBody::Note(NoteRecord { kind: Cow::Borrowed(UNSIGNED), data }), None);
                self.checkpoints.is_unsigned = true;
            }
        }
        self.checkpoints.covered = self.lines.next_seq;
    }
}

/// Whether a turn of the session ends with a record.
pub(super) fn ends_turn(body: &RecordBody<'_>) -> bool {
    matches!(body, RecordBody::Host(HostRecord::Turn(turn)) if turn.phase == TurnPhase::End && turn.origin.depth == 0)
}

/// Whether a dispatch ends with a record, so that a checkpoint after it separates nothing.
pub(super) fn ends_dispatch(body: &RecordBody<'_>) -> bool {
    body.outcome().is_some()
}

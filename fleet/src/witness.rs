//! The collector as a witness: it keeps the checkpoints of tapes, and accepts only those that are about what it has.

use pintle_tape::checkpoint::{CheckpointText, SignedNote, TreeFrontier};
use serde::Deserialize;

use crate::protocol::{CheckedLine, TapeBatch};

/// The kind of records with checkpoints.
const CHECKPOINT: &str = "checkpoint";

/// A checkpoint that is about the lines before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WitnessedCheckpoint {
    /// The number of those lines.
    pub(crate) size: u64,
    /// The signed note.
    pub(crate) note: String,
}

#[derive(Deserialize)]
struct CheckpointNoteFields {
    note: String,
}

/// Adds lines to the tree of a tape, and collects the checkpoints in them.
///
/// # Errors
/// When one of them is about something else than the lines before it.
pub(crate) fn collect_checkpoints(
    batch: &TapeBatch,
    lines: &[CheckedLine],
    tree: &mut TreeFrontier,
) -> Result<Vec<WitnessedCheckpoint>, String> {
    let mut checkpoints = Vec::new();
    for ((seq, line), text) in (batch.from..).zip(lines).zip(&batch.lines) {
        if line.kind == CHECKPOINT {
            let expected = CheckpointText::new(&batch.tape, tree);
            let invalid = || format!("line {seq} of the tape is not a signed checkpoint");
            let CheckpointNoteFields { note } = serde_json::from_str(text).map_err(|_| invalid())?;
            let found = SignedNote::parse(&note).and_then(|note| note.text.parse::<CheckpointText>().ok());
            if !found.ok_or_else(invalid)?.has_same_records(&expected) {
                return Err(format!(
                    "line {seq} of the tape contradicts it: this checkpoint was not signed for the {} records that are stored",
                    tree.size()
                ));
            }
            checkpoints.push(WitnessedCheckpoint { size: tree.size(), note });
        }
        tree.push(&line.digest_bytes);
    }
    Ok(checkpoints)
}

/// What it means that lines from the start of a tape are sent again, of which a checkpoint is stored: why they are not those
/// that were signed, if they are not.
pub(crate) fn find_contradiction(batch: &TapeBatch, checkpoint: &WitnessedCheckpoint) -> Option<String> {
    let lines = batch.lines.get(..usize::try_from(checkpoint.size).ok()?)?;
    let mut tree = TreeFrontier::default();
    lines.iter().for_each(|line| tree.push(&crate::protocol::digest_of(line.as_bytes())));
    let found = CheckpointText::new(&batch.tape, &tree);
    let signed = SignedNote::parse(&checkpoint.note).and_then(|note| note.text.parse::<CheckpointText>().ok());
    let agrees = signed.is_some_and(|signed| signed.has_same_records(&found));
    (!agrees).then(|| {
        format!(
            "its first {} records are not those that this machine signed before: the tape was changed, and the collector \
             witnessed the checkpoint",
            checkpoint.size
        )
    })
}

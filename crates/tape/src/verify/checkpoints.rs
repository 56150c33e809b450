//! Checks that the checkpoints of a tape are about its records.

use super::chain::ChainCheck;
use super::{CheckpointEntry, FindingSink};
use crate::checkpoint::{CheckpointText, SignedNote};
use crate::record::CheckpointRecord;

/// Checks the text of a checkpoint by the records before it. Returns it unless it is about something else.
pub(super) fn check_checkpoint(
    checkpoint: &CheckpointRecord<'_>,
    links: &ChainCheck,
    findings: &mut FindingSink<'_>,
) -> Option<CheckpointEntry> {
    let expected = CheckpointText::new(links.header.as_deref().unwrap_or_default(), &links.tree);
    let text = SignedNote::parse(&checkpoint.note).ok_or_else(|| String::from("it has no text with signatures"));
    let text = match text.and_then(|note| note.text.parse::<CheckpointText>()) {
        Ok(text) => text,
        Err(reason) => {
            findings.add(format!("`note` is not a checkpoint: {reason}"), "a signed checkpoint");
            return None;
        }
    };
    if text.origin != expected.origin {
        findings.add(format!("`note` is about the tape `{}`", text.origin), format!("`{}`", expected.origin));
    } else if text.size != expected.size {
        findings.add(format!("`note` covers {} records", text.size), format!("{}, those before it", expected.size));
    } else if text.root != expected.root {
        findings.add("`note` has another root: a record before it was changed", "the root of the records before it");
    } else {
        let note = checkpoint.note.clone().into_owned();
        return Some(CheckpointEntry { line: findings.line, size: text.size, is_end: text.is_end, note });
    }
    None
}

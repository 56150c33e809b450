//! Replay of dispatches whose secrets were redacted on the tape.
//!
//! One placeholder represents every redacted secret, and also the text with which a hook replaced a secret. So the
//! payloads before and after that rewrite are equal on the tape, although they were different. Replay marks some
//! placeholders as secrets, so that these payloads differ again, and removes the marks before it compares the records.
//! The tape does not tell which placeholders were secrets. Replay accepts the dispatch if some combination of marks
//! reproduces it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::Redactor;

use super::recorded_dispatch::{RecordedDispatch, RecordedDispatches};
use super::split::SplitLine;
use super::stubs::StubRegistry;
use crate::blobs::BlobStore;
use crate::record::{Record, RecordBody};

/// The text that replaces a secret on the tape.
const PLACEHOLDER: &str = "[REDACTED]";
/// Marks a placeholder as a secret. The character has no meaning, so no other text contains it.
const MARK: char = '\u{10fffd}';
/// The greatest number of hook returns for which both possibilities, secret or not, are tried.
const MAX_MARKED_RETURNS: usize = 6;

/// Removes the marks from encoded records.
#[derive(Debug, Default)]
pub(super) struct RedactionMask {
    /// The approval digest of the payload with marks, and the recorded one of the payload with secrets.
    digests: Mutex<(Option<String>, Option<String>)>,
}

impl RedactionMask {
    /// Stores the approval digest of the payload with marks.
    pub(super) fn record_digest(&self, digest: &str) {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(digest.to_owned());
    }
}

impl Redactor for RedactionMask {
    fn redact(&self, text: &str) -> Option<String> {
        let digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        match &*digests {
            (Some(marked), Some(secret)) if marked == text => Some(secret.clone()),
            _ => text.contains(MARK).then(|| text.replace(MARK, "")),
        }
    }
}

/// The records of a dispatch in which secrets may have been redacted.
#[derive(Debug)]
pub(super) struct RedactedDispatch {
    records: Vec<(usize, String)>,
    /// The indices in `records` of the `hook_returned` records that have a placeholder.
    returns: Vec<usize>,
    digest: Option<String>,
}

impl RedactedDispatch {
    /// Finds the placeholders in a dispatch; `None` if it has none.
    pub(super) fn find_redacted(lines: &[SplitLine<'_>], records: &[usize], blobs: &BlobStore<'_>) -> Option<Self> {
        let resolved = |index: &usize| {
            let record = Record::from_stored(lines.get(*index)?.text, blobs).ok()?;
            Some((*index, record.to_line().ok()?))
        };
        let records: Vec<(usize, String)> = records.iter().filter_map(resolved).collect();
        let has_placeholder = |line: &String| line.contains(PLACEHOLDER);
        records.iter().any(|(_, line)| has_placeholder(line)).then(|| {
            let is_return = |line: &String| line.contains("\"kind\":\"hook_returned\"") && has_placeholder(line);
            let numbered = records.iter().enumerate();
            let returns =
                numbered.filter(|(_, (_, line))| is_return(line)).map(|(index, _)| index).take(MAX_MARKED_RETURNS);
            let digest = records.iter().find_map(|(_, line)| match Record::from_line(line.as_bytes()).ok()?.body {
                RecordBody::Approval(approval) => Some(approval.digest.into_owned()),
                _ => None,
            });
            Self { returns: returns.collect(), digest, records }
        })
    }

    /// The possible originals of the dispatch, each with marks on its secrets and with its mask.
    pub(super) fn candidates<'v>(
        &'v self,
        stubs: &'v StubRegistry,
    ) -> impl Iterator<Item = (RecordedDispatch, RedactionMask)> + 'v {
        (0..1_u32 << self.returns.len()).filter_map(move |combination| {
            let mut dispatches = RecordedDispatches::default();
            for (index, (record, line)) in self.records.iter().enumerate() {
                let bit = self.returns.iter().position(|returned| *returned == index);
                let is_secret = bit.is_none_or(|bit| combination & (1 << bit) != 0);
                let marked = is_secret.then(|| line.replace(PLACEHOLDER, &format!("{PLACEHOLDER}{MARK}")));
                let text = marked.as_ref().unwrap_or(line);
                dispatches.add_record(*record, Record::from_line(text.as_bytes()).ok()?.body, stubs);
            }
            let mask = RedactionMask { digests: Mutex::new((None, self.digest.clone())) };
            dispatches.into_list().pop().map(|dispatch| (dispatch, mask))
        })
    }
}

//! Replay of dispatches whose secrets were redacted on the tape.
//!
//! One placeholder represents every redacted secret, and also the text with which a hook replaced a secret. So the
//! payloads before and after that rewrite are equal on the tape, although they were different. Replay marks some
//! placeholders as secrets, so that these payloads differ again, and removes the marks before it compares the records.
//! The tape does not tell which placeholders were secrets. Replay accepts the dispatch if some combination of marks
//! reproduces it.

use std::borrow::Cow;
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

/// The records of a dispatch with all their values.
#[derive(Debug)]
pub(super) struct WholeDispatch {
    records: Vec<(usize, String)>,
    /// The indices in `records` of the `hook_returned` records that have a placeholder.
    returns: Vec<usize>,
    digest: Option<String>,
}

impl WholeDispatch {
    /// Reads the records of a dispatch; `None` if that is not possible.
    pub(super) fn read(lines: &[SplitLine<'_>], records: &[usize], blobs: &BlobStore<'_>) -> Option<Self> {
        let (mut whole, mut digest) = (Vec::with_capacity(records.len()), None);
        for index in records {
            let record = Record::from_stored(lines.get(*index)?.text, blobs).ok()?;
            whole.push((*index, record.to_line().ok()?));
            if let RecordBody::Approval(approval) = record.body {
                digest = digest.or(Some(approval.digest.into_owned()));
            }
        }
        let is_return = |line: &str| line.contains("\"kind\":\"hook_returned\"") && line.contains(PLACEHOLDER);
        let numbered = whole.iter().enumerate();
        let returns = numbered.filter(|(_, (_, line))| is_return(line)).map(|(index, _)| index);
        Some(Self { returns: returns.take(MAX_MARKED_RETURNS).collect(), digest, records: whole })
    }

    /// The dispatch as it is on the tape.
    pub(super) fn as_recorded(&self, stubs: &StubRegistry) -> Option<RecordedDispatch> {
        self.record_with(stubs, |_, line| Cow::Borrowed(line))
    }

    /// What the dispatch may have been before secrets were redacted, each with marks on its secrets and with its mask.
    pub(super) fn originals<'v>(
        &'v self,
        stubs: &'v StubRegistry,
    ) -> impl Iterator<Item = (RecordedDispatch, RedactionMask)> + 'v {
        let is_redacted = self.records.iter().any(|(_, line)| line.contains(PLACEHOLDER));
        let combinations = if is_redacted { 0..1_u32 << self.returns.len() } else { 0..0 };
        combinations.filter_map(move |combination| {
            let mark = |index: usize, line| {
                let bit = self.returns.iter().position(|returned| *returned == index);
                let is_secret = bit.is_none_or(|bit| combination & (1 << bit) != 0);
                if is_secret { mark_secrets(line) } else { Cow::Borrowed(line) }
            };
            let mask = RedactionMask { digests: Mutex::new((None, self.digest.clone())) };
            self.record_with(stubs, mark).map(|dispatch| (dispatch, mask))
        })
    }

    fn record_with<'v>(
        &'v self,
        stubs: &StubRegistry,
        edit: impl Fn(usize, &'v str) -> Cow<'v, str>,
    ) -> Option<RecordedDispatch> {
        let mut dispatches = RecordedDispatches::default();
        for (index, (line_index, line)) in self.records.iter().enumerate() {
            let record = Record::from_line(edit(index, line).as_bytes()).ok()?;
            dispatches.add_record(*line_index, record.body, stubs);
        }
        let mut dispatch = dispatches.into_list().pop()?;
        dispatch.is_whole = true;
        Some(dispatch)
    }
}

fn mark_secrets(line: &str) -> Cow<'_, str> {
    Cow::Owned(line.replace(PLACEHOLDER, &format!("{PLACEHOLDER}{MARK}")))
}

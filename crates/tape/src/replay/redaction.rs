//! Replay of dispatches whose secrets were redacted on the tape.
//!
//! One placeholder represents every redacted secret, and also the text with which a hook replaced a secret. So the
//! payloads before and after that rewrite are equal on the tape, although they were different. Replay marks some
//! placeholders as secrets, so that these payloads differ again, and removes the marks before it compares the records.
//! The tape does not tell which placeholders were secrets. Replay accepts the dispatch if some combination of marks
//! reproduces it.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::Redactor;

use super::recorded_dispatch::{RecordedDispatch, RecordedDispatches};
use super::split::SplitLine;
use super::stubs::StubRegistry;
use crate::blobs::BlobStore;
use crate::line::{encode_fields, pack_if_deep, parse_body};
use crate::record::RecordBody;

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
    records: Vec<WholeRecord>,
    /// The digest of the approval, if the dispatch has one.
    digest: Option<String>,
}

/// A record with all its values.
#[derive(Debug)]
struct WholeRecord {
    line_index: usize,
    body: RecordBody<'static>,
    /// The JSON text of the last origin up to it.
    origin: Option<Arc<str>>,
    /// The text of its fields.
    text: String,
}

impl WholeDispatch {
    /// Reads the records of a dispatch; `None` if that is not possible.
    pub(super) fn read(lines: &[SplitLine<'_>], records: &[usize], blobs: &BlobStore<'_>) -> Option<Self> {
        let mut whole = Self { records: Vec::with_capacity(records.len()), digest: None };
        for index in records {
            let line = lines.get(*index)?;
            let body = line.read_record(blobs).ok()?.body;
            let text = String::from_utf8(pack_if_deep(encode_fields(&body).ok()?).ok()?.text).ok()?;
            if let RecordBody::Approval(approval) = &body {
                whole.digest.get_or_insert_with(|| approval.digest.to_string());
            }
            whole.records.push(WholeRecord { line_index: *index, body, origin: line.origin.clone(), text });
        }
        Some(whole)
    }

    /// The dispatch as it is on the tape.
    pub(super) fn as_recorded(&self, stubs: &StubRegistry) -> Option<RecordedDispatch> {
        self.record_with(stubs, |_| false)
    }

    /// What the dispatch may have been before secrets were redacted, each with marks on its secrets and with its mask.
    pub(super) fn originals<'v>(
        &'v self,
        stubs: &'v StubRegistry,
    ) -> impl Iterator<Item = (RecordedDispatch, RedactionMask)> + 'v {
        let redacted = self.records.iter().filter(|record| record.text.contains(PLACEHOLDER));
        let is_return = |record: &&WholeRecord| matches!(record.body, RecordBody::HookReturned(_));
        let returns: Vec<usize> = redacted.clone().filter(is_return).map(|record| record.line_index).collect();
        let returns_count = returns.len().min(MAX_MARKED_RETURNS);
        let combinations = if redacted.count() > 0 { 0..1_u32 << returns_count } else { 0..0 };
        combinations.filter_map(move |combination| {
            let is_secret = |record: &WholeRecord| {
                let bit = returns.iter().take(returns_count).position(|returned| *returned == record.line_index);
                bit.is_none_or(|bit| combination & (1 << bit) != 0)
            };
            let mask = RedactionMask { digests: Mutex::new((None, self.digest.clone())) };
            self.record_with(stubs, is_secret).map(|dispatch| (dispatch, mask))
        })
    }

    /// The dispatch with marks in some of its records.
    fn record_with(&self, stubs: &StubRegistry, is_secret: impl Fn(&WholeRecord) -> bool) -> Option<RecordedDispatch> {
        let mut dispatches = RecordedDispatches::default();
        for record in &self.records {
            let body = if is_secret(record) {
                let marked = record.text.replace(PLACEHOLDER, &format!("{PLACEHOLDER}{MARK}"));
                parse_body(record.body.kind(), marked.as_bytes(), record.origin.as_deref()).ok()?
            } else {
                record.body.clone()
            };
            dispatches.add_record(record.line_index, body, /*is_written*/ false, stubs);
        }
        let mut dispatch = dispatches.into_list().pop()?;
        dispatch.is_whole = true;
        Some(dispatch)
    }
}

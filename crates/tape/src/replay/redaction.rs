//! Secrets that are not on a tape.
//!
//! Where secrets are kept off a tape, one text stands for all of them, and for what a hook puts into their place. So a
//! payload before and after a secret was taken out of it is the same on the tape, and was another one. Such a dispatch is
//! enacted with texts that can be told apart, and they are made the same again before they are compared. Which of the texts
//! were secrets is not on the tape: what has to be found is one way in which it comes out as it stands there.

use std::sync::{Mutex, PoisonError};

use pintle_contract::Redactor;

use super::recorded_dispatch::{RecordedDispatch, RecordedDispatches};
use super::split::SplitLine;
use super::stubs::StubRegistry;
use crate::blobs::BlobStore;
use crate::record::{Record, RecordBody};

/// What stands for a secret.
const PLACEHOLDER: &str = "[REDACTED]";
/// What tells a secret from what was put into its place. No text of a person has this character, which means nothing.
const MARK: char = '\u{10fffd}';
/// Of how many answers of hooks it is tried out whether there was a secret in them.
const MOST_ANSWERS: usize = 6;

/// Takes the marks away again.
#[derive(Debug, Default)]
pub(super) struct RedactionMask {
    /// The digest of the payload with marks, and that of the payload with secrets.
    digests: Mutex<(Option<String>, Option<String>)>,
}

impl RedactionMask {
    /// Tells the digest of a payload with marks in it.
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

/// The records of a dispatch that may have had secrets.
#[derive(Debug)]
pub(super) struct RedactedDispatch {
    records: Vec<(usize, String)>,
    /// The answers of hooks among them, by their place in the list.
    answers: Vec<usize>,
    digest: Option<String>,
}

impl RedactedDispatch {
    /// Looks for what stands for secrets in a dispatch.
    pub(super) fn find_redacted(lines: &[SplitLine<'_>], records: &[usize], blobs: &BlobStore) -> Option<Self> {
        let whole = |at: &usize| {
            let record = Record::from_stored(lines.get(*at)?.text, blobs).ok()?;
            Some((*at, record.to_line().ok()?))
        };
        let records: Vec<(usize, String)> = records.iter().filter_map(whole).collect();
        let has = |line: &String| line.contains(PLACEHOLDER);
        records.iter().any(|(_, line)| has(line)).then(|| {
            let is_answer = |line: &String| line.contains("\"kind\":\"hook_returned\"") && has(line);
            let numbered = records.iter().enumerate();
            let answers = numbered.filter(|(_, (_, line))| is_answer(line)).map(|(at, _)| at).take(MOST_ANSWERS);
            let digest = records.iter().find_map(|(_, line)| match Record::from_line(line.as_bytes()).ok()?.body {
                RecordBody::Approval(resolved) => Some(resolved.digest.into_owned()),
                _ => None,
            });
            Self { answers: answers.collect(), digest, records }
        })
    }

    /// The ways in which it could have been: each the dispatch with marks, and the veil for it.
    pub(super) fn candidates<'v>(
        &'v self,
        cast: &'v StubRegistry,
    ) -> impl Iterator<Item = (RecordedDispatch, RedactionMask)> + 'v {
        (0..1_u32 << self.answers.len()).filter_map(move |way| {
            let mut scenes = RecordedDispatches::default();
            for (at, (record, line)) in self.records.iter().enumerate() {
                let answer = self.answers.iter().position(|answer| *answer == at);
                let is_secret = answer.is_none_or(|answer| way & (1 << answer) != 0);
                let marked = is_secret.then(|| line.replace(PLACEHOLDER, &format!("{PLACEHOLDER}{MARK}")));
                let text = marked.as_ref().unwrap_or(line);
                scenes.add_record(*record, Record::from_line(text.as_bytes()).ok()?.body, cast);
            }
            let veil = RedactionMask { digests: Mutex::new((None, self.digest.clone())) };
            scenes.into_list().pop().map(|scene| (scene, veil))
        })
    }
}

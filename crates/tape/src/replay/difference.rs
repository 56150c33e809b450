//! The first record in which a new tape is another one.

use std::fmt;

use super::renumber::TapeDivergence;
use super::split::SplitLine;
use crate::blobs::BlobStore;
use crate::record::{Record, RecordBody};

/// The first record in which a new tape is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayDifference {
    /// The line on the old tape, from 1.
    pub line: usize,
    /// What kind of difference it is.
    pub difference_kind: DifferenceKind,
    /// The kind of record on the old tape.
    pub kind: String,
    /// The dispatch it belongs to.
    pub dispatch: Option<u64>,
    /// The dispatch's event.
    pub event: Option<String>,
    /// The hook it is about.
    pub hook: Option<String>,
    /// The line on the old tape.
    pub expected: String,
    /// The line on the new tape; `None` where there is none for it.
    pub actual: Option<String>,
}

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The engine does something else, or nothing.
    Content,
    /// What the record says is the same, and is not spelled as the writer spells it.
    Encoding,
    /// The record is not numbered or not chained to the one before it.
    Chain,
}

impl DifferenceKind {
    /// The kind in a word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Content => "enacted",
            Self::Encoding => "spelled",
            Self::Chain => "chained",
        }
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Content => "enacted again, it comes to something else",
            Self::Encoding => "it is not spelled as it is written",
            Self::Chain => "it is not the one that was written behind the one before it",
        })
    }
}

impl ReplayDifference {
    pub(super) fn new(lines: &[SplitLine<'_>], leaves: TapeDivergence, blobs: &BlobStore) -> Self {
        let TapeDivergence { index: at, actual: got } = leaves;
        let line = lines.get(at);
        let text = line.map_or(&[][..], |line| line.text);
        let old = Record::from_stored(text, blobs).ok();
        let new = got.as_deref().and_then(|got| Record::from_stored(got, blobs).ok());
        let why = match (&old, &new) {
            (Some(old), Some(new)) if old.body != new.body => DifferenceKind::Content,
            (Some(old), Some(new)) if (old.seq, &old.prev) != (new.seq, &new.prev) => DifferenceKind::Chain,
            (Some(_), Some(_)) => DifferenceKind::Encoding,
            _ => DifferenceKind::Content,
        };
        let body = old.as_ref().map(|record| &record.body);
        let dispatch = body.and_then(RecordBody::dispatch);
        let about = |record: &Option<Record<'_>>| record.as_ref().and_then(|record| hook_name_of(&record.body));
        Self {
            line: at + 1,
            difference_kind: why,
            kind: body.map_or_else(String::new, |body| body.kind().to_owned()),
            dispatch,
            event: dispatch.and_then(|dispatch| find_event_name(lines, dispatch, blobs)),
            hook: about(&old).or_else(|| about(&new)),
            expected: String::from_utf8_lossy(text).into_owned(),
            actual: got.map(|got| String::from_utf8_lossy(&got).into_owned()),
        }
    }
}

/// The event of a dispatch.
fn find_event_name(lines: &[SplitLine<'_>], dispatch: u64, blobs: &BlobStore) -> Option<String> {
    let begins = format!("\"kind\":\"event\",\"dispatch\":{dispatch},");
    let line = lines.iter().find(|line| line.tail.starts_with(begins.as_bytes()))?;
    match Record::from_stored(line.text, blobs).ok()?.body {
        RecordBody::Event(fired) => Some(fired.event.into_owned()),
        _ => None,
    }
}

/// The hook that a record is about.
fn hook_name_of(body: &RecordBody<'_>) -> Option<String> {
    let name = match body {
        RecordBody::HookCall(asked) => &asked.hook,
        RecordBody::MatcherFailed(passed) | RecordBody::NotCalled(passed) => &passed.hook,
        RecordBody::HookReturned(answered) => &answered.hook,
        RecordBody::HookVetoed(vetoed) => &vetoed.hook,
        RecordBody::Warning(warned) => &warned.hook,
        RecordBody::Outcome(decided) => return decided.reasons.first().map(|reason| reason.hook.to_string()),
        _ => return None,
    };
    Some(name.clone().into_owned())
}

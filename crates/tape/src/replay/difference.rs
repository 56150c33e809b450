//! The replay difference: the first record in which the replayed tape differs from the old one.
//!
//! [`DifferenceKind`] says why a replay differs.

use std::fmt;

use super::renumber::TapeDivergence;
use super::split::SplitLine;
use crate::blobs::BlobStore;
use crate::line::LineText;
use crate::record::{Record, RecordBody};

/// The first difference between the old tape and the replayed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayDifference {
    /// The line on the old tape, from 1.
    pub line: usize,
    pub difference_kind: DifferenceKind,
    /// The kind of the record on the old tape.
    pub kind: String,
    /// The dispatch that the record belongs to.
    pub dispatch: Option<u64>,
    pub event: Option<String>,
    /// The hook that the record names.
    pub hook: Option<String>,
    /// The text of the line on the old tape.
    pub expected: String,
    /// The text of the line on the new tape; `None` if the new tape has no such record.
    pub actual: Option<String>,
}

/// In what two records differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The engine produces a different record, or none.
    Content,
    /// The content is the same, but the bytes are not the writer's encoding of it.
    Encoding,
    /// The number or the `prev` digest does not follow from the previous line.
    Chain,
}

impl DifferenceKind {
    /// The value of `kind` in the output of `pintle replay --json`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Content => "different",
            Self::Encoding => "spelled",
            Self::Chain => "chained",
        }
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Content => "replaying it produces a different record",
            Self::Encoding => "its bytes differ from the canonical encoding of the record",
            Self::Chain => "its number or its `prev` digest does not follow from the previous line",
        })
    }
}

impl ReplayDifference {
    pub(super) fn new(lines: &[SplitLine<'_>], divergence: TapeDivergence, blobs: &BlobStore<'_>) -> Self {
        let TapeDivergence { index, actual } = divergence;
        let line = lines.get(index);
        let text = line.map_or(&[][..], |line| line.text);
        let old = line.and_then(|line| line.read_record(blobs).ok());
        // The lines before are the same, so the last origin is, too.
        let origin = line.and_then(|line| line.origin.as_deref());
        let new = actual.as_deref().map(LineText::new);
        let new = new.and_then(|actual| Record::from_stored(&actual, blobs, origin).ok());
        let difference_kind = match (&old, &new) {
            (Some(old), Some(new)) if old.body != new.body => DifferenceKind::Content,
            (Some(old), Some(new)) if (old.seq, &old.prev) != (new.seq, &new.prev) => DifferenceKind::Chain,
            (Some(_), Some(_)) => DifferenceKind::Encoding,
            _ => DifferenceKind::Content,
        };
        let body = old.as_ref().map(|record| &record.body);
        let dispatch = body.and_then(RecordBody::dispatch);
        let hook_of = |record: &Option<Record<'_>>| record.as_ref().and_then(|record| hook_name_of(&record.body));
        Self {
            line: index + 1,
            difference_kind,
            kind: body.map_or_else(String::new, |body| body.kind().to_owned()),
            dispatch,
            event: dispatch.and_then(|dispatch| find_event_name(lines, dispatch, blobs)),
            hook: hook_of(&old).or_else(|| hook_of(&new)),
            expected: String::from_utf8_lossy(text).into_owned(),
            actual: actual.map(|actual| String::from_utf8_lossy(&actual).into_owned()),
        }
    }
}

/// The name of a dispatch's event.
fn find_event_name(lines: &[SplitLine<'_>], dispatch: u64, blobs: &BlobStore<'_>) -> Option<String> {
    let start = format!("\"kind\":\"event\",\"dispatch\":{dispatch},");
    let line = lines.iter().find(|line| line.tail.starts_with(start.as_bytes()))?;
    match line.read_record(blobs).ok()?.body {
        RecordBody::Event(fired) => Some(fired.event.into_owned()),
        _ => None,
    }
}

/// The hook that a record names.
fn hook_name_of(body: &RecordBody<'_>) -> Option<String> {
    let name = match body {
        RecordBody::HookCall(call) => &call.hook,
        RecordBody::MatcherFailed(skipped) | RecordBody::NotCalled(skipped) => &skipped.hook,
        RecordBody::HookReturned(returned) => &returned.hook,
        RecordBody::HookVetoed(vetoed) => &vetoed.hook,
        RecordBody::Warning(warning) => &warning.hook,
        RecordBody::Outcome(outcome) => return outcome.reasons.first().map(|reason| reason.hook.to_string()),
        _ => return None,
    };
    Some(name.clone().into_owned())
}

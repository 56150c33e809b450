//! The first record in which a new tape is another one.

use std::fmt;

use super::join::Leaves;
use super::lines::Line;
use crate::blobs::Blobs;
use crate::record::{Body, Record};

/// The first record in which a new tape is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line on the old tape, from 1.
    pub line: usize,
    /// What kind of difference it is.
    pub why: Why,
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
    pub got: Option<String>,
}

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The engine does something else, or nothing.
    Enacted,
    /// What the record says is the same, and is not spelled as the writer spells it.
    Spelled,
    /// The record is not numbered or not chained to the one before it.
    Chained,
}

impl Why {
    /// The kind in a word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enacted => "enacted",
            Self::Spelled => "spelled",
            Self::Chained => "chained",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Enacted => "enacted again, it comes to something else",
            Self::Spelled => "it is not spelled as it is written",
            Self::Chained => "it is not the one that was written behind the one before it",
        })
    }
}

impl Difference {
    pub(super) fn new(lines: &[Line<'_>], leaves: Leaves, blobs: &Blobs) -> Self {
        let Leaves { at, got } = leaves;
        let line = lines.get(at);
        let text = line.map_or(&[][..], |line| line.text);
        let old = Record::from_stored(text, blobs).ok();
        let new = got.as_deref().and_then(|got| Record::from_stored(got, blobs).ok());
        let why = match (&old, &new) {
            (Some(old), Some(new)) if old.body != new.body => Why::Enacted,
            (Some(old), Some(new)) if (old.seq, &old.prev) != (new.seq, &new.prev) => Why::Chained,
            (Some(_), Some(_)) => Why::Spelled,
            _ => Why::Enacted,
        };
        let body = old.as_ref().map(|record| &record.body);
        let dispatch = body.and_then(Body::dispatch);
        let about = |record: &Option<Record<'_>>| record.as_ref().and_then(|record| hook(&record.body));
        Self {
            line: at + 1,
            why,
            kind: body.map_or_else(String::new, |body| body.kind().to_owned()),
            dispatch,
            event: dispatch.and_then(|dispatch| event(lines, dispatch, blobs)),
            hook: about(&old).or_else(|| about(&new)),
            expected: String::from_utf8_lossy(text).into_owned(),
            got: got.map(|got| String::from_utf8_lossy(&got).into_owned()),
        }
    }
}

/// The event of a dispatch.
fn event(lines: &[Line<'_>], dispatch: u64, blobs: &Blobs) -> Option<String> {
    let begins = format!("\"kind\":\"event\",\"dispatch\":{dispatch},");
    let line = lines.iter().find(|line| line.tail.starts_with(begins.as_bytes()))?;
    match Record::from_stored(line.text, blobs).ok()?.body {
        Body::Event(fired) => Some(fired.event.into_owned()),
        _ => None,
    }
}

/// The hook that a record is about.
fn hook(body: &Body<'_>) -> Option<String> {
    let name = match body {
        Body::HookCall(asked) => &asked.hook,
        Body::Unmatched(passed) | Body::Unasked(passed) => &passed.hook,
        Body::HookReturned(answered) => &answered.hook,
        Body::HookVetoed(vetoed) => &vetoed.hook,
        Body::Warning(warned) => &warned.hook,
        Body::Outcome(decided) => return decided.reasons.first().map(|reason| reason.hook.to_string()),
        _ => return None,
    };
    Some(name.clone().into_owned())
}

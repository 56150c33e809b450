//! Whether a tape is sound: nothing changed, nothing missing, everything in order, and the host did what was decided.
//!
//! What is looked at:
//!
//! - the numbers and digests that hold the lines together, and the blobs, each of which is there for the record behind it;
//! - the structure: an event has one outcome and it comes last, a call belongs to an event that is going on and to a hook
//!   that was loaded, it has one answer, a veto stands right behind it, versions of payloads are numbered as they appear;
//! - the host: a tool ran only after its `tool.pre` let it, with exactly the arguments of that outcome; the model was sent
//!   what `completion.pre` left, and a result for each call that it made; a message holds the result that `tool.post` left,
//!   or the answer that `completion.post` left; nothing happened to a session that had ended.
//!
//! Whether the outcomes follow from what the hooks said is computed by a replay. What was going on when the program died
//! is no finding but unfinished.

mod answers;
pub(crate) mod chain;
mod host;
mod sent;
mod spare;
mod structure;

use std::fmt;

use crate::TapeError;
use crate::line::push_line;
use crate::read::{Line, Reader, Reading, Torn};
use crate::record::{Body, HostRecord, Record};
use crate::write::lines::Prepared;
use chain::Links;
use host::Host;
use spare::Spare;
use structure::Structure;

/// What is to be said of a tape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The session, as the header names it.
    pub session: String,
    /// How many whole records there are.
    pub records: usize,
    /// How many events were fired.
    pub dispatches: usize,
    /// How many times a hook was asked.
    pub calls: usize,
    /// How many turns of the session began, by [`begins_one`](crate::record::host::Turn::begins_one).
    pub turns: usize,
    /// How many times the session was taken up again after it was interrupted or had ended.
    pub resumed: usize,
    /// What was going on when the tape ended.
    pub unfinished: Vec<Unfinished>,
    /// What was left of a record that was not written whole.
    pub torn: Option<Torn>,
    /// What is wrong, in the order of the tape.
    pub findings: Vec<Finding>,
}

/// Something that was going on when the tape ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The line in which it began, from 1.
    pub line: usize,
    /// What it is.
    pub what: String,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The kind of the record, and whose it is.
    pub record: String,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

impl Report {
    /// Whether nothing is wrong. A tape that ends early is sound as far as it goes.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether besides nothing was cut off.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_sound() && self.unfinished.is_empty() && self.torn.is_none()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, record, found, expected } = self;
        write!(f, "line {line}: {record}: {found}; expected {expected}")
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// Verifies what was read. The digests are those of the lines as the writer spells them.
#[must_use]
pub fn verify(reading: &Reading) -> Report {
    let mut verifier = Verifier::default();
    let mut text = Vec::new();
    for (at, record) in reading.records.iter().enumerate() {
        text.clear();
        if let Ok(prepared) = Prepared::new(&record.body, None) {
            let Record { seq, at_ms, prev, body } = record;
            push_line(&mut text, *seq, *at_ms, prev.as_deref(), body.kind(), prepared.stored());
        }
        verifier.see(at + 1, &text, record);
    }
    verifier.end(reading.torn)
}

/// Verifies a tape from memory, line by line as it stands. Where a line cannot be read, that is a finding and the end.
///
/// # Errors
/// When it is no tape of this format.
pub fn verify_bytes(bytes: &[u8]) -> Result<Report, TapeError> {
    let mut reader = Reader::new(bytes)?;
    let mut verifier = Verifier::default();
    for line in &mut reader {
        match line {
            Ok(Line { number, text, record }) => verifier.see(number, text, &record),
            Err(TapeError::Line { line, fault }) if line > 1 => {
                let (record, expected) = (String::from("unreadable"), String::from("a record that can be read"));
                verifier.report.findings.push(Finding { line, record, found: fault, expected });
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(verifier.end(reader.torn()))
}

#[derive(Debug, Default)]
struct Verifier {
    links: Links,
    structure: Structure,
    host: Host,
    spare: Spare,
    report: Report,
}

impl Verifier {
    fn see(&mut self, line: usize, text: &[u8], record: &Record<'_>) {
        let Self { links, structure, host, spare, report } = self;
        report.records += 1;
        match &record.body {
            Body::Header(header) => report.session.clone_from(&header.session),
            Body::Event(_) => report.dispatches += 1,
            Body::HookCall(_) => report.calls += 1,
            Body::Host(HostRecord::Turn(turn)) => report.turns += usize::from(turn.begins_one()),
            Body::Host(HostRecord::Resumed(_)) => report.resumed += 1,
            _ => {}
        }
        let mut notes = Notes { line, body: &record.body, findings: &mut report.findings };
        for found in links.see(record, text) {
            notes.add(found.found(), found.expected());
        }
        spare.see(text, &record.body, &mut notes);
        if let Some(ended) = structure.see(&record.body, &mut notes) {
            host.decided(ended);
        }
        host.see(&record.body, &mut notes);
    }

    fn end(self, torn: Option<Torn>) -> Report {
        let Self { structure, host, mut report, .. } = self;
        report.torn = torn;
        report.unfinished.extend(structure.open());
        report.unfinished.extend(host.open());
        report.unfinished.sort_by_key(|unfinished| unfinished.line);
        report
    }
}

/// Takes down what is wrong with one record.
#[derive(Debug)]
pub(crate) struct Notes<'n> {
    pub(crate) line: usize,
    body: &'n Body<'n>,
    findings: &'n mut Vec<Finding>,
}

impl Notes<'_> {
    fn add(&mut self, found: impl Into<String>, expected: impl Into<String>) {
        let kind = self.body.kind();
        let record = match (self.body, self.body.dispatch()) {
            (Body::HookCall(asked), _) => format!("`{kind}` of hook `{}`, dispatch {}", asked.hook, asked.dispatch),
            (Body::HookReturned(said), _) => format!("`{kind}` of hook `{}`, dispatch {}", said.hook, said.dispatch),
            (Body::HookVetoed(veto), _) => format!("`{kind}` of hook `{}`, dispatch {}", veto.hook, veto.dispatch),
            (_, Some(dispatch)) => format!("`{kind}` of dispatch {dispatch}"),
            (_, None) => format!("`{kind}`"),
        };
        self.findings.push(Finding { line: self.line, record, found: found.into(), expected: expected.into() });
    }

    fn unless(&mut self, holds: bool, found: impl FnOnce() -> String, expected: impl FnOnce() -> String) {
        if !holds {
            self.add(found(), expected());
        }
    }
}

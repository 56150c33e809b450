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
//! - what is said twice: a prompt, a model's reply and a tool's result are the same in the record of the host, in the event that
//!   shows them and in the conversation; time does not go back;
//! - the end: a `closed` record with the number of records and its own digest.
//!
//! Whether the outcomes follow from what the hooks said is computed by a replay. What was going on when the tape
//! ends is no finding but unfinished; before a `closed` record nothing may be.

mod agree;
mod answers;
pub(crate) mod chain;
mod host;
mod origins;
mod sent;
mod spare;
mod structure;

use std::fmt;

use crate::TapeError;
use crate::line::{digest, is_closing, push_line};
use crate::read::{Line, Reader, Reading, Torn};
use crate::record::{Body, CLOSES, HostRecord, Record};
use crate::write::lines::Prepared;
use agree::Agreement;
use chain::Links;
use host::Host;
use origins::Origins;
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
    /// The format, as the header names it.
    pub format: u32,
    /// SHA-256 in hex of the last whole line: a copy kept elsewhere tells this tape from any other.
    pub digest: String,
    /// Whether the last record closes the tape.
    pub closed: bool,
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
    /// Whether nothing is wrong with what is there. A tape that ends early is sound as far as it goes, and not whole.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether besides nothing is unfinished: no session, turn or event is open, and a `closed` record ends the tape (older
    /// formats have none).
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
    verifier.end(reading.torn, true)
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
    Ok(verifier.end(reader.torn(), bytes.last() == Some(&b'\n')))
}

#[derive(Debug, Default)]
struct Verifier {
    links: Links,
    structure: Structure,
    host: Host,
    agreement: Agreement,
    origins: Origins,
    spare: Spare,
    last_ms: u64,
    report: Report,
}

impl Verifier {
    fn see(&mut self, line: usize, text: &[u8], record: &Record<'_>) {
        let Self { links, structure, host, agreement, origins, spare, last_ms, report } = self;
        report.records += 1;
        report.digest = digest(text);
        report.closed = matches!(record.body, Body::Closed(_));
        match &record.body {
            Body::Header(header) => {
                report.session.clone_from(&header.session);
                report.format = header.format;
                *last_ms = header.started_ms;
            }
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
        if report.format >= CLOSES {
            let (now, before) = (record.at_ms, *last_ms);
            notes.unless(
                now >= before,
                || format!("`at_ms` is {now}: time goes back"),
                || format!("{before} or later"),
            );
        }
        *last_ms = (*last_ms).max(record.at_ms);
        match &record.body {
            Body::Closed(closed) => {
                let counts = closed.records == record.seq;
                notes.unless(counts, || format!("`records` is {}", closed.records), || record.seq.to_string());
                let own = is_closing(text);
                notes.unless(own, || String::from("`digest` is not that of this line"), || String::from("that of it"));
            }
            // A record that nests too deep to be read is kept as it is; anything else is nothing that this format has.
            Body::Unknown { kind, fields } if !fields.contains_key("packed") => {
                notes.add(
                    format!("a record of the unknown kind `{kind}`"),
                    "a kind of this format, or a note: `data` alone",
                );
            }
            _ => {}
        }
        spare.see(text, &record.body, &mut notes);
        origins.see(&record.body, &mut notes);
        agreement.see(&record.body, &mut notes);
        if let Some(ended) = structure.see(&record.body, &mut notes) {
            agreement.ended(&ended);
            host.decided(ended);
        }
        host.see(&record.body, &mut notes);
    }

    fn end(self, torn: Option<Torn>, ends_whole: bool) -> Report {
        let Self { structure, host, mut report, .. } = self;
        report.torn = torn;
        report.unfinished.extend(structure.open());
        report.unfinished.extend(host.open());
        report.unfinished.sort_by_key(|unfinished| unfinished.line);
        let line = report.records;
        let mut add = |what: &str| report.unfinished.push(Unfinished { line, what: what.to_owned() });
        if torn.is_none() && !ends_whole {
            add("the last line has no end");
        }
        if report.format >= CLOSES && !report.closed {
            add("no `closed` record follows: the session goes on, was cut off, or its end is missing");
        }
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

//! Verifies a tape: nothing is changed or missing, everything is in order, and the host obeyed the outcomes.
//!
//! The checks are:
//!
//! - the numbers and digests that link the lines, and the blobs, each of which must be used by the record after it;
//! - the structure: an event has one outcome and it comes last, a call belongs to an open event and to a loaded hook
//!   and has
//!   one verdict, a veto follows its verdict directly, versions of payloads are numbered in order;
//! - the host: a tool ran only after its `tool.pre` allowed it, with exactly the arguments of that outcome; the model
//!   was
//!   sent the outcome of `completion.pre`, and a result for each of its calls; a message contains the result that
//!   `tool.post` returned, or the answer that `completion.post` returned; nothing happened in a session that had ended;
//! - consistency: a prompt, a model's reply and a tool's result are the same in the record of the host, in the event
//!   that
//!   shows them and in the conversation; time does not go back;
//! - the end: a `closed` record with the number of records and its own digest.
//!
//! A replay checks whether the outcomes follow from the verdicts. What was open when the tape ends is not a finding but
//! unfinished work; before a `closed` record nothing may be open.

mod agree;
pub(crate) mod chain;
mod host;
mod messages;
mod origins;
mod replies;
mod structure;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::line::{is_closing, push_line};
use crate::read::{LoadedTape, TapeLine, TapeReader, TornRecord};
use crate::record::{HostRecord, Record, RecordBody};
use crate::write::line_encoder::EncodedFields;
use crate::{RecordError, TapeError};
use agree::ConsistencyCheck;
use chain::{BlobCheck, ChainCheck};
use host::HostCheck;
use origins::OriginCheck;
use structure::{CheckedPayload, StructureCheck};

/// The result of verifying a tape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// The session, from the header.
    pub session: String,
    /// The number of complete records.
    pub records: usize,
    /// The number of events that were fired.
    pub dispatches: usize,
    /// The number of hook calls.
    pub calls: usize,
    /// The number of turns of the session, see
    /// [`starts_session_turn`](crate::record::host::TurnRecord::starts_session_turn).
    pub turns: usize,
    /// How often the session was resumed.
    pub resumed: usize,
    /// The format, from the header.
    pub format: u32,
    /// SHA-256 in hex of the last complete line. A copy stored elsewhere identifies this tape.
    pub digest: String,
    /// Whether the last record closes the tape.
    pub closed: bool,
    /// What was open when the tape ended.
    pub unfinished: Vec<UnfinishedWork>,
    /// The torn record, if any.
    pub torn: Option<TornRecord>,
    /// The findings, in the order of the tape.
    pub findings: Vec<VerifyFinding>,
}

/// Something that was open when the tape ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedWork {
    /// The line in which it began, from 1.
    pub line: usize,
    /// A description of it.
    pub description: String,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyFinding {
    /// The line, from 1.
    pub line: usize,
    /// The record's kind and what it belongs to.
    pub record: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl VerifyReport {
    /// Whether there are no findings. A tape that ends early is valid as far as it goes, but not complete.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether it is valid and nothing is unfinished: no session, turn or event is open, and a `closed` record ends the
    /// tape.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_valid() && self.unfinished.is_empty() && self.torn.is_none()
    }
}

impl fmt::Display for VerifyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, record, found, expected } = self;
        write!(f, "line {line}: {record}: {found}; expected {expected}")
    }
}

impl fmt::Display for UnfinishedWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.description)
    }
}

/// Verifies a tape that was read. Digests are computed from the canonical form of its lines.
#[must_use]
pub fn verify(tape: &LoadedTape) -> VerifyReport {
    let mut verifier = TapeVerifier::default();
    let mut text = Vec::new();
    for (index, record) in tape.records.iter().enumerate() {
        text.clear();
        if let Ok(prepared) = EncodedFields::new(&record.body, None) {
            let Record { seq, at_ms, prev, body } = record;
            push_line(&mut text, *seq, *at_ms, prev.as_deref(), body.kind(), &prepared.stored.text);
        }
        let line = CheckedLine { number: index + 1, text: &text, record, is_abridged: false };
        verifier.check_line(&line, &|_| Err(RecordError::new(String::from("the record is complete"))));
    }
    verifier.finish(tape.torn, true)
}

/// Verifies a tape from memory, line by line in its actual form. A line that cannot be read is a finding and ends the
/// check.
///
/// # Errors
/// When it is not a tape of a supported format.
pub fn verify_bytes(bytes: &[u8]) -> Result<VerifyReport, TapeError> {
    verify_lines(TapeReader::new(bytes)?)
}

/// Verifies a tape in a file, as [`verify_bytes`] does, without keeping it in memory.
///
/// # Errors
/// When it cannot be read, or is not a tape of a supported format.
pub fn verify_file(path: impl AsRef<Path>) -> Result<VerifyReport, TapeError> {
    verify_lines(TapeReader::open(path)?)
}

fn verify_lines(reader: TapeReader<'_>) -> Result<VerifyReport, TapeError> {
    let mut reader = reader.abridged();
    let mut verifier = TapeVerifier::default();
    while let Some(line) = reader.next() {
        match line {
            Ok(TapeLine { number, text, record, is_abridged }) => {
                let line = CheckedLine { number, text: &text, record: &record, is_abridged };
                verifier.check_line(&line, &|text| reader.complete(text));
            }
            Err(TapeError::Line { line, reason: fault }) if line > 1 => {
                let (record, expected) = (String::from("unreadable"), String::from("a record that can be read"));
                verifier.report.findings.push(VerifyFinding { line, record, found: fault, expected });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(verifier.finish(reader.torn(), reader.ends_with_newline()))
}

#[derive(Debug, Default)]
struct TapeVerifier {
    links: ChainCheck,
    structure: StructureCheck,
    host: HostCheck,
    consistency: ConsistencyCheck,
    origins: OriginCheck,
    blobs: BlobCheck,
    last_ms: u64,
    report: VerifyReport,
}

/// A line that is verified.
#[derive(Debug, Clone, Copy)]
struct CheckedLine<'l> {
    number: usize,
    text: &'l [u8],
    record: &'l Record<'l>,
    is_abridged: bool,
}

/// Parses an abridged line again, with all its values.
type CompleteLine<'c> = &'c dyn Fn(&[u8]) -> Result<Record<'static>, RecordError>;

impl TapeVerifier {
    fn check_line(&mut self, line: &CheckedLine<'_>, complete: CompleteLine<'_>) {
        let CheckedLine { number: line, text, record, is_abridged } = *line;
        let Self { links, structure, host, consistency: grant, origins, blobs: spare, last_ms, report } = self;
        report.records += 1;
        report.closed = matches!(record.body, RecordBody::Closed(_));
        match &record.body {
            RecordBody::Header(header) => {
                report.session.clone_from(&header.session);
                report.format = header.format;
                *last_ms = header.started_ms;
            }
            RecordBody::Event(fired) => {
                report.dispatches += 1;
                report.calls += fired.passed.len();
            }
            RecordBody::HookCall(_) => report.calls += 1,
            RecordBody::Host(HostRecord::Turn(turn)) => report.turns += usize::from(turn.starts_session_turn()),
            RecordBody::Host(HostRecord::Resumed(_)) => report.resumed += 1,
            _ => {}
        }
        let findings = &mut report.findings;
        let mut notes = FindingSink { line, text, is_abridged, complete, body: &record.body, findings };
        for (found, expected) in links.check_record(record, text) {
            notes.add(found, expected);
        }
        let (now, before) = (record.at_ms, *last_ms);
        if now < before {
            notes.add(format!("`at_ms` is {now}: time goes back"), format!("{before} or later"));
        }
        *last_ms = (*last_ms).max(record.at_ms);
        match &record.body {
            RecordBody::Closed(closed) => {
                if closed.records != record.seq {
                    notes.add(format!("`records` is {}", closed.records), record.seq.to_string());
                }
                if !is_closing(text) {
                    notes.add("`digest` is not that of this line", "the digest of this line");
                }
            }
            // A record that is nested too deep to be read is kept unchanged; any other unknown record is not part of
            // this format.
            RecordBody::Unknown { kind, fields } if !fields.contains_key("packed") => {
                notes.add(
                    format!("a record of the unknown kind `{kind}`"),
                    "a kind of this format, or a note with only `data`",
                );
            }
            _ => {}
        }
        spare.check_record(text, &record.body, &mut notes);
        origins.check_record(&record.body, &mut notes);
        grant.check_record(&record.body, &mut notes);
        if let Some(ended) = structure.check_record(&record.body, &mut notes) {
            grant.add_outcome(&ended);
            host.add_outcome(ended);
        }
        host.check_record(&record.body, &mut notes);
    }

    fn finish(self, torn: Option<TornRecord>, ends_whole: bool) -> VerifyReport {
        let Self { links, structure, host, mut report, .. } = self;
        report.digest = links.prev.unwrap_or_default();
        report.torn = torn;
        report.unfinished.extend(structure.into_unfinished());
        report.unfinished.extend(host.into_unfinished());
        report.unfinished.sort_by_key(|unfinished| unfinished.line);
        let line = report.records;
        let mut add = |what: &str| report.unfinished.push(UnfinishedWork { line, description: what.to_owned() });
        if torn.is_none() && !ends_whole {
            add("the last line has no line end");
        }
        if !report.closed {
            add("the `closed` record is missing: the session is running, was interrupted, or its end was removed");
        }
        report
    }
}

/// Collects the findings of one record.
pub(crate) struct FindingSink<'n> {
    pub(crate) line: usize,
    text: &'n [u8],
    is_abridged: bool,
    complete: CompleteLine<'n>,
    body: &'n RecordBody<'n>,
    findings: &'n mut Vec<VerifyFinding>,
}

impl FindingSink<'_> {
    /// A payload in the record, with the line that has all of it.
    fn read_payload(&self, value: &Value) -> CheckedPayload {
        CheckedPayload { value: value.clone(), abridged_line: self.is_abridged.then(|| self.text.to_vec()) }
    }

    /// The whole payload in an earlier line; `None` if that cannot be read.
    fn complete_payload(&self, line: &[u8]) -> Option<Value> {
        let payload = match (self.complete)(line).ok()?.body {
            RecordBody::Event(fired) => Some(fired.payload),
            RecordBody::HookCall(call) => call.value,
            RecordBody::Outcome(outcome) => outcome.value,
            _ => None,
        };
        payload.map(Cow::into_owned)
    }

    fn add(&mut self, actual: impl Into<String>, expected: impl Into<String>) {
        let kind = self.body.kind();
        let record = match (self.body, self.body.dispatch()) {
            (RecordBody::HookCall(asked), _) => {
                format!("`{kind}` of hook `{}`, dispatch {}", asked.hook, asked.dispatch)
            }
            (RecordBody::HookReturned(said), _) => {
                format!("`{kind}` of hook `{}`, dispatch {}", said.hook, said.dispatch)
            }
            (RecordBody::HookVetoed(veto), _) => {
                format!("`{kind}` of hook `{}`, dispatch {}", veto.hook, veto.dispatch)
            }
            (_, Some(dispatch)) => format!("`{kind}` of dispatch {dispatch}"),
            (_, None) => format!("`{kind}`"),
        };
        self.findings.push(VerifyFinding { line: self.line, record, found: actual.into(), expected: expected.into() });
    }
}

//! Verifies a tape: nothing is changed or missing, everything is in order, and the host obeyed the outcomes.
//!
//! The checks are:
//!
//! - the numbers and digests that link the lines; that the blobs of a line are needed and known by their digests is checked
//!   by its reader;
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
//! - the checkpoints: each is about this tape and has the root of the records before it; who signed it is not checked here;
//! - the end: a `closed` record with the number of records and its own digest.
//!
//! A replay checks whether the outcomes follow from the verdicts. What was open when the tape ends is not a finding but
//! unfinished work; before a `closed` record nothing may be open.

mod agree;
pub(crate) mod chain;
mod checkpoints;
mod host;
mod messages;
mod origins;
mod replies;
mod structure;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::TapeError;
use crate::checkpoint::CheckpointText;
use crate::line::is_closing;
use crate::read::{TapeLine, TapeReader, TornRecord};
use crate::record::{HostRecord, RecordBody};
use agree::ConsistencyCheck;
use chain::ChainCheck;
use checkpoints::check_checkpoint;
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
    /// The checkpoints that are about the records before them. Their signatures are not checked.
    pub checkpoints: Vec<CheckpointEntry>,
    /// What a checkpoint says, by the number of records that it covers: for each number that was asked for and the tape has.
    pub texts: BTreeMap<u64, CheckpointText>,
    /// The findings, in the order of the tape.
    pub findings: Vec<VerifyFinding>,
}

/// A checkpoint of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointEntry {
    /// The line, from 1.
    pub line: usize,
    /// The number of records that it covers.
    pub size: u64,
    /// Whether it says that the tape was closed after these.
    pub is_end: bool,
    /// The signed note.
    pub note: String,
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

/// Verifies a tape from memory, line by line in its actual form. A line that cannot be read is a finding and ends the
/// check.
///
/// # Errors
/// When it is not a tape of a supported format.
pub fn verify_bytes(bytes: &[u8]) -> Result<VerifyReport, TapeError> {
    verify_lines(TapeReader::new(bytes)?, &BTreeSet::new())
}

/// Verifies a tape in a file, as [`verify_bytes`] does, without keeping it in memory.
///
/// # Errors
/// When it cannot be read, or is not a tape of a supported format.
pub fn verify_file(path: impl AsRef<Path>) -> Result<VerifyReport, TapeError> {
    verify_file_with_texts(path, &BTreeSet::new())
}

/// Verifies a tape in a file, and says what checkpoints of these numbers of records say
/// ([`texts`](VerifyReport::texts)).
///
/// # Errors
/// As [`verify_file`].
pub fn verify_file_with_texts(path: impl AsRef<Path>, sizes: &BTreeSet<u64>) -> Result<VerifyReport, TapeError> {
    verify_lines(TapeReader::open(path)?, sizes)
}

fn verify_lines(reader: TapeReader<'_>, sizes: &BTreeSet<u64>) -> Result<VerifyReport, TapeError> {
    let mut reader = reader.abridged();
    let mut verifier = TapeVerifier::default();
    while let Some(line) = reader.next() {
        match line {
            Ok(line) => {
                verifier.check_line(&line, &reader);
                verifier.add_text(sizes);
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
    last_ms: u64,
    report: VerifyReport,
}

impl TapeVerifier {
    /// Checks the line that a reader has read last.
    fn check_line(&mut self, line: &TapeLine, reader: &TapeReader<'_>) {
        let TapeLine { number, text, record, .. } = line;
        let Self { links, structure, host, consistency: grant, origins, last_ms, report } = self;
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
        let mut notes = FindingSink { line: *number, checked: line, reader, findings };
        if let RecordBody::Checkpoint(checkpoint) = &record.body {
            report.checkpoints.extend(check_checkpoint(checkpoint, links, &mut notes));
        }
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
        origins.check_record(&record.body, &mut notes);
        grant.check_record(&record.body, &mut notes);
        if let Some(ended) = structure.check_record(&record.body, &mut notes) {
            grant.add_outcome(&ended);
            host.add_outcome(ended);
        }
        host.check_record(&record.body, &mut notes);
    }

    /// Adds what a checkpoint of the records so far says, if it is one of `sizes`.
    fn add_text(&mut self, sizes: &BTreeSet<u64>) {
        let Self { links: ChainCheck { header: Some(header), tree, .. }, report, .. } = self else { return };
        if sizes.contains(&tree.size()) {
            report.texts.insert(tree.size(), CheckpointText::new(header, tree));
        }
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
    checked: &'n TapeLine,
    reader: &'n TapeReader<'n>,
    findings: &'n mut Vec<VerifyFinding>,
}

impl FindingSink<'_> {
    /// A payload in the record, with the line that has all of it.
    fn read_payload(&self, value: &Value) -> CheckedPayload {
        CheckedPayload {
            value: value.clone(),
            abridged_line: self.checked.is_abridged.then(|| self.checked.text.clone()),
        }
    }

    /// The whole payload in an earlier line; `None` if that cannot be read.
    fn complete_payload(&self, line: &[u8]) -> Option<Value> {
        self.reader.read_payload(line)
    }

    fn add(&mut self, actual: impl Into<String>, expected: impl Into<String>) {
        let body = &self.checked.record.body;
        let kind = body.kind();
        let record = match (body, body.dispatch()) {
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

//! `pintle tape verify`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use pintle_host::files;
use pintle_host::tape::proof::{EvidenceReport, WitnessNotes, check_evidence};
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::tape::verify::{VerifyReport, verify_file_with_texts};
use pintle_host::tape::{TapeCursor, is_being_written, session_folder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::key::read_keys;
use super::tape_error;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, locate_tape};
use crate::render::count_text;
use crate::terminal::Terminal;

/// Fewest digits of a digest that must be given.
const LEAST_DIGEST: usize = 16;

#[derive(Debug, Args)]
pub(crate) struct TapeVerifyArgs {
    /// Tape to verify: its path, the ID of its session or the start of it, or `last`.
    tape: PathBuf,
    /// Require this digest, or one that starts with it. `pintle run` and this command print the digest of a tape.
    #[arg(long, value_name = "DIGEST", value_parser = parse_digest)]
    expect: Option<String>,
    /// Require that one of these keys signed each checkpoint: a public key as `pintle tape key` prints it, or a file with
    /// such keys.
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,
    /// Require that the tape begins as each of its checkpoints in this file says.
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
}

/// What is known about a tape apart from its contents.
struct ExternalTapeFacts {
    /// Whether it is being written.
    is_running: bool,
    /// What shows that it is not valid.
    objections: Vec<String>,
    /// What its checkpoints prove, if that was asked for.
    evidence: Option<EvidenceReport>,
}

/// What the state file next to the tape of a host session says about the tape.
#[derive(Deserialize)]
struct StoredTapeCursor {
    cursor: Option<TapeCursor>,
}

impl TapeVerifyArgs {
    /// Verifies a tape; the exit status is 1 unless it is valid and complete.
    pub(crate) fn execute(mut self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        self.tape = locate_tape(&self.tape)?;
        let is_running = is_being_written(&self.tape).unwrap_or(false) || has_running_calls(&self.tape);
        let keys = read_keys(&self.key)?;
        let witness = self.witness.as_deref().map(read_witness).transpose()?;
        let notes = witness.iter().flat_map(|witness| &witness.notes);
        // The text for one record has the origin.
        let sizes: BTreeSet<u64> = notes.map(|note| note.text.size).chain([1]).collect();
        let report = verify_file_with_texts(&self.tape, &sizes).map_err(|error| tape_error(&self.tape, error))?;
        let is_evidence = witness.is_some() || !keys.is_empty();
        let evidence = is_evidence.then(|| check_evidence(&report, &keys, witness.as_ref()));
        let mut against = Vec::new();
        if let Some(expected) = self.expect.as_ref().filter(|expected| !report.digest.starts_with(expected.as_str())) {
            against.push(format!("its digest is {}; expected {expected}", report.digest));
        }
        against.extend(check_stored_cursor(&self.tape));
        against.extend(evidence.iter().flat_map(|evidence| evidence.objections.iter().cloned()));
        let unreadable = witness.iter().flat_map(|witness| &witness.unreadable);
        unreadable
            .for_each(|line| terminal.print_note(format_args!("line {line} of the witness file is not a checkpoint")));
        let beside = ExternalTapeFacts { is_running, objections: against, evidence };
        if global.json {
            terminal.print_json(&report_to_json(&report, &beside));
        } else {
            terminal.print_lines(&render_report(&report, &beside));
        }
        let is_whole = report.is_complete() && beside.objections.is_empty() && !is_running;
        Ok(if is_whole { CliStatus::Done } else { CliStatus::Failed })
    }
}

fn read_witness(path: &Path) -> Result<WitnessNotes, CliError> {
    let text = files::read_text(path);
    let text = text.map_err(|error| CliError::invalid_input(format!("cannot read `{}`: {error}", path.display())))?;
    Ok(WitnessNotes::parse(&text))
}

fn parse_digest(text: &str) -> Result<String, String> {
    let text = text.to_ascii_lowercase();
    match text.len() {
        LEAST_DIGEST..=64 if text.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(text),
        _ => Err(format!("a digest has 64 hexadecimal digits; give at least the first {LEAST_DIGEST}")),
    }
}

/// Whether the tape is that of a session of which a call is running.
fn has_running_calls(tape: &Path) -> bool {
    let dir = tape.parent().filter(|dir| session_folder::tape_path(dir) == tape);
    dir.is_some_and(|dir| session_folder::is_in_use(dir).unwrap_or(false))
}

/// Returns an objection if the state file next to a tape, which says where the last call left it, does not match.
fn check_stored_cursor(tape: &Path) -> Option<String> {
    let dir = tape.parent()?;
    let kept = session_folder::load_state(dir).ok()?.filter(|_| session_folder::tape_path(dir) == tape)?;
    let last = kept.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty())?;
    let StoredTapeCursor { cursor } = serde_json::from_slice(last).ok()?;
    let cursor = cursor.filter(|cursor| !cursor.is_within(tape))?;
    Some(format!(
        "the state file next to it lists {} records, the last one with the digest {}; they are missing",
        cursor.record_count(),
        cursor.digest().unwrap_or("none")
    ))
}

fn render_report(report: &VerifyReport, facts: &ExternalTapeFacts) -> Vec<StyledLine> {
    let cut = |text: &str| single_line(text, 2_000);
    let mut lines: Vec<StyledLine> = Vec::new();
    lines.extend(report.findings.iter().map(|finding| StyledLine::new(Tone::Bad, cut(&finding.to_string()))));
    lines.extend(facts.objections.iter().map(|against| StyledLine::new(Tone::Bad, cut(against))));
    if !facts.is_running {
        lines.extend(
            report.unfinished.iter().map(|open| StyledLine::new(Tone::Warn, cut(&format!("unfinished: {open}")))),
        );
        lines.extend(report.torn.map(|torn| StyledLine::new(Tone::Warn, format!("torn: {torn}"))));
    }
    let against = report.findings.len() + facts.objections.len();
    let (tone, verdict) = match (against, report.is_complete()) {
        (0, _) if facts.is_running => (Tone::Warn, String::from("running: valid so far, and still being written")),
        (0, true) => (Tone::Good, String::from("valid and complete")),
        (0, false) => (Tone::Warn, String::from("unfinished: valid as far as it goes")),
        (1, _) => (Tone::Bad, String::from("invalid: 1 finding")),
        (count, _) => (Tone::Bad, format!("invalid: {count} findings")),
    };
    let mut last = StyledLine::new(tone, verdict);
    let counts = [
        count_text(report.records, "record"),
        count_text(report.dispatches, "event"),
        count_text(report.calls, "hook call"),
        count_text(report.turns, "turn"),
    ];
    let session = single_line(&report.session, 80);
    let resumed =
        if report.resumed > 0 { format!(", resumed {}", count_text(report.resumed, "time")) } else { String::new() };
    last.push(Tone::Quiet, format!("  (session {session}: {}{resumed})", counts.join(", ")));
    lines.push(last);
    lines.extend(facts.evidence.as_ref().map(|evidence| render_evidence(evidence, report)));
    lines.push(StyledLine::new(Tone::Quiet, format!("digest: {}", report.digest)));
    lines
}

/// Says how much of a tape its checkpoints prove.
fn render_evidence(evidence: &EvidenceReport, report: &VerifyReport) -> StyledLine {
    let EvidenceReport { signed_count, witnessed_count, proved_count, unproved_count, .. } = evidence;
    let rest = match unproved_count {
        0 => String::new(),
        1 if report.closed => String::from("; only `closed` follows"),
        1 => String::from("; the last record has no checkpoint after it"),
        count => format!("; the last {count} records have no checkpoint after them"),
    };
    let tone = if *proved_count > 0 { Tone::Good } else { Tone::Warn };
    let mut line = StyledLine::new(tone, format!("proved: {proved_count} of {} records", report.records));
    line.push(Tone::Quiet, format!("  (checkpoints: {signed_count} signed, {witnessed_count} witnessed{rest})"));
    line
}

fn report_to_json(report: &VerifyReport, facts: &ExternalTapeFacts) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "line": finding.line, "record": finding.record, "found": finding.found, "expected": finding.expected,
        })
    });
    let unfinished = report.unfinished.iter().map(|open| json!({"line": open.line, "description": open.description}));
    let valid = report.is_valid() && facts.objections.is_empty();
    json!({
        "session": report.session,
        "valid": valid,
        "complete": report.is_complete() && facts.objections.is_empty() && !facts.is_running,
        "running": facts.is_running,
        "closed": report.closed,
        "digest": report.digest,
        "format": report.format,
        "records": report.records,
        "events": report.dispatches,
        "calls": report.calls,
        "turns": report.turns,
        "resumed": report.resumed,
        "findings": findings.collect::<Vec<_>>(),
        "against": facts.objections,
        "unfinished": unfinished.collect::<Vec<_>>(),
        "checkpoints": report.checkpoints.len(),
        "proof": facts.evidence.as_ref().map(|evidence| json!({
            "signed": evidence.signed_count,
            "witnessed": evidence.witnessed_count,
            "proved": evidence.proved_count,
            "unproved": evidence.unproved_count,
        })),
        "torn": report.torn.map(|torn| json!({"line": torn.line, "size_bytes": torn.size_bytes})),
    })
}

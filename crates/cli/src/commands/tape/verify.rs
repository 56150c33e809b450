//! `pintle tape verify`.

use std::path::{Path, PathBuf};

use clap::Args;
use pintle::tape::show::{StyledLine, Tone, single_line};
use pintle::tape::verify::{VerifyReport, verify_bytes};
use pintle::tape::{TapeCursor, read_file_bytes, is_being_written, session_folder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tape_error;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// How much of a digest has to be named at least.
const LEAST_DIGEST: usize = 16;

#[derive(Debug, Args)]
pub(crate) struct TapeVerifyArgs {
    /// The tape.
    tape: PathBuf,
    /// The digest that the tape must have, as `pintle run` and this command tell it at the end of a session; or its
    /// beginning.
    #[arg(long, value_name = "DIGEST", value_parser = parse_digest)]
    expect: Option<String>,
}

/// What a tape is besides what it says itself.
struct ExternalTapeFacts {
    /// Whether a program writes it now.
    is_running: bool,
    /// What speaks against it.
    objections: Vec<String>,
}

/// What the state beside the tape of another agent's session holds of it.
#[derive(Deserialize)]
struct StoredTapeCursor {
    cursor: Option<TapeCursor>,
}

impl TapeVerifyArgs {
    /// Verifies a tape; the status is 1 unless it is sound and whole.
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let is_running = is_being_written(&self.tape).unwrap_or(false);
        let bytes = read_file_bytes(&self.tape).map_err(|fault| tape_error(&self.tape, fault))?;
        let report = verify_bytes(&bytes).map_err(|fault| tape_error(&self.tape, fault))?;
        let mut against = Vec::new();
        if let Some(expected) = self.expect.as_ref().filter(|expected| !report.digest.starts_with(expected.as_str())) {
            against.push(format!("its digest is {}; expected {expected}", report.digest));
        }
        against.extend(check_stored_cursor(&self.tape, &bytes));
        let beside = ExternalTapeFacts { is_running, objections: against };
        if global.json {
            terminal.print_json(&report_to_json(&report, &beside));
        } else {
            terminal.print_lines(&render_report(&report, &beside));
        }
        let is_whole = report.is_complete() && beside.objections.is_empty() && !is_running;
        Ok(if is_whole { CliStatus::Done } else { CliStatus::Failed })
    }
}

fn parse_digest(text: &str) -> Result<String, String> {
    let text = text.to_ascii_lowercase();
    match text.len() {
        LEAST_DIGEST..=64 if text.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(text),
        _ => Err(format!("a digest is 64 hexadecimal digits, of which at least {LEAST_DIGEST} have to be named")),
    }
}

/// Whether the state beside a tape, which tells where the last call left it, tells of another one.
fn check_stored_cursor(tape: &Path, bytes: &[u8]) -> Option<String> {
    let folder = tape.parent()?;
    let kept = session_folder::load_state(folder).ok()?.filter(|_| session_folder::tape_path(folder) == tape)?;
    let StoredTapeCursor { cursor } = serde_json::from_slice(&kept).ok()?;
    let cursor = cursor.filter(|cursor| !cursor.is_within(bytes))?;
    Some(format!(
        "the state beside it tells of {} records, the last one with the digest {}; they are not there",
        cursor.record_count(),
        cursor.digest().unwrap_or("none")
    ))
}

fn render_report(report: &VerifyReport, beside: &ExternalTapeFacts) -> Vec<StyledLine> {
    let cut = |text: &str| single_line(text, 2_000);
    let mut lines: Vec<StyledLine> = Vec::new();
    lines.extend(report.findings.iter().map(|finding| StyledLine::new(Tone::Bad, cut(&finding.to_string()))));
    lines.extend(beside.objections.iter().map(|against| StyledLine::new(Tone::Bad, cut(against))));
    if !beside.is_running {
        lines.extend(report.unfinished.iter().map(|open| StyledLine::new(Tone::Warn, cut(&format!("unfinished: {open}")))));
        lines.extend(report.torn.map(|torn| StyledLine::new(Tone::Warn, format!("torn: {torn}"))));
    }
    let against = report.findings.len() + beside.objections.len();
    let (tone, verdict) = match (against, report.is_complete()) {
        (0, _) if beside.is_running => (Tone::Warn, String::from("running: sound so far, and being written")),
        (0, true) if report.closed => (Tone::Good, String::from("sound and whole")),
        (0, true) => {
            let what = format!("sound; format {} has no record of its end, so that a cut may not be seen", report.format);
            (Tone::Good, what)
        }
        (0, false) => (Tone::Warn, String::from("unfinished: sound as far as it goes")),
        (1, _) => (Tone::Bad, String::from("not sound: 1 finding")),
        (count, _) => (Tone::Bad, format!("not sound: {count} findings")),
    };
    let mut last = StyledLine::new(tone, verdict);
    let counts = [
        count_text(report.records, "record"),
        count_text(report.dispatches, "event"),
        format!("{} of hooks", count_text(report.calls, "call")),
        count_text(report.turns, "turn"),
    ];
    let session = single_line(&report.session, 80);
    let resumed =
        if report.resumed > 0 { format!(", resumed {}", count_text(report.resumed, "time")) } else { String::new() };
    last.push(Tone::Quiet, format!("  (session {session}: {}{resumed})", counts.join(", ")));
    lines.push(last);
    lines.push(StyledLine::new(Tone::Quiet, format!("digest: {}", report.digest)));
    lines
}

fn count_text(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn report_to_json(report: &VerifyReport, beside: &ExternalTapeFacts) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "line": finding.line, "record": finding.record, "found": finding.found, "expected": finding.expected,
        })
    });
    let unfinished = report.unfinished.iter().map(|open| json!({"line": open.line, "what": open.description}));
    json!({
        "session": report.session,
        "sound": report.is_valid() && beside.objections.is_empty(),
        "whole": report.is_complete() && beside.objections.is_empty() && !beside.is_running,
        "running": beside.is_running,
        "closed": report.closed,
        "digest": report.digest,
        "format": report.format,
        "records": report.records,
        "events": report.dispatches,
        "calls": report.calls,
        "turns": report.turns,
        "resumed": report.resumed,
        "findings": findings.collect::<Vec<_>>(),
        "against": beside.objections,
        "unfinished": unfinished.collect::<Vec<_>>(),
        "torn": report.torn.map(|torn| json!({"line": torn.line, "size_bytes": torn.size_bytes})),
    })
}

//! `pintle tape verify`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use pintle::tape::TapeError;
use pintle::tape::show::{Line, Tone, plain};
use pintle::tape::verify::{Report, verify_bytes};
use serde_json::{Value, json};

use super::fault_of;
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The tape.
    tape: PathBuf,
}

impl Verify {
    /// Verifies a tape; the status is 1 when something is wrong with it.
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let open = |source| fault_of(&self.tape, TapeError::Open { path: self.tape.clone(), source });
        let bytes = fs::read(&self.tape).map_err(open)?;
        let report = verify_bytes(&bytes).map_err(|fault| fault_of(&self.tape, fault))?;
        if global.json {
            terminal.json(&in_json(&report));
        } else {
            terminal.lines(&lines(&report));
        }
        Ok(if report.is_sound() { Status::Done } else { Status::Failed })
    }
}

fn lines(report: &Report) -> Vec<Line> {
    let cut = |text: &str| plain(text, 2_000);
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(report.findings.iter().map(|finding| Line::new(Tone::Bad, cut(&finding.to_string()))));
    lines.extend(report.unfinished.iter().map(|open| Line::new(Tone::Warn, cut(&format!("unfinished: {open}")))));
    lines.extend(report.torn.map(|torn| Line::new(Tone::Warn, format!("torn: {torn}"))));
    let (tone, verdict) = match (report.findings.len(), report.is_whole()) {
        (0, true) => (Tone::Good, String::from("sound and whole")),
        (0, false) => (Tone::Warn, String::from("sound as far as it goes; the session was cut off")),
        (1, _) => (Tone::Bad, String::from("not sound: 1 finding")),
        (count, _) => (Tone::Bad, format!("not sound: {count} findings")),
    };
    let mut last = Line::new(tone, verdict);
    let counts = [
        counted(report.records, "record"),
        counted(report.dispatches, "event"),
        format!("{} of hooks", counted(report.calls, "call")),
        counted(report.turns, "turn"),
    ];
    let session = plain(&report.session, 80);
    let resumed =
        if report.resumed > 0 { format!(", resumed {}", counted(report.resumed, "time")) } else { String::new() };
    last.push(Tone::Quiet, format!("  (session {session}: {}{resumed})", counts.join(", ")));
    lines.push(last);
    lines
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn in_json(report: &Report) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "line": finding.line, "record": finding.record, "found": finding.found, "expected": finding.expected,
        })
    });
    let unfinished = report.unfinished.iter().map(|open| json!({"line": open.line, "what": open.what}));
    json!({
        "session": report.session,
        "sound": report.is_sound(),
        "whole": report.is_whole(),
        "records": report.records,
        "events": report.dispatches,
        "calls": report.calls,
        "turns": report.turns,
        "resumed": report.resumed,
        "findings": findings.collect::<Vec<_>>(),
        "unfinished": unfinished.collect::<Vec<_>>(),
        "torn": report.torn.map(|torn| json!({"line": torn.line, "size_bytes": torn.size_bytes})),
    })
}

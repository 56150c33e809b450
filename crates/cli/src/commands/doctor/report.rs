//! The report of `pintle doctor`, as text and as JSON.

use pintle_bridge::doctor::{CheckStatus, DoctorReport, LastFired};
use pintle_bridge::install::InstallEnvironment;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::options::RecordedSessions;
use crate::render::{age_text, count_text, guards};

/// Most characters of a line.
const CUT: usize = 600;

/// Renders the report of a host as text.
pub(super) fn text(report: &DoctorReport, environment: &InstallEnvironment) -> Vec<StyledLine> {
    let host = report.host;
    let client = report.client.as_ref().map(|client| {
        format!(" {} ({})", version_number(&single_line(&client.version, CUT)), environment.display_path(&client.path))
    });
    let mut lines = vec![StyledLine::new(Tone::Plain, format!("{}{}", host.title, client.unwrap_or_default()))];
    for place in &report.locations {
        let entries = match place.entries.len() {
            0 => String::from("not installed"),
            number => count_text(number, "event"),
        };
        let text = format!("  {:<8} {}: {entries}", place.scope.as_str(), environment.display_path(&place.path));
        lines.push(StyledLine::new(Tone::Quiet, text));
    }
    for finding in &report.findings {
        let tone = match finding.status {
            CheckStatus::Ok => Tone::Good,
            CheckStatus::Note => Tone::Warn,
            CheckStatus::Problem => Tone::Bad,
        };
        lines.push(StyledLine::new(
            tone,
            format!("  {:<5} {}", finding.status.as_str(), single_line(&finding.text, CUT)),
        ));
        lines.extend(
            finding.help.iter().map(|help| StyledLine::new(Tone::Quiet, format!("        {}", single_line(help, CUT)))),
        );
    }
    let now_ms = SystemClock::default().unix_ms();
    let width = report.events.iter().map(|fired| fired.event.len()).max().unwrap_or_default();
    if !report.events.is_empty() {
        let is_new = report.events.iter().all(|fired| fired.last_ms.is_none());
        let none = if is_new { ": none yet, so start a new session and check again" } else { "" };
        lines.push(StyledLine::new(Tone::Plain, format!("  when each event last fired{none}")));
    }
    lines.extend(report.events.iter().map(|fired| {
        let last = fired.last_ms.map_or_else(|| String::from("never"), |at| age_text(now_ms.saturating_sub(at)));
        StyledLine::new(Tone::Plain, format!("    {:<width$}  {last}", fired.event))
    }));
    lines
}

/// Renders what is recorded on this machine.
pub(super) fn recorded_text(recorded: &RecordedSessions, environment: &InstallEnvironment) -> Vec<StyledLine> {
    let text = recorded.text(|path| environment.display_path(path));
    let hint = recorded.hint().map(|hint| StyledLine::new(Tone::Quiet, hint));
    [StyledLine::new(Tone::Plain, single_line(&text, CUT))].into_iter().chain(hint).collect()
}

/// Returns the number in a program's version text, or all of the text if it has none.
fn version_number(output: &str) -> &str {
    let number = output.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    number.map_or(output, |number| number.trim_end_matches(['.', ',']))
}

/// Renders the report of a host as JSON.
pub(super) fn json(report: &DoctorReport, recorded: Option<&RecordedSessions>) -> Value {
    let places = report.locations.iter().map(|place| {
        let events: Vec<&str> = place.entries.iter().map(|entry| entry.event.as_str()).collect();
        let guards = place.guards.as_ref().map(guards::to_json);
        json!({"scope": place.scope.as_str(), "path": place.path, "events": events, "guards": guards})
    });
    let fired = |fired: &LastFired| json!({"event": fired.event, "last_ms": fired.last_ms});
    json!({
        "host": report.host.name,
        "healthy": report.is_healthy(),
        "client": report.client.as_ref().map(|client| json!({"path": client.path, "version": client.version})),
        "scopes": places.collect::<Vec<_>>(),
        "findings": guards::findings_to_json(&report.findings),
        "events": report.events.iter().map(fired).collect::<Vec<_>>(),
        "recorded_sessions": recorded.map(RecordedSessions::to_json),
    })
}

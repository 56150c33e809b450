//! The report of `pintle doctor`, as text and as JSON.

use pintle_bridge::doctor::{CheckStatus, DoctorReport, LastFired};
use pintle_bridge::install::InstallEnvironment;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::render::{age_text, count_text, guards};

/// Most characters of a line.
const CUT: usize = 600;

/// Renders the report of a host as text.
pub(super) fn text(examination: &DoctorReport, site: &InstallEnvironment) -> Vec<StyledLine> {
    let host = examination.host;
    let client = examination.client.as_ref().map(|client| {
        format!(" {} ({})", version_number(&single_line(&client.version, CUT)), site.display_path(&client.path))
    });
    let mut lines = vec![StyledLine::new(Tone::Plain, format!("{}{}", host.title, client.unwrap_or_default()))];
    for place in &examination.locations {
        let entries = match place.entries.len() {
            0 => String::from("not installed"),
            number => count_text(number, "event"),
        };
        let text = format!("  {:<8} {}: {entries}", place.scope.as_str(), site.display_path(&place.path));
        lines.push(StyledLine::new(Tone::Quiet, text));
    }
    for finding in &examination.findings {
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
    let width = examination.events.iter().map(|fired| fired.event.len()).max().unwrap_or_default();
    if !examination.events.is_empty() {
        let is_new = examination.events.iter().all(|fired| fired.last_ms.is_none());
        let none = if is_new { ": none yet, so start a new session and check again" } else { "" };
        lines.push(StyledLine::new(Tone::Plain, format!("  when each event last fired{none}")));
    }
    lines.extend(examination.events.iter().map(|fired| {
        let last = fired.last_ms.map_or_else(|| String::from("never"), |at| age_text(now_ms.saturating_sub(at)));
        StyledLine::new(Tone::Plain, format!("    {:<width$}  {last}", fired.event))
    }));
    lines
}

/// Returns the number in a program's version text, or all of the text if it has none.
fn version_number(said: &str) -> &str {
    let number = said.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    number.map_or(said, |number| number.trim_end_matches(['.', ',']))
}

/// Renders the report of a host as JSON.
pub(super) fn json(examination: &DoctorReport) -> Value {
    let places = examination.locations.iter().map(|place| {
        let events: Vec<&str> = place.entries.iter().map(|entry| entry.event.as_str()).collect();
        let guards = place.guards.as_ref().map(guards::to_json);
        json!({"scope": place.scope.as_str(), "path": place.path, "events": events, "guards": guards})
    });
    let fired = |fired: &LastFired| json!({"event": fired.event, "last_ms": fired.last_ms});
    json!({
        "host": examination.host.name,
        "healthy": examination.is_healthy(),
        "client": examination.client.as_ref().map(|client| json!({"path": client.path, "version": client.version})),
        "scopes": places.collect::<Vec<_>>(),
        "findings": guards::findings_to_json(&examination.findings),
        "events": examination.events.iter().map(fired).collect::<Vec<_>>(),
    })
}

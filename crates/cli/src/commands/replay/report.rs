//! The report of a replay, as text and as JSON.

use std::path::Path;
use std::time::Duration;

use pintle_host::tape::replay::{ReplayDifference, ReplayReport, StopPoint};
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde_json::json;

use super::excerpt;
use crate::render::count_text;
use crate::terminal::Terminal;

/// Most characters of an excerpt.
const CHARS: usize = 160;

/// Prints the report as text.
pub(super) fn print_text(
    replayed: &ReplayReport,
    took: Duration,
    stop: Option<&StopPoint>,
    out: Option<&Path>,
    terminal: &Terminal,
) {
    let ReplayReport { records, total_records: of_records, dispatches, calls, turns, .. } = replayed;
    let mut parts = vec![count_text(*records, "record")];
    if let Some(stop) = stop {
        parts = vec![format!("{} of {of_records} (until {stop})", count_text(*records, "record"))];
    }
    parts.push(format!("{dispatches} dispatch{}", if *dispatches == 1 { "" } else { "es" }));
    parts.push(count_text(*calls, "hook call"));
    if *turns > 0 {
        parts.push(count_text(*turns, "turn"));
    }
    terminal.print_lines(&[StyledLine::new(
        Tone::Quiet,
        format!("replayed {} in {} ms", parts.join(", "), took.as_millis()),
    )]);
    for one in &replayed.unfinished {
        let reason = if stop.is_some() { "the replay stopped before it" } else { "the session ended before it" };
        let text = format!("line {}: dispatch {} ({}) has no outcome: {reason}", one.line, one.dispatch, one.event);
        terminal.print_lines(&[StyledLine::new(Tone::Warn, format!("note: {text}"))]);
    }
    if let Some(torn) = replayed.torn {
        terminal.print_lines(&[StyledLine::new(Tone::Warn, format!("note: {torn}"))]);
    }
    if let Some(out) = out {
        terminal.print_lines(&[StyledLine::new(Tone::Quiet, format!("wrote the new tape to {}", out.display()))]);
    }
    match &replayed.difference {
        None => terminal.print_lines(&[StyledLine::new(Tone::Good, "identical, byte for byte")]),
        Some(difference) => terminal.print_lines(&render_difference(difference)),
    }
}

fn render_difference(difference: &ReplayDifference) -> Vec<StyledLine> {
    let ReplayDifference { line, difference_kind: reason, kind, dispatch, event, hook, expected, actual: got } =
        difference;
    let mut place = format!("line {line}: {}", single_line(kind, 40));
    if let (Some(dispatch), Some(event)) = (dispatch, event) {
        place.push_str(&format!(" of dispatch {dispatch} ({})", single_line(event, 60)));
    }
    if let Some(hook) = hook {
        place.push_str(&format!(", hook `{}`", single_line(hook, 80)));
    }
    let mut lines =
        vec![StyledLine::new(Tone::Bad, "different"), StyledLine::new(Tone::Plain, format!("{place}: {reason}"))];
    lines.extend(excerpt::render_excerpts("on the tape", expected, "replayed", got.as_deref(), CHARS));
    lines
}

/// Prints the report as JSON.
pub(super) fn print_json(replayed: &ReplayReport, took: Duration, terminal: &Terminal) {
    let difference = replayed.difference.as_ref().map(|difference| {
        json!({
            "line": difference.line, "kind": difference.difference_kind.as_str(), "record_kind": difference.kind,
            "dispatch": difference.dispatch, "event": difference.event, "hook": difference.hook,
            "expected": difference.expected, "actual": difference.actual,
        })
    });
    let unfinished = replayed.unfinished.iter();
    let unfinished: Vec<_> =
        unfinished.map(|one| json!({"line": one.line, "dispatch": one.dispatch, "event": one.event})).collect();
    terminal.print_json(&json!({
        "identical": replayed.difference.is_none(),
        "records": replayed.records,
        "of_records": replayed.total_records,
        "dispatches": replayed.dispatches,
        "hook_calls": replayed.calls,
        "turns": replayed.turns,
        "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "unfinished": unfinished,
        "torn": replayed.torn.map(|torn| json!({"line": torn.line, "size_bytes": torn.size_bytes})),
        "difference": difference,
    }));
}

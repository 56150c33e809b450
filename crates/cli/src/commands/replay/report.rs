//! What a replay came to.

use std::path::Path;
use std::time::Duration;

use pintle::tape::replay::{Difference, Replayed, Until};
use pintle::tape::show::{Line, Tone, plain};
use serde_json::json;

use super::excerpt;
use crate::render::count;
use crate::terminal::Terminal;

/// Characters of a line around the place where two differ.
const CHARS: usize = 160;

/// For people.
pub(super) fn text(
    replayed: &Replayed,
    took: Duration,
    until: Option<&Until>,
    out: Option<&Path>,
    terminal: &Terminal,
) {
    let Replayed { records, of_records, dispatches, calls, turns, .. } = replayed;
    let mut parts = vec![count(*records, "record")];
    if let Some(until) = until {
        parts = vec![format!("{} of {of_records} (until {until})", count(*records, "record"))];
    }
    parts.push(format!("{dispatches} dispatch{}", if *dispatches == 1 { "" } else { "es" }));
    parts.push(count(*calls, "hook call"));
    if *turns > 0 {
        parts.push(count(*turns, "turn"));
    }
    terminal.lines(&[Line::new(Tone::Quiet, format!("enacted {} in {} ms", parts.join(", "), took.as_millis()))]);
    for one in &replayed.unfinished {
        let why = if until.is_some() { "the replay stops in it" } else { "the session ended in it" };
        let text = format!("line {}: dispatch {} ({}) has no outcome: {why}", one.line, one.dispatch, one.event);
        terminal.lines(&[Line::new(Tone::Warn, format!("note: {text}"))]);
    }
    if let Some(torn) = replayed.torn {
        terminal.lines(&[Line::new(Tone::Warn, format!("note: {torn}"))]);
    }
    if let Some(out) = out {
        terminal.lines(&[Line::new(Tone::Quiet, format!("the new tape is in {}", out.display()))]);
    }
    match &replayed.difference {
        None => terminal.lines(&[Line::new(Tone::Good, "identical, byte for byte")]),
        Some(difference) => terminal.lines(&lines(difference)),
    }
}

fn lines(difference: &Difference) -> Vec<Line> {
    let Difference { line, why, kind, dispatch, event, hook, expected, got } = difference;
    let mut place = format!("line {line}: {}", plain(kind, 40));
    if let (Some(dispatch), Some(event)) = (dispatch, event) {
        place.push_str(&format!(" of dispatch {dispatch} ({})", plain(event, 60)));
    }
    if let Some(hook) = hook {
        place.push_str(&format!(", hook `{}`", plain(hook, 80)));
    }
    let mut lines = vec![Line::new(Tone::Bad, "different"), Line::new(Tone::Plain, format!("{place}: {why}"))];
    lines.extend(excerpt::lines("on the tape", expected, "enacted", got.as_deref(), CHARS));
    lines
}

/// For programs.
pub(super) fn json(replayed: &Replayed, took: Duration, terminal: &Terminal) {
    let difference = replayed.difference.as_ref().map(|difference| {
        json!({
            "line": difference.line, "why": difference.why.as_str(), "kind": difference.kind,
            "dispatch": difference.dispatch, "event": difference.event, "hook": difference.hook,
            "expected": difference.expected, "got": difference.got,
        })
    });
    let unfinished = replayed.unfinished.iter();
    let unfinished: Vec<_> =
        unfinished.map(|one| json!({"line": one.line, "dispatch": one.dispatch, "event": one.event})).collect();
    terminal.json(&json!({
        "identical": replayed.difference.is_none(),
        "records": replayed.records,
        "of_records": replayed.of_records,
        "dispatches": replayed.dispatches,
        "hook_calls": replayed.calls,
        "turns": replayed.turns,
        "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "unfinished": unfinished,
        "torn": replayed.torn.map(|torn| json!({"line": torn.line, "size_bytes": torn.size_bytes})),
        "difference": difference,
    }));
}

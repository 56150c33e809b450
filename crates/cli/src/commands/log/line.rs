//! An entry of the log as a line, and as JSON.

use jiff::tz::TimeZone;
use pintle_host::tape::decisions::DecisionLabel;
use pintle_host::tape::show::{StyledLine, Tone};
use pintle_log::{DecisionPlace, LogEntry, call_text, decided_text, decision_to_json, time_text};
use serde_json::Value;

/// Most characters of a call and of a reason where lines may be long.
const LONG_CHARS: usize = 300;
/// Most characters of a call on a terminal, whose rest is for the reason.
const CALL_CHARS: usize = 60;
/// The columns of a terminal on which an entry is one line.
const CUT_COLUMNS: usize = 72;
/// The line of an entry: time, ID, decision, agent, call, and by which rule for which reason. On a terminal it is cut to
/// the width of that; on a narrow one, which the first four fill, it is wrapped.
pub(super) fn render_entry(entry: &LogEntry, zone: &TimeZone, width: Option<usize>) -> StyledLine {
    let decision = &entry.decision;
    let tone = word_tone(decision.word());
    let mut line = StyledLine::new(Tone::Quiet, format!("{}  {:<10}  ", time_text(decision.at_ms, zone), entry.id));
    line.push(tone, format!("{:<9}", decision.word().as_str()));
    line.push(Tone::Quiet, format!("  {:<8}  ", agent_text(entry)));
    let call = call_text(decision, width.map_or(LONG_CHARS, |_| CALL_CHARS));
    line.push(if tone == Tone::Quiet { Tone::Quiet } else { Tone::Plain }, call);
    let decided = decided_text(decision, LONG_CHARS);
    if !decided.is_empty() {
        line.push(Tone::Quiet, "  ");
        line.push(tone, decided);
    }
    match width {
        Some(width) if width >= CUT_COLUMNS => cut_line(line, width),
        _ => line,
    }
}

/// Cuts a line to a number of characters.
fn cut_line(line: StyledLine, width: usize) -> StyledLine {
    let mut left = width;
    if line.pieces.iter().map(|(_, text)| text.chars().count()).sum::<usize>() <= width {
        return line;
    }
    let mut cut = StyledLine::default();
    for (tone, text) in line.pieces {
        let kept: String = text.chars().take(left.saturating_sub(1)).collect();
        left -= kept.chars().count();
        let is_whole = kept.len() == text.len();
        cut.push(tone, kept);
        if !is_whole {
            cut.push(tone, "…");
            break;
        }
    }
    cut
}

/// The tone of a decision.
pub(in crate::commands) fn word_tone(label: DecisionLabel) -> Tone {
    match label {
        DecisionLabel::Denied => Tone::Bad,
        DecisionLabel::Asked | DecisionLabel::Rewritten | DecisionLabel::Undecided => Tone::Warn,
        DecisionLabel::Allowed => Tone::Quiet,
    }
}

/// Who made the call: the agent under `pintle hook`, or an agent of Pintle's own loop.
pub(in crate::commands) fn agent_text(entry: &LogEntry) -> String {
    pintle_log::agent_text(&entry.decision, entry.host.as_deref())
}

/// The entry for other programs.
pub(in crate::commands) fn entry_to_json(entry: &LogEntry) -> Value {
    let tape = entry.tape.to_string_lossy();
    let (host, project) = (entry.host.as_deref(), entry.project.as_deref());
    let place = DecisionPlace { host, session: &entry.session, project, tape: &tape };
    decision_to_json(&entry.decision, &place, &[("id", &entry.id), ("long_id", &entry.long_id)])
}

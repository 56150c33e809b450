//! An entry of the log as a line, and as JSON.

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pintle_host::tape::decisions::{DecisionLabel, OWN_NAME, RecordedDecision};
use pintle_host::tape::record::ApprovalResult;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_log::LogEntry;
use serde_json::{Value, json};

/// Most characters of a call and of a reason where lines may be long.
const LONG_CHARS: usize = 300;
/// Most characters of a call on a terminal, whose rest is for the reason.
const CALL_CHARS: usize = 60;
/// The columns of a terminal on which an entry is one line.
const CUT_COLUMNS: usize = 72;
/// Most characters of a name.
const NAME_CHARS: usize = 40;

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

/// A time in a zone, to the second.
pub(in crate::commands) fn time_text(unix_ms: u64, zone: &TimeZone) -> String {
    let time =
        i64::try_from(unix_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or(Timestamp::MAX);
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Who made the call: the agent under `pintle hook`, or an agent of Pintle's own loop.
pub(in crate::commands) fn agent_text(entry: &LogEntry) -> String {
    let agent = entry.host.as_deref().unwrap_or(&entry.decision.origin.agent);
    single_line(agent, NAME_CHARS)
}

/// The call: its tool and what it does; of other events, their name and what they are about.
pub(in crate::commands) fn call_text(decision: &RecordedDecision, chars: usize) -> String {
    let what = decision.tool.as_deref().unwrap_or(&decision.event);
    let text = format!("{}: {}", single_line(what, NAME_CHARS), single_line(&decision.call, chars));
    text.strip_suffix(": ").map_or_else(|| text.clone(), str::to_owned)
}

/// By which rule or hook, and why.
fn decided_text(decision: &RecordedDecision, chars: usize) -> String {
    // Pintle's own reasons say that they are.
    let by = decision.rule().or_else(|| decision.deciding_hook()).filter(|name| *name != OWN_NAME);
    let by = by.map(|name| single_line(name, NAME_CHARS)).unwrap_or_default();
    let failed = match decision.failures.first() {
        Some(failed) if !failed.denied => format!(
            "{} failed and was left out: {}",
            single_line(&failed.hook, NAME_CHARS),
            single_line(&failed.message, chars)
        ),
        _ => String::new(),
    };
    let reason = single_line(&decision.reason(), chars);
    let reason = if decision.reasons.is_empty() && !failed.is_empty() { String::new() } else { reason };
    let why = [by, reason].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
    let answer = decision.answer.map(answer_text).unwrap_or_default().to_owned();
    [answer, why, failed].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// How an ask was answered.
fn answer_text(answer: ApprovalResult) -> &'static str {
    match answer {
        ApprovalResult::Approved => "approved",
        ApprovalResult::GrantedTool => "approved for all such calls",
        ApprovalResult::GrantedSession => "approved for the session",
        ApprovalResult::Refused => "refused by the user",
        // The agent asks in its own way, and does not say what the user answered.
        ApprovalResult::Deferred => "",
        ApprovalResult::Unavailable => "there was no user to ask",
    }
}

/// The entry for other programs.
pub(in crate::commands) fn entry_to_json(entry: &LogEntry) -> Value {
    let decision = &entry.decision;
    json!({
        "id": entry.id,
        "long_id": entry.long_id,
        "at_ms": decision.at_ms,
        "word": decision.word().as_str(),
        "decision": decision.decision,
        "told": decision.told,
        "answer": decision.answer,
        "host": entry.host,
        "session": entry.session,
        "project": entry.project.as_deref().map(Path::new),
        "agent": decision.origin.agent,
        "turn": decision.origin.turn,
        "event": decision.event,
        "tool": decision.tool,
        "call": decision.call,
        "is_rewritten": decision.is_rewritten,
        "changed_by": decision.changed_by,
        "rule": decision.rule(),
        "hook": decision.deciding_hook(),
        "reason": decision.reason(),
        "reasons": decision.reasons,
        "failures": decision.failures,
        "hooks_called": decision.hooks_called,
        "duration_us": decision.duration_us,
        "tape": entry.tape,
        "seq": decision.seq,
        "dispatch": decision.dispatch,
    })
}

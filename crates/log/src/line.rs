//! A decision of a log as texts of its line, and as JSON.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pintle_tape::decisions::{OWN_NAME, RecordedDecision};
use pintle_tape::record::ApprovalResult;
use pintle_tape::show::single_line;
use serde_json::{Map, Value, json};

/// Most characters of a name.
pub const NAME_CHARS: usize = 40;

/// Where a decision was recorded.
#[derive(Debug, Clone, Copy)]
pub struct DecisionPlace<'a> {
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<&'a str>,
    /// The session.
    pub session: &'a str,
    /// The directory of the project; `None` if it is not known.
    pub project: Option<&'a str>,
    /// What names the tape.
    pub tape: &'a str,
}

/// A time in a zone, to the second.
#[must_use]
pub fn time_text(unix_ms: u64, zone: &TimeZone) -> String {
    let time =
        i64::try_from(unix_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or(Timestamp::MAX);
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Who made the call: the agent under `pintle hook`, or an agent of Pintle's own loop.
#[must_use]
pub fn agent_text(decision: &RecordedDecision, host: Option<&str>) -> String {
    single_line(host.unwrap_or(&decision.origin.agent), NAME_CHARS)
}

/// The call: its tool and what it does; of other events, their name and what they are about.
#[must_use]
pub fn call_text(decision: &RecordedDecision, chars: usize) -> String {
    let what = decision.tool.as_deref().unwrap_or(&decision.event);
    let text = format!("{}: {}", single_line(what, NAME_CHARS), single_line(&decision.call, chars));
    text.strip_suffix(": ").map_or_else(|| text.clone(), str::to_owned)
}

/// By which rule or hook, and why.
#[must_use]
pub fn decided_text(decision: &RecordedDecision, chars: usize) -> String {
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

/// The decision for other programs: `names` says first what names it.
#[must_use]
pub fn decision_to_json(decision: &RecordedDecision, place: &DecisionPlace<'_>, names: &[(&str, &str)]) -> Value {
    let mut fields: Map<String, Value> =
        names.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    let facts = json!({
        "at_ms": decision.at_ms,
        "word": decision.word().as_str(),
        "decision": decision.decision,
        "told": decision.told,
        "answer": decision.answer,
        "host": place.host,
        "session": place.session,
        "project": place.project,
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
        "tape": place.tape,
        "seq": decision.seq,
        "dispatch": decision.dispatch,
    });
    if let Value::Object(facts) = facts {
        fields.extend(facts);
    }
    Value::Object(fields)
}

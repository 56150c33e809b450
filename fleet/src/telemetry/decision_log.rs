//! A decision as a log record.

use opentelemetry_proto::tonic::logs::v1::{LogRecord, SeverityNumber};
use pintle_contract::to_hex;
use pintle_log::{agent_text, call_text, decided_text};
use pintle_tape::decisions::{DecisionLabel, RecordedDecision};

use super::attributes::{
    AGENT, CONVERSATION, EVENT, HOOK, REASON, TEXT_CHARS, TOOL, TURN, VERDICT, content, nanos, number, span_id, text,
    text_value,
};
use super::translate::{SpanPlace, TracedTape};

/// The name of such log records.
const EVENT_NAME: &str = "pintle.decision";

/// The log record of a decision: its body is the line of `pintle log` without what is in attributes for all records, such as
/// the time. Without content it does not say what the call does.
pub(super) fn to_log_record(decision: &RecordedDecision, place: &SpanPlace, facts: &TracedTape) -> LogRecord {
    let bare;
    let shown = if facts.with_content {
        decision
    } else {
        bare = without_content(decision);
        &bare
    };
    let (word, agent) = (decision.word(), agent_text(decision, facts.host.as_deref()));
    let (call, decided) = (call_text(shown, TEXT_CHARS), decided_text(shown, TEXT_CHARS));
    let body = format!("{}  {agent}  {call}  {decided}", word.as_str());
    let (severity, severity_text) = severity_of(decision);
    let mut attributes = vec![
        text("log.record.uid", &to_hex(&span_id(&facts.tape, "decision", decision.seq))),
        text(VERDICT, word.as_str()),
        text(EVENT, &decision.event),
        text(AGENT, &agent),
        text(CONVERSATION, &facts.session),
        text("pintle.tape", &facts.tape),
        number("pintle.seq", decision.seq),
        number(TURN, decision.origin.turn.into()),
        number("pintle.hooks_called", decision.hooks_called.into()),
    ];
    let reason = shown.reason();
    let named = [
        (TOOL, decision.tool.as_deref()),
        (HOOK, decision.deciding_hook()),
        ("pintle.rule", decision.rule()),
        (REASON, Some(reason.as_str())),
    ];
    let named = named.into_iter().filter_map(|(key, value)| Some((key, value.filter(|value| !value.is_empty())?)));
    attributes.extend(named.map(|(key, value)| text(key, value)));
    if facts.with_content {
        attributes.push(content("pintle.call", &decision.call));
        attributes.extend(facts.project.as_deref().map(|project| content("pintle.project", project)));
    }
    LogRecord {
        time_unix_nano: nanos(decision.at_ms),
        observed_time_unix_nano: nanos(decision.at_ms),
        severity_number: severity.into(),
        severity_text: severity_text.to_owned(),
        body: Some(text_value(body.trim_end())),
        attributes,
        trace_id: place.trace.clone(),
        span_id: place.span.clone(),
        event_name: EVENT_NAME.to_owned(),
        ..LogRecord::default()
    }
}

/// A decision without what the call does, and with the kinds of failures only: their messages can quote what a hook printed.
fn without_content(decision: &RecordedDecision) -> RecordedDecision {
    let mut bare = RecordedDecision { call: String::new(), ..decision.clone() };
    for failed in &mut bare.failures {
        failed.message = failed.message.split(':').next().unwrap_or_default().to_owned();
    }
    bare
}

fn severity_of(decision: &RecordedDecision) -> (SeverityNumber, &'static str) {
    match decision.word() {
        _ if !decision.failures.is_empty() => (SeverityNumber::Error, "ERROR"),
        DecisionLabel::Denied | DecisionLabel::Undecided => (SeverityNumber::Warn, "WARN"),
        DecisionLabel::Asked | DecisionLabel::Rewritten | DecisionLabel::Allowed => (SeverityNumber::Info, "INFO"),
    }
}

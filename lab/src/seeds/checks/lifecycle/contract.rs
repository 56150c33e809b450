//! Checks the dialect against the tables and examples of the document.

use std::sync::Arc;

use pintle_dialects::framework_hooks::{DIALECT, ROWS};
use pintle_host::contract::{CommandOutput, HandlerOutput, VerdictKind};
use pintle_host::tools::{HookVocabulary, heard_events, vocabulary_by_name};
use pintle_host::{Event, EventName, Origin};
use serde_json::{Value, json};

use super::document::LifecycleDocument;
use crate::seeds::tally::{CheckTally, expect, expect_equal};

pub(super) fn check(document: &LifecycleDocument, tally: &mut CheckTally) {
    tally.check_count("payloads of script hooks", document.payloads.len(), 3);
    tally.check_count("decisions of script hooks", document.decisions.len(), 3);
    let known: Vec<&str> = ROWS.iter().map(|def| def.name).collect();
    let shown: Vec<&str> = document.events.iter().map(String::as_str).collect();
    tally.check("the lifecycle events are those in the document", expect_equal(&known, &shown));
    for payload in &document.payloads {
        let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        tally
            .check(format!("the payload in the document for {name} is what a hook gets"), check_payload(payload, name));
    }
    for decision in &document.decisions {
        tally.check(format!("the decision `{decision}` means what the document says"), check_decision(decision));
    }
    for (code, wanted) in [(0, "pass"), (2, "deny"), (1, "failed"), (7, "failed")] {
        let said = decode_output(Some(code), "").map(|said| verdict_name(&said));
        tally
            .check(format!("a script hook that exits with {code}"), said.and_then(|said| expect_equal(&said, &wanted)));
    }
}

/// Sends the canonical event of a payload, and compares the result.
fn check_payload(payload: &Value, name: &str) -> Result<(), String> {
    let canonical =
        ROWS.iter().find(|def| def.name == name).map(|def| def.canonical).ok_or("the event does not exist")?;
    let origin = Origin {
        session: field_text(payload, "session_id"),
        transcript: field_text(payload, "transcript_path"),
        ..Origin::default()
    };
    let mut wanted = payload.clone();
    // The event has more fields than those shown for every event.
    if name == "PreToolUse" && payload.get("tool_name").is_none() {
        wanted = json!({"tool_name": "", "tool_input": null});
        let fields = payload.as_object().into_iter().flatten();
        wanted
            .as_object_mut()
            .into_iter()
            .for_each(|all| all.extend(fields.clone().map(|(key, value)| (key.clone(), value.clone()))));
    }
    let input = payload.get("tool_input").cloned().unwrap_or_default();
    let tool = if payload.get("tool_name").is_some() { "shell" } else { "" };
    let fired = json!({"prompt": field_text(payload, "prompt"), "name": tool, "args": input});
    let event = EventName::from(canonical);
    let codec = (DIALECT.codec)();
    let words = codec.tool_vocabulary(name).and_then(vocabulary_by_name).ok_or("the dialect has no vocabulary")?;
    let heard = heard_events(&Event::new(event, fired, Arc::new(origin)), &HookVocabulary::Fixed(words));
    let encoded = heard.first().and_then(|event| codec.encode(event, name));
    expect_equal(&encoded, &Some(wanted))
}

fn field_text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Checks a decision that a hook printed.
fn check_decision(decision: &Value) -> Result<(), String> {
    let message = field_text(decision, "message");
    let said = decode_output(Some(0), &decision.to_string())?;
    let holds_message = |reason: &str| expect(reason == message, || format!("the message became `{reason}`"));
    match (decision.get("decision").and_then(Value::as_str), said) {
        (None, VerdictKind::Pass) => Ok(()),
        (Some("block"), VerdictKind::Deny { reason }) | (Some("ask"), VerdictKind::Ask { reason }) => {
            holds_message(&reason)
        }
        (_, said) => Err(format!("it means {said:?}")),
    }
}

fn decode_output(exit_code: Option<i32>, stdout: &str) -> Result<VerdictKind, String> {
    let event = EventName::parse("tool.pre").map_err(|error| error.to_string())?;
    let event = Event::new(event, json!({"name": "shell", "args": {}}), Arc::new(Origin::default()));
    let answer = CommandOutput { exit_code, stdout: stdout.as_bytes().to_vec(), ..CommandOutput::default() };
    Ok((DIALECT.codec)().decode(&event, "PreToolUse", HandlerOutput::Process(answer)).kind)
}

fn verdict_name(text: &VerdictKind) -> &'static str {
    match text {
        VerdictKind::Pass => "pass",
        VerdictKind::Deny { .. } => "deny",
        VerdictKind::Failed(_) => "failed",
        _ => "something else",
    }
}

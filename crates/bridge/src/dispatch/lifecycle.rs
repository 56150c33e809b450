//! Fires lifecycle events: sessions, prompts, ends of turns, and notifications.

use std::sync::Arc;

use pintle::event::{
    AgentStop, CompactBefore, CompactPost, CompactPre, CompletionPost, CompletionPre, DelegationPost, ErrorPayload,
    EventPayload, FileEdited, LogLine, Notification, PermissionReply, PromptSubmit, SessionEnd, SessionError,
    SessionResume, SessionStart, ToolBatch, ToolCall, ToolResult, TurnEnd, TurnStart,
};
use pintle::{Decision, Event, EventName, Outcome};
use serde_json::Value;

use super::HostDispatch;
use crate::ActionSupport;
use crate::session::HostSessionState;
use crate::{HostEventData, dispatch};

/// The most continuations by hooks in one turn. After that, hooks that want the agent to continue are ignored.
const MOST_CONTINUATIONS: u32 = 8;

/// Fires the canonical events of a host event, as far as there is data for them.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, moment: &HostEventData) {
    update_session(dispatch, moment);
    let mut text = match moment {
        HostEventData::Prompt { text, .. } => text.clone(),
        _ => String::new(),
    };
    for name in dispatch.event_def.fires {
        let Ok(event) = EventName::parse(name) else { continue };
        // An event without listeners is recorded only if the session's tape would be incomplete without it.
        if !(HostDispatch::is_guard(&event) || dispatch.runtime.listens(&event, dispatch.scope)) {
            continue;
        }
        let logs = if *name == "turn.end" { dispatch.take_logs() } else { Vec::new() };
        let Some(payload) = build_payload(dispatch, name, moment, &text, logs) else { continue };
        let outcome = dispatch.fire_event(&Event::new(event, payload, Arc::clone(&dispatch.origin)));
        if !apply_outcome(dispatch, name, moment, &outcome, &mut text) {
            break;
        }
    }
    // If the host cannot reject a prompt, all its tool calls are denied.
    if matches!(moment, HostEventData::Prompt { .. }) && !dispatch.event_def.is_guard && dispatch.decision.is_denied() {
        let reason = dispatch.decision.reason.clone();
        dispatch.state.change_turn(move |state| state.turn_stop_reason = Some(reason.clone()));
    }
}

/// Updates the session before hooks run.
fn update_session(dispatch: &mut HostDispatch<'_>, moment: &HostEventData) {
    match moment {
        HostEventData::SessionStart { source } => {
            // Until the hooks have answered, calls that run meanwhile are denied as before.
            dispatch.state.change(|state| (state.session_denial, state.turn_stop_reason) = (None, None));
            if source != "resume" {
                dispatch.state.change(HostSessionState::clear_sent);
            }
        }
        HostEventData::CompactAfter { .. } => dispatch.state.change(HostSessionState::clear_sent),
        HostEventData::Prompt { .. } if dispatch.state.is_hook_continuation => {}
        HostEventData::Prompt { .. } => dispatch.state.change_turn(|state| state.turn_stop_reason = None),
        HostEventData::Batch(calls) => end_run_if_withheld(dispatch, calls.len()),
        // The host resets its count, so the bridge does too.
        HostEventData::Stop { is_continuation: false, .. } if dispatch.state.is_hook_continuation => {}
        HostEventData::Stop { is_continuation: false, .. }
        | HostEventData::SubagentStop { is_continuation: false, .. } => {
            let run = dispatch.event_context.run.clone();
            dispatch.state.change_turn(move |state| {
                state.continuations.remove(&run);
            });
        }
        _ => {}
    }
}

/// Ends the run after a failed tool's result could not be changed: some hosts end it only here, and some replace the
/// last result with the reason, so the reason is the text that hooks left of that result.
fn end_run_if_withheld(dispatch: &mut HostDispatch<'_>, call_count: usize) {
    let run = dispatch.event_context.run.clone();
    let of_run = dispatch.state.withheld_results.iter().filter(|(of, _)| *of == run);
    let own: Vec<String> = of_run.map(|(_, text)| text.clone()).collect();
    dispatch.state.change_turn(move |state| state.withheld_results.retain(|(of, _)| *of != run));
    match own.as_slice() {
        [] => {}
        [text] if call_count == 1 => dispatch.end_run(text.clone()),
        _ => dispatch.end_run(String::from("hooks changed or denied the result of a failed tool")),
    }
}

/// Applies the outcome of one event. Returns whether the next event is fired.
fn apply_outcome(
    dispatch: &mut HostDispatch<'_>,
    event: &str,
    moment: &HostEventData,
    outcome: &Outcome,
    text: &mut String,
) -> bool {
    match (event, moment) {
        ("session.start" | "session.resume", _) if !outcome.is_allowed() => {
            let reason = format!("session blocked: {}", outcome.reason());
            let denial = reason.clone();
            dispatch.state.change(move |state| state.session_denial = Some(denial.clone()));
            dispatch.deny(reason);
            false
        }
        ("agent.stop" | "delegation.post", _) if outcome.denies_event() => {
            continue_agent(dispatch, outcome);
            false
        }
        // The turn has ended, and a hook rejects its result.
        ("turn.end", _) if outcome.decision == Decision::Deny => {
            dispatch.decision.stop = Some(format!("turn blocked: {}", outcome.reason()));
            false
        }
        (_, HostEventData::Prompt { .. }) => {
            let changed = match outcome.payload.value() {
                Value::String(text) => Some(text.as_str()),
                fields => fields.get("prompt").and_then(Value::as_str),
            };
            if let Some(changed) = changed.filter(|changed| outcome.rewritten && *changed != text.as_str()) {
                changed.clone_into(text);
                dispatch.decision.input = Some(Value::from(changed));
            }
            dispatch.apply_outcome(outcome)
        }
        ("agent.stop" | "turn.end" | "delegation.post", _) if outcome.rewritten => {
            let names = ["response", "text", "result"];
            let after = names.iter().find_map(|name| outcome.payload.field(name));
            if after.and_then(Value::as_str).is_some_and(|after| after != final_answer(moment)) {
                dispatch.decision.output = after.cloned();
            }
            dispatch.apply_outcome(outcome)
        }
        _ => dispatch.apply_outcome(outcome),
    }
}

/// Makes the agent continue because a hook wants it, up to the limit per turn.
fn continue_agent(dispatch: &mut HostDispatch<'_>, outcome: &Outcome) {
    if let Some(why) = outcome.stop_reason() {
        dispatch.end_run(why);
        return;
    }
    // A failed hook has not told the agent what to do, and the agent cannot fix the hook.
    if outcome.is_failed() {
        let why = format!("the answer was not accepted: {}", outcome.reason());
        // A host that cannot end the run does not show why the rest of it is denied.
        if let ActionSupport::Approximated(_) = dispatch.event_def.support.stop {
            dispatch.decision.notices.push(format!("pintle: {why}"));
        }
        dispatch.end_run(why);
        return;
    }
    let run = dispatch.event_context.run.clone();
    if dispatch.state.continuations.get(&run).is_some_and(|count| *count >= MOST_CONTINUATIONS) {
        let text = format!(
            "pintle: hooks made the agent continue {MOST_CONTINUATIONS} times in this turn, which is the limit: {}",
            outcome.reason()
        );
        dispatch.decision.notices.push(text);
        return;
    }
    let said: Vec<&str> =
        outcome.reasons.iter().map(|reason| reason.text.trim()).filter(|text| !text.is_empty()).collect();
    let said = if said.is_empty() { outcome.reason() } else { said.join("; ") };
    let reason = said.trim().to_owned();
    dispatch.state.change_turn(move |state| {
        *state.continuations.entry(run.clone()).or_default() += 1;
        state.continuation_reason = Some(reason.clone());
    });
    dispatch.deny(said);
}

fn final_answer(moment: &HostEventData) -> &str {
    match moment {
        HostEventData::Stop { answer, .. } | HostEventData::SubagentStop { answer, .. } => answer,
        _ => "",
    }
}

/// The payload of a canonical event, if the host event has data for it.
fn build_payload(
    dispatch: &dispatch::HostDispatch<'_>,
    event: &str,
    moment: &HostEventData,
    text: &str,
    logs: Vec<LogLine>,
) -> Option<Value> {
    let host = || Some(dispatch.host_payload());
    let cwd = || dispatch.origin.cwd.clone();
    let state = &*dispatch.state;
    match (event, moment) {
        ("session.start", HostEventData::SessionStart { source }) => {
            to_payload_value(&SessionStart { source: source.clone(), cwd: cwd(), host: host() })
        }
        ("session.resume", HostEventData::SessionStart { source }) if source == "resume" => {
            to_payload_value(&SessionResume {
                source: source.clone(),
                cwd: cwd(),
                host: host(),
                ..SessionResume::default()
            })
        }
        ("session.end", HostEventData::SessionEnd { reason }) => to_payload_value(&SessionEnd {
            reason: reason.clone(),
            turns: state.turn,
            duration_ms: elapsed_ms(state.started_ms, dispatch.now_ms),
            host: host(),
            ..SessionEnd::default()
        }),
        ("prompt.submit", HostEventData::Prompt { source, .. }) => {
            to_payload_value(&PromptSubmit { prompt: text.to_owned(), source: source.clone(), host: host() })
        }
        ("turn.start", HostEventData::Prompt { .. }) => to_payload_value(&TurnStart(text.to_owned())),
        ("tool.batch", HostEventData::Batch(calls)) => {
            let mut batch = ToolBatch { host: host(), ..ToolBatch::default() };
            for (call, response) in calls {
                for part in dispatch.tools().to_canonical(&call.name, &call.input) {
                    let gave = ToolResult::new(call.id.as_str(), part.name.as_str(), response.clone(), false);
                    batch.tool_calls.push(ToolCall::new(call.id.as_str(), part.name, part.args));
                    batch.tool_results.push(gave);
                }
            }
            to_payload_value(&batch)
        }
        ("delegation.post", HostEventData::SubagentStop { agent, id, answer, .. }) => {
            to_payload_value(&DelegationPost {
                id: id.clone(),
                agent: agent.clone(),
                result: answer.clone(),
                response: answer.clone(),
                depth: 1,
                host: host(),
                ..DelegationPost::default()
            })
        }
        ("agent.stop", HostEventData::Stop { answer, .. }) => to_payload_value(
            &AgentStop {
                id: dispatch.origin.session.clone(),
                finish_reason: String::from("stop"),
                response: answer.clone(),
                tool_calls: state.calls.clone(),
                tool_results: state.results.clone(),
                continuations: state.continuations.get(&dispatch.event_context.run).copied().unwrap_or_default(),
                last_user_message: Some(state.prompt.clone()).filter(|prompt| !prompt.is_empty()),
                host: host(),
                ..AgentStop::default()
            }
            .with_aliases(),
        ),
        ("turn.end", HostEventData::Stop { answer, .. }) => to_payload_value(
            &TurnEnd {
                text: answer.clone(),
                tool_calls: state.calls.clone(),
                tool_results: state.results.clone(),
                logs,
                duration_ms: Some(elapsed_ms(state.turn_started_ms, dispatch.now_ms)),
                host: host(),
                ..TurnEnd::default()
            }
            .with_aliases(),
        ),
        ("error", HostEventData::AgentError { kind, message, is_retryable }) => to_payload_value(&ErrorPayload {
            message: message.clone(),
            kind: kind.clone(),
            retryable: *is_retryable,
            host: host(),
            ..ErrorPayload::default()
        }),
        ("permission.reply", HostEventData::PermissionDenied { call, reason }) => {
            let request = dispatch.to_request(call);
            to_payload_value(&PermissionReply {
                facts: request.facts(),
                id: request.id,
                name: request.name,
                decision: String::from("deny"),
                source: String::from("resolver"),
                reason: reason.clone(),
                args: Some(request.args),
                ..PermissionReply::default()
            })
        }
        ("file.edited", HostEventData::FileEdited { path }) => to_payload_value(&FileEdited {
            path: path.clone(),
            operation: String::from("edit"),
            host: host(),
            ..FileEdited::default()
        }),
        ("session.error", HostEventData::AgentError { kind, message, .. }) => to_payload_value(&SessionError {
            status: String::from("failed"),
            stop_reason: kind.clone(),
            message: message.clone(),
            host: host(),
        }),
        ("compact.pre", HostEventData::CompactBefore { trigger, instructions }) => to_payload_value(&CompactPre {
            source: trigger.clone(),
            instructions: instructions.clone(),
            host: host(),
            ..CompactPre::default()
        }),
        ("compact.before", HostEventData::CompactBefore { trigger, .. }) => {
            let reason = if trigger == "manual" { "manual" } else { "threshold" };
            to_payload_value(&CompactBefore { reason: reason.to_owned(), host: host(), ..CompactBefore::default() })
        }
        ("compact.post", HostEventData::CompactAfter { trigger, summary }) => {
            let reason = if trigger == "manual" { "manual" } else { "threshold" };
            to_payload_value(&CompactPost {
                reason: reason.to_owned(),
                summary: summary.clone(),
                host: host(),
                ..CompactPost::default()
            })
        }
        ("notification", HostEventData::Notification { kind, title, message }) => to_payload_value(&Notification {
            kind: kind.clone(),
            level: String::from("info"),
            title: title.clone(),
            message: message.clone(),
            host: host(),
        }),
        ("completion.pre", HostEventData::Model { .. }) => to_payload_value(&CompletionPre {
            model: dispatch.event_context.model.clone().unwrap_or_default(),
            host: Some(pintle::event::HostPayload { input: model_request_of(moment), ..dispatch.host_payload() }),
            ..CompletionPre::default()
        }),
        ("completion.post", HostEventData::Model { response, .. }) => to_payload_value(&CompletionPost {
            model: dispatch.event_context.model.clone().unwrap_or_default(),
            host: Some(pintle::event::HostPayload {
                input: model_request_of(moment),
                response: Some(response.clone()),
                ..dispatch.host_payload()
            }),
            ..CompletionPost::default()
        }),
        _ if event.starts_with("custom.") => Some(dispatch.payload.clone()),
        _ => None,
    }
}

/// The elapsed time; `None` if the start is unknown.
fn elapsed_ms(began_ms: u64, now_ms: u64) -> u64 {
    if began_ms == 0 { 0 } else { now_ms.saturating_sub(began_ms) }
}

fn model_request_of(moment: &HostEventData) -> Option<Value> {
    match moment {
        HostEventData::Model { request, .. } => Some(request.clone()),
        _ => None,
    }
}

/// A catalogue payload as a JSON value. Payloads are plain data with string keys, so this never fails.
fn to_payload_value<P: EventPayload>(payload: &P) -> Option<Value> {
    serde_json::to_value(payload).ok()
}

//! Keeps the state of the session, and fires the events that are no step in the agent's life: starts and ends of
//! sessions, batches, errors, notifications.

use std::sync::Arc;

use pintle_host::event::{
    CompactPost, ErrorPayload, EventPayload, FileEdited, Notification, PermissionReply, SessionEnd, SessionError,
    SessionResume, SessionStart, ToolBatch, ToolCall, ToolResult,
};
use pintle_host::{Event, EventKind, Outcome};
use serde_json::Value;

use super::{HostDispatch, life};
use crate::HostEventData;
use crate::session::HostSessionState;

/// How long after its prompt a turn can still belong to a session start that is reported only now, in milliseconds.
const NEW_TURN_MS: u64 = 60_000;

/// Fires the canonical events of a host event, as far as there is data for them.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, data: &HostEventData) {
    update_session(dispatch, data);
    if life::fire(dispatch, data).is_ok() {
        fire_notifications(dispatch, data);
    }
    // If the host cannot reject a prompt, all its tool calls are denied.
    if matches!(data, HostEventData::Prompt { .. }) && !dispatch.event_def.is_guard && dispatch.decision.is_denied() {
        let reason = dispatch.decision.reason.clone();
        dispatch.state.change_turn(move |state| state.turn_stop_reason = Some(reason.clone()));
    }
}

/// Fires the events that are no step in the agent's life.
fn fire_notifications(dispatch: &mut HostDispatch<'_>, data: &HostEventData) {
    for event in dispatch.event_def.fired_events() {
        let kind = event.kind();
        if !dispatch.is_fired(&event) {
            continue;
        }
        let Some(payload) = build_payload(dispatch, kind, data) else { continue };
        let outcome = dispatch.fire_event(&Event::new(event, payload, Arc::clone(&dispatch.origin)));
        if matches!(kind, EventKind::SessionStart | EventKind::SessionResume) && !outcome.is_allowed() {
            deny_session(dispatch, &outcome);
            break;
        }
        if !dispatch.apply_outcome(&outcome) {
            break;
        }
    }
}

fn deny_session(dispatch: &mut HostDispatch<'_>, outcome: &Outcome) {
    let reason = format!("session blocked: {}", outcome.reason());
    let denial = reason.clone();
    dispatch.state.change(move |state| state.session_denial = Some(denial.clone()));
    dispatch.deny(reason);
}

/// Updates the session before hooks run.
fn update_session(dispatch: &mut HostDispatch<'_>, data: &HostEventData) {
    match data {
        HostEventData::SessionStart { .. } => {
            // Until the hooks have answered, calls that run meanwhile are denied as before.
            dispatch.state.change(|state| state.session_denial = None);
            // Some agents run their hooks on the first prompt meanwhile, and a turn that these stopped stays stopped.
            if dispatch.now_ms.saturating_sub(dispatch.state.turn_started_ms) > NEW_TURN_MS {
                dispatch.state.change_turn(|state| state.turn_stop_reason = None);
            }
            // Some agents forget at a resume what hooks told them; in the others a second copy does no harm.
            dispatch.state.change(HostSessionState::clear_sent);
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

/// The payload of a canonical event, if the host event has data for it.
fn build_payload(dispatch: &HostDispatch<'_>, kind: EventKind, data: &HostEventData) -> Option<Value> {
    let host = || Some(dispatch.host_payload());
    let cwd = || dispatch.origin.cwd.clone();
    let state = &*dispatch.state;
    match (kind, data) {
        (EventKind::SessionStart, HostEventData::SessionStart { source }) => {
            to_payload_value(&SessionStart { source: source.clone(), cwd: cwd(), host: host() })
        }
        (EventKind::SessionResume, HostEventData::SessionStart { source }) if source == "resume" => {
            to_payload_value(&SessionResume {
                source: source.clone(),
                cwd: cwd(),
                host: host(),
                ..SessionResume::default()
            })
        }
        (EventKind::SessionEnd, HostEventData::SessionEnd { reason }) => to_payload_value(&SessionEnd {
            reason: reason.clone(),
            turns: state.turn,
            duration_ms: dispatch.elapsed_ms(state.started_ms),
            host: host(),
            ..SessionEnd::default()
        }),
        (EventKind::ToolBatch, HostEventData::Batch(calls)) => {
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
        (EventKind::Error, HostEventData::AgentError { kind, message, is_retryable }) => {
            to_payload_value(&ErrorPayload {
                message: message.clone(),
                kind: kind.clone(),
                retryable: *is_retryable,
                host: host(),
                ..ErrorPayload::default()
            })
        }
        (EventKind::PermissionReply, HostEventData::PermissionDenied { call, reason }) => {
            let request = dispatch.take_request(&mut call.clone());
            to_payload_value(&PermissionReply {
                facts: request.facts(EventKind::PermissionReply),
                id: request.id,
                name: request.name,
                decision: String::from("deny"),
                source: String::from("resolver"),
                reason: reason.clone(),
                args: Some(request.args),
                ..PermissionReply::default()
            })
        }
        (EventKind::FileEdited, HostEventData::FileEdited { path }) => to_payload_value(&FileEdited {
            path: path.clone(),
            operation: String::from("edit"),
            host: host(),
            ..FileEdited::default()
        }),
        (EventKind::SessionError, HostEventData::AgentError { kind, message, .. }) => to_payload_value(&SessionError {
            status: String::from("failed"),
            stop_reason: kind.clone(),
            message: message.clone(),
            host: host(),
        }),
        (EventKind::CompactPost, HostEventData::CompactAfter { trigger, summary }) => {
            let reason = if trigger == "manual" { "manual" } else { "threshold" };
            to_payload_value(&CompactPost {
                reason: reason.to_owned(),
                summary: summary.clone(),
                host: host(),
                ..CompactPost::default()
            })
        }
        (EventKind::Notification, HostEventData::Notification { kind, title, message }) => {
            to_payload_value(&Notification {
                kind: kind.clone(),
                level: String::from("info"),
                title: title.clone(),
                message: message.clone(),
                host: host(),
            })
        }
        (EventKind::Custom, _) => Some(dispatch.payload.clone()),
        _ => None,
    }
}

/// A catalogue payload as a JSON value. Payloads are plain data with string keys, so this never fails.
fn to_payload_value<P: EventPayload>(payload: &P) -> Option<Value> {
    serde_json::to_value(payload).ok()
}

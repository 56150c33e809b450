//! The moments whose events follow one another: sessions, prompts, ends of turns, and what only tells.

use std::sync::Arc;

use pintle::event::{
    AgentStop, CompactBefore, CompactPost, CompactPre, CompletionPost, CompletionPre, DelegationPost, ErrorPayload,
    EventPayload, Notification, PromptSubmit, SessionEnd, SessionError, SessionResume, SessionStart, ToolBatch,
    ToolCall, ToolResult, TurnEnd, TurnStart,
};
use pintle::{Decision, Event, EventName, Outcome};
use serde_json::Value;

use super::Hearing;
use crate::ability::Ability;
use crate::session::plain;
use crate::{Moment, hearing};

/// How often hooks may send an agent on in one turn. One that never lets go is passed over then.
const MOST_CONTINUATIONS: u32 = 8;

/// Fires the events of the row, as far as the moment has something to tell of them.
pub(super) fn hear(hearing: &mut Hearing<'_>, moment: &Moment) {
    begin(hearing, moment);
    let mut text = match moment {
        Moment::Prompt { text, .. } => text.clone(),
        _ => String::new(),
    };
    for name in hearing.row.fires {
        let Ok(event) = EventName::parse(name) else { continue };
        // What nobody listens to is written down where a session's story would have a hole without it.
        if !(Hearing::is_guard(&event) || hearing.runtime.listens(&event, hearing.scope)) {
            continue;
        }
        let Some(payload) = payload(hearing, name, moment, &text) else { continue };
        let outcome = hearing.fire_event(&Event::new(event, payload, Arc::clone(&hearing.origin)));
        if !take(hearing, name, moment, &outcome, &mut text) {
            break;
        }
    }
    // A host that cannot keep a prompt out gets nothing done for it.
    if matches!(moment, Moment::Prompt { .. }) && !hearing.row.guards && hearing.ruling.is_denied() {
        hearing.state.stopped = Some(hearing.ruling.reason.clone());
    }
}

/// What a moment means to the session before any hook is asked.
fn begin(hearing: &mut Hearing<'_>, moment: &Moment) {
    match moment {
        Moment::SessionStart { source } => {
            hearing.state.blocked = None;
            hearing.state.stopped = None;
            if source != "resume" {
                hearing.state.forget_given();
            }
        }
        Moment::CompactAfter { .. } => hearing.state.forget_given(),
        Moment::Prompt { text, .. } if hearing.state.resumes(text) => {}
        Moment::Prompt { text, .. } => {
            hearing.state.begin_turn(text, hearing.now_ms);
            hearing.scope.scratch.clear();
            let _ = hearing.scope.logs.take_lines();
            let mut origin = (*hearing.origin).clone();
            origin.turn = hearing.state.turn;
            hearing.origin = Arc::new(origin);
        }
        Moment::Batch(calls) => end_withheld(hearing, calls.len()),
        // The host begins to count anew, and so do we.
        Moment::Stop { continued: false, .. } if hearing.state.resumed => {}
        Moment::Stop { continued: false, .. } | Moment::SubagentStop { continued: false, .. } => {
            hearing.state.continuations.remove(&hearing.whose.run);
        }
        _ => {}
    }
}

/// Ends the run behind a result that could not be changed where the tool failed: some hosts end it only here, and some put
/// the reason in the place of the last result, which is then what hooks left of it.
fn end_withheld(hearing: &mut Hearing<'_>, call_count: usize) {
    let run = hearing.whose.run.clone();
    let withheld = std::mem::take(&mut hearing.state.withheld);
    let (own, others): (Vec<_>, Vec<_>) = withheld.into_iter().partition(|(of, _)| *of == run);
    hearing.state.withheld = others;
    match own.as_slice() {
        [] => {}
        [(_, text)] if call_count == 1 => hearing.end(text.clone()),
        _ => hearing.end(String::from("hooks changed or refused what a failed tool gave")),
    }
}

/// Takes over what the hooks of one event made of it. Gives whether the next one is fired.
fn take(hearing: &mut Hearing<'_>, event: &str, moment: &Moment, outcome: &Outcome, text: &mut String) -> bool {
    match (event, moment) {
        ("session.start" | "session.resume", _) if !outcome.is_allowed() => {
            let why = format!("session blocked: {}", outcome.reason());
            hearing.state.blocked = Some(why.clone());
            hearing.deny(why);
            false
        }
        ("agent.stop" | "delegation.post", _) if outcome.denies_event() => {
            go_on(hearing, outcome);
            false
        }
        // The turn is over, and a hook says that it came to nothing.
        ("turn.end", _) if outcome.decision == Decision::Deny => {
            hearing.ruling.stop = Some(format!("turn blocked: {}", outcome.reason()));
            false
        }
        (_, Moment::Prompt { .. }) => {
            let changed = match outcome.payload.value() {
                Value::String(text) => Some(text.as_str()),
                fields => fields.get("prompt").and_then(Value::as_str),
            };
            if let Some(changed) = changed.filter(|changed| outcome.rewritten && *changed != text.as_str()) {
                changed.clone_into(text);
                hearing.ruling.input = Some(Value::from(changed));
            }
            hearing.settle(outcome)
        }
        ("agent.stop" | "turn.end" | "delegation.post", _) if outcome.rewritten => {
            let names = ["response", "text", "result"];
            let after = names.iter().find_map(|name| outcome.payload.field(name));
            if after.and_then(Value::as_str).is_some_and(|after| after != answer(moment)) {
                hearing.ruling.output = after.cloned();
            }
            hearing.settle(outcome)
        }
        _ => hearing.settle(outcome),
    }
}

/// A hook sends the agent on, unless hooks did that too often in this turn.
fn go_on(hearing: &mut Hearing<'_>, outcome: &Outcome) {
    if let Some(why) = outcome.stop_reason() {
        hearing.end(why);
        return;
    }
    // A hook that failed has not said what the agent should do, and the agent cannot mend the hook.
    if outcome.is_failed() {
        let why = format!("the answer was not accepted: {}", outcome.reason());
        // A host that cannot end the run says nothing of why the rest of it is refused.
        if let Ability::Nearly(_) = hearing.row.can.stop {
            hearing.ruling.notices.push(format!("pintle: {why}"));
        }
        hearing.end(why);
        return;
    }
    let count = hearing.state.continuations.entry(hearing.whose.run.clone()).or_default();
    if *count >= MOST_CONTINUATIONS {
        let text = format!(
            "pintle: hooks sent the agent on {MOST_CONTINUATIONS} times in this turn, and may not again: {}",
            outcome.reason()
        );
        hearing.ruling.notices.push(text);
        return;
    }
    *count += 1;
    let said: Vec<&str> =
        outcome.reasons.iter().map(|reason| reason.text.trim()).filter(|text| !text.is_empty()).collect();
    let said = if said.is_empty() { outcome.reason() } else { said.join("; ") };
    hearing.state.sent_on = Some(said.trim().to_owned());
    hearing.deny(said);
}

fn answer(moment: &Moment) -> &str {
    match moment {
        Moment::Stop { answer, .. } | Moment::SubagentStop { answer, .. } => answer,
        _ => "",
    }
}

/// The payload of an event, when the moment has something to tell of it.
fn payload(hearing: &hearing::Hearing<'_>, event: &str, moment: &Moment, text: &str) -> Option<Value> {
    let host = || Some(hearing.said(None));
    let cwd = || hearing.origin.cwd.clone();
    let state = &*hearing.state;
    match (event, moment) {
        ("session.start", Moment::SessionStart { source }) => {
            of(&SessionStart { source: source.clone(), cwd: cwd(), host: host() })
        }
        ("session.resume", Moment::SessionStart { source }) if source == "resume" => {
            of(&SessionResume { source: source.clone(), cwd: cwd(), host: host(), ..SessionResume::default() })
        }
        ("session.end", Moment::SessionEnd { reason }) => of(&SessionEnd {
            reason: reason.clone(),
            turns: state.turn,
            duration_ms: since(state.started_ms, hearing.now_ms),
            host: host(),
            ..SessionEnd::default()
        }),
        ("prompt.submit", Moment::Prompt { source, .. }) => {
            of(&PromptSubmit { prompt: text.to_owned(), source: source.clone(), host: host() })
        }
        ("turn.start", Moment::Prompt { .. }) => of(&TurnStart(text.to_owned())),
        ("tool.batch", Moment::Batch(calls)) => {
            let mut batch = ToolBatch { host: host(), ..ToolBatch::default() };
            for (call, response) in calls {
                for part in hearing.tools().to_canonical(&call.name, &call.input) {
                    let gave = ToolResult::new(call.id.as_str(), part.name.as_str(), response.clone(), false);
                    batch.tool_calls.push(ToolCall::new(call.id.as_str(), part.name, part.args));
                    batch.tool_results.push(gave);
                }
            }
            of(&batch)
        }
        ("delegation.post", Moment::SubagentStop { agent, id, answer, .. }) => of(&DelegationPost {
            id: id.clone(),
            agent: agent.clone(),
            result: answer.clone(),
            response: answer.clone(),
            depth: 1,
            host: host(),
            ..DelegationPost::default()
        }),
        ("agent.stop", Moment::Stop { answer, .. }) => of(&AgentStop {
            id: hearing.origin.session.clone(),
            finish_reason: String::from("stop"),
            response: answer.clone(),
            tool_calls: state.calls.clone(),
            tool_results: state.results.clone(),
            continuations: state.continuations.get(&hearing.whose.run).copied().unwrap_or_default(),
            last_user_message: Some(state.prompt.clone()).filter(|prompt| !prompt.is_empty()),
            host: host(),
            ..AgentStop::default()
        }
        .with_aliases()),
        ("turn.end", Moment::Stop { answer, .. }) => of(&TurnEnd {
            text: answer.clone(),
            tool_calls: state.calls.clone(),
            tool_results: state.results.clone(),
            logs: hearing.scope.logs.take_lines().into_iter().map(plain).collect(),
            duration_ms: Some(since(state.turn_started_ms, hearing.now_ms)),
            host: host(),
            ..TurnEnd::default()
        }
        .with_aliases()),
        ("error", Moment::Failed { kind, message }) => {
            of(&ErrorPayload { message: message.clone(), kind: kind.clone(), host: host(), ..ErrorPayload::default() })
        }
        ("session.error", Moment::Failed { kind, message }) => of(&SessionError {
            status: String::from("failed"),
            stop_reason: kind.clone(),
            message: message.clone(),
            host: host(),
        }),
        ("compact.pre", Moment::CompactBefore { trigger, instructions }) => of(&CompactPre {
            source: trigger.clone(),
            instructions: instructions.clone(),
            host: host(),
            ..CompactPre::default()
        }),
        ("compact.before", Moment::CompactBefore { trigger, .. }) => {
            let reason = if trigger == "manual" { "manual" } else { "threshold" };
            of(&CompactBefore { reason: reason.to_owned(), host: host(), ..CompactBefore::default() })
        }
        ("compact.post", Moment::CompactAfter { trigger, summary }) => {
            let reason = if trigger == "manual" { "manual" } else { "threshold" };
            of(&CompactPost {
                reason: reason.to_owned(),
                summary: summary.clone(),
                host: host(),
                ..CompactPost::default()
            })
        }
        ("notification", Moment::Notification { kind, title, message }) => of(&Notification {
            kind: kind.clone(),
            level: String::from("info"),
            title: title.clone(),
            message: message.clone(),
            host: host(),
        }),
        ("completion.pre", Moment::Model { .. }) => of(&CompletionPre {
            model: hearing.whose.model.clone().unwrap_or_default(),
            host: Some(pintle::event::HostPayload { input: request(moment), ..hearing.said(None) }),
            ..CompletionPre::default()
        }),
        ("completion.post", Moment::Model { response, .. }) => of(&CompletionPost {
            model: hearing.whose.model.clone().unwrap_or_default(),
            host: Some(pintle::event::HostPayload {
                input: request(moment),
                response: Some(response.clone()),
                ..hearing.said(None)
            }),
            ..CompletionPost::default()
        }),
        _ if event.starts_with("custom.") => Some(hearing.payload.clone()),
        _ => None,
    }
}

/// How long something took; nothing where its beginning was not seen.
fn since(began_ms: u64, now_ms: u64) -> u64 {
    if began_ms == 0 { 0 } else { now_ms.saturating_sub(began_ms) }
}

fn request(moment: &Moment) -> Option<Value> {
    match moment {
        Moment::Model { request, .. } => Some(request.clone()),
        _ => None,
    }
}

/// The value of a payload of the catalogue, which is plain data with text keys and always has one.
fn of<P: EventPayload>(payload: &P) -> Option<Value> {
    serde_json::to_value(payload).ok()
}

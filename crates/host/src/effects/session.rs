//! `events.emit`, and the functions of the session where the agent is another program.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::event::{ChatMessage, FileEdited, UnsettledState, UnsettledWork};
use pintle_contract::{EffectCaller, EffectError, EffectReply, Event, EventName, HookId, Reminder};
use serde_json::Value;

use super::ScopedEffects;

/// How far back `unsettled_state` looks for calls without a result, in messages.
const RECENT_MESSAGES: usize = 200;

/// Fires a custom event and returns its payload with the rewrites of its hooks.
///
/// Only `custom.*` can be emitted: all other events, including `meta.*`, belong to the host, which scripts must not
/// imitate.
pub(super) fn emit(
    effects: &ScopedEffects<'_>,
    caller: EffectCaller<'_>,
    event: &str,
    payload: Value,
) -> Result<EffectReply, EffectError> {
    if !event.starts_with("custom.") {
        return Err(EffectError(format!("emit: event must start with \"custom.\", not `{event}`")));
    }
    let name = EventName::parse(event).map_err(|_| {
        EffectError(format!("emit: `{event}` is not an event name; use a-z, 0-9 and _ after `custom.`"))
    })?;
    let scope = effects.scope.for_caller(caller).nested().map_err(|error| EffectError(format!("emit: {error}")))?;
    let outcome = effects.runtime.fire_in(&Event::new(name.clone(), payload, Arc::clone(effects.origin)), &scope);
    match &effects.scope.host {
        Some(host) => host.apply_outcome(caller, &name, &outcome, effects.scope),
        None => effects.scope.keep_context(&outcome),
    }
    if outcome.is_allowed() {
        Ok(EffectReply::Value(outcome.payload.into_value()))
    } else {
        Err(EffectError(format!("emit: blocked: {}", outcome.reason_for_model())))
    }
}

/// Performs a function of the session without a host.
pub(super) fn answer_without_host(
    effects: &ScopedEffects<'_>,
    caller: EffectCaller<'_>,
    function: &str,
    mut arguments: Value,
) -> Result<EffectReply, EffectError> {
    let mut argument = |name: &str| arguments.get_mut(name).map(Value::take).unwrap_or_default();
    let replied = match function {
        "inject_reminder" => Reminder::parse(argument("reminder")).map(|reminder| {
            effects.scope.remind(HookId::new(caller.name), reminder);
            EffectReply::Done
        }),
        "messages" => {
            let last = argument("last").as_u64().and_then(|last| usize::try_from(last).ok()).unwrap_or(usize::MAX);
            newest_messages(effects, last).map(|messages| EffectReply::Value(to_value(&messages)))
        }
        "unsettled_state" => newest_messages(effects, RECENT_MESSAGES)
            .map(|messages| EffectReply::Value(to_value(&unsettled(&messages)))),
        "notify_file_edited" => {
            fire_edit(effects, caller, &argument("path"), argument("metadata")).map(|()| EffectReply::Done)
        }
        _ => Err(String::from("only Pintle's own agents have this function")),
    };
    replied.map_err(EffectError)
}

fn to_value<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn newest_messages(effects: &ScopedEffects<'_>, last: usize) -> Result<Vec<ChatMessage>, String> {
    match &effects.scope.conversation {
        Some(conversation) => conversation.newest_messages(last),
        None => Err(String::from("there is no conversation here that Pintle can read")),
    }
}

/// The tool calls without a result. What else an agent has not settled is not in its conversation.
fn unsettled(messages: &[ChatMessage]) -> UnsettledState {
    let answered: HashSet<&str> = messages.iter().filter_map(|message| message.tool_call_id.as_deref()).collect();
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    let open = calls.filter(|call| !answered.contains(call.id.as_str())).map(|call| UnsettledWork {
        category: String::from("tool_call"),
        id: call.id.clone(),
        summary: call.function.name.clone(),
        age_ms: 0,
    });
    UnsettledState { tool_calls: open.collect(), ..UnsettledState::default() }
}

/// Fires `file.edited` for a file that a hook changed.
fn fire_edit(
    effects: &ScopedEffects<'_>,
    caller: EffectCaller<'_>,
    path: &Value,
    metadata: Value,
) -> Result<(), String> {
    let path = Path::new(&effects.origin.cwd).join(path.as_str().unwrap_or_default());
    let size = || pintle_files::open(&path).and_then(|file| file.metadata()).ok().map(|found| found.len());
    let payload = FileEdited::reported(&path, FileEdited::parse_metadata(metadata)?, size);
    let scope = effects.scope.for_caller(caller).nested().map_err(|error| error.0)?;
    let outcome = effects.runtime.fire_in(&Event::from_payload(&payload, Arc::clone(effects.origin)), &scope);
    effects.scope.keep_context(&outcome);
    Ok(())
}

//! How natives reach the call they run in.

use std::time::Instant;

use pintle_contract::{EffectReply, EffectRequest};
use serde_json::Value as Json;
use starlark::eval::Evaluator;
use starlark::values::{Value, ValueLike};

use crate::payload::{to_json, to_script};
use crate::search::SearchBudget;
use crate::starlark_values::{CallState, ScriptDecision};

/// The most characters of a printed value.
pub(crate) const SHOWN: usize = 8_192;

/// An error with a one-line message.
pub(crate) fn script_error(message: impl std::fmt::Display) -> starlark::Error {
    starlark::Error::new_native(anyhow::Error::msg(message.to_string()))
}

/// The state of the running call.
pub(crate) fn call_state<'x, 'v, 'a, 'e>(
    eval: &'x Evaluator<'v, 'a, 'e>,
    builtin: &str,
) -> starlark::Result<&'x CallState<'e>> {
    eval.extra.and_then(|extra| extra.downcast_ref::<CallState<'e>>()).ok_or_else(|| {
        script_error(format_args!("{builtin}: not available while the script is loaded; call it in a function"))
    })
}

/// Asks the world for something. `builtin` leads the message of a refusal that does not name it itself.
pub(crate) fn perform_request(
    eval: &Evaluator<'_, '_, '_>,
    builtin: &str,
    request: EffectRequest,
) -> starlark::Result<EffectReply> {
    let state = call_state(eval, builtin)?;
    let reply = if request.may_wait() {
        let deadline = state.deadline;
        let cancel = state.cancel.child_with_time_limit(move || Instant::now() >= deadline);
        let reply = state.effects.perform(state.caller.with_cancel(&cancel), request);
        // The interpreter looks at the clock once in a thousand steps, and each of them may have waited.
        check_time(state, builtin)?;
        reply
    } else {
        state.effects.perform(state.caller, request)
    };
    reply.map_err(|fault| {
        let named = fault.0.starts_with(builtin);
        if named { script_error(fault) } else { script_error(format_args!("{builtin}: {fault}")) }
    })
}

/// What ends a search of the running call in time.
pub(crate) fn search_budget<'x>(eval: &'x Evaluator<'_, '_, '_>) -> SearchBudget<'x> {
    match call_state(eval, "re") {
        Ok(state) => SearchBudget::new(state.deadline, Some(state.cancel)),
        Err(_) => SearchBudget::for_loading(),
    }
}

/// An error when the time of the call is over, or nobody wants the answer any more.
pub(crate) fn check_time(state: &CallState<'_>, builtin: &str) -> starlark::Result<()> {
    if state.is_over() { Err(script_error(format_args!("{builtin}: the call timed out"))) } else { Ok(()) }
}

/// Asks for a value; [`EffectReply::Absent`] is `None`.
pub(crate) fn request_value<'v>(
    eval: &Evaluator<'v, '_, '_>,
    builtin: &str,
    asked: EffectRequest,
) -> starlark::Result<Option<Value<'v>>> {
    Ok(match perform_request(eval, builtin, asked)? {
        EffectReply::Done => Some(Value::new_none()),
        EffectReply::Absent => None,
        EffectReply::Int(number) => Some(eval.heap().alloc(number)),
        EffectReply::Value(value) => {
            let value = to_script(&value, eval.heap()).map_err(|why| script_error(format_args!("{builtin}: {why}")))?;
            check_memory(eval, builtin)?;
            Some(value)
        }
    })
}

/// An error when the call uses more memory than it may. The interpreter looks once in a thousand steps, and each of them
/// may have been given a large file.
fn check_memory(eval: &Evaluator<'_, '_, '_>, builtin: &str) -> starlark::Result<()> {
    let most = call_state(eval, builtin)?.memory_bytes;
    if eval.heap().peak_allocated_bytes() as u64 > most {
        return Err(script_error(format_args!("{builtin}: more than {most} bytes of memory used")));
    }
    Ok(())
}

/// A script's value as JSON, for a request.
pub(crate) fn value_to_json(builtin: &str, value: Value<'_>) -> starlark::Result<Json> {
    to_json(value).map_err(|why| script_error(format_args!("{builtin}: {why}")))
}

/// A value as people read it: text as it is, anything else as Starlark prints it, cut to `most` characters.
pub(crate) fn display_truncated(value: Value<'_>, most: usize) -> String {
    let cut = |text: &str| text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    match value.unpack_str() {
        Some(text) => text.get(..cut(text)).unwrap_or_default().to_owned(),
        None => {
            let mut printed = match value.downcast_ref::<ScriptDecision>() {
                Some(decision) => decision.to_string(),
                None => value.to_repr(),
            };
            let end = cut(&printed);
            printed.truncate(end);
            printed
        }
    }
}

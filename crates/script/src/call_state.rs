//! Access of built-ins to the call they run in.

use std::time::Instant;

use pintle_contract::{EffectError, EffectReply, EffectRequest};
use serde_json::Value as Json;
use starlark::eval::Evaluator;
use starlark::values::{Value, ValueLike};

use crate::payload::{to_json, to_script};
use crate::search::SearchBudget;
use crate::starlark_values::{CallState, ScriptDecision};

/// The maximum number of characters of a printed value.
pub(crate) const SHOWN: usize = 8_192;

/// An error with a one-line message.
pub(crate) fn script_error(message: impl std::fmt::Display) -> starlark::Error {
    starlark::Error::new_native(anyhow::Error::msg(message.to_string()))
}

pub(crate) fn call_state<'x, 'v, 'a, 'e>(
    eval: &'x Evaluator<'v, 'a, 'e>,
    builtin: &str,
) -> starlark::Result<&'x CallState<'e>> {
    eval.extra.and_then(|extra| extra.downcast_ref::<CallState<'e>>()).ok_or_else(|| {
        script_error(format_args!("{builtin}: not available while the script is loaded; call it in a function"))
    })
}

/// Performs an effect request. `builtin` prefixes an error message that does not name it.
pub(crate) fn perform_request(
    eval: &Evaluator<'_, '_, '_>,
    builtin: &str,
    request: EffectRequest,
) -> starlark::Result<EffectReply> {
    let state = call_state(eval, builtin)?;
    let reply = if request.may_wait() {
        let deadline = state.deadline;
        let cancel = state.cancel.child_with_time_limit(move || deadline.saturating_duration_since(Instant::now()));
        let reply = state.effects.perform(state.caller.with_cancel(&cancel), request);
        // The interpreter checks the clock once in a thousand steps, and each of them may have waited.
        check_time(state, builtin)?;
        reply
    } else {
        state.effects.perform(state.caller, request)
    };
    reply.map_err(|error| effect_error(builtin, &error))
}

/// The error of a refused or failed request, which names the built-in.
pub(crate) fn effect_error(builtin: &str, error: &EffectError) -> starlark::Error {
    let is_named = error.0.starts_with(builtin);
    if is_named { script_error(error) } else { script_error(format_args!("{builtin}: {error}")) }
}

/// The time budget of searches in the running call.
pub(crate) fn search_budget<'x>(eval: &'x Evaluator<'_, '_, '_>) -> SearchBudget<'x> {
    match call_state(eval, "re") {
        Ok(state) => SearchBudget::new(state.deadline, Some(state.cancel)),
        Err(_) => SearchBudget::for_loading(),
    }
}

/// An error if the call timed out or was cancelled.
pub(crate) fn check_time(state: &CallState<'_>, builtin: &str) -> starlark::Result<()> {
    if state.is_over() { Err(script_error(format_args!("{builtin}: the call timed out"))) } else { Ok(()) }
}

/// Requests a value; [`EffectReply::Absent`] is `None`.
pub(crate) fn request_value<'v>(
    eval: &Evaluator<'v, '_, '_>,
    builtin: &str,
    request: EffectRequest,
) -> starlark::Result<Option<Value<'v>>> {
    Ok(match perform_request(eval, builtin, request)? {
        EffectReply::Done => Some(Value::new_none()),
        EffectReply::Absent => None,
        EffectReply::Int(number) => Some(eval.heap().alloc(number)),
        EffectReply::Value(value) => {
            let value =
                to_script(&value, eval.heap()).map_err(|reason| script_error(format_args!("{builtin}: {reason}")))?;
            check_memory(eval, builtin)?;
            Some(value)
        }
    })
}

/// An error if the call exceeds its memory limit. The interpreter checks once in a thousand steps, and each of them may
/// have received a large file.
fn check_memory(eval: &Evaluator<'_, '_, '_>, builtin: &str) -> starlark::Result<()> {
    let most = call_state(eval, builtin)?.memory_bytes;
    if eval.heap().peak_allocated_bytes() as u64 > most {
        return Err(script_error(format_args!("{builtin}: more than {most} bytes of memory used")));
    }
    Ok(())
}

pub(crate) fn value_to_json(builtin: &str, value: Value<'_>) -> starlark::Result<Json> {
    to_json(value).map_err(|reason| script_error(format_args!("{builtin}: {reason}")))
}

/// A value in readable form: a string unchanged, any other value as Starlark prints it, cut to `most` characters.
pub(crate) fn display_truncated(value: Value<'_>, most: usize) -> String {
    match value.unpack_str() {
        Some(text) => truncate(text, most).to_owned(),
        None => match value.downcast_ref::<ScriptDecision>() {
            Some(decision) => truncate(&decision.to_string(), most).to_owned(),
            None => truncate(&value.to_repr(), most).to_owned(),
        },
    }
}

/// The first `most` characters of a text.
pub(crate) fn truncate(text: &str, most: usize) -> &str {
    // A text has no more characters than bytes.
    let end = if text.len() <= most { None } else { text.char_indices().nth(most) };
    end.and_then(|(index, _)| text.get(..index)).unwrap_or(text)
}

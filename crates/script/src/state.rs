//! How natives reach the call they run in.

use std::time::Instant;

use pintle_contract::{EffectReply, EffectRequest};
use serde_json::Value as Json;
use starlark::eval::Evaluator;
use starlark::values::{Value, ValueLike};

use crate::payload::{from_script, to_script};
use crate::search::Watch;
use crate::values::{Decision, State};

/// The most characters of a printed value.
pub(crate) const SHOWN: usize = 8_192;

/// An error with a one-line message.
pub(crate) fn refusal(message: impl std::fmt::Display) -> starlark::Error {
    starlark::Error::new_native(anyhow::Error::msg(message.to_string()))
}

/// The state of the running call.
pub(crate) fn state<'x, 'v, 'a, 'e>(eval: &'x Evaluator<'v, 'a, 'e>, builtin: &str) -> starlark::Result<&'x State<'e>> {
    eval.extra.and_then(|extra| extra.downcast_ref::<State<'e>>()).ok_or_else(|| {
        refusal(format_args!("{builtin}: not available while the script is loaded; call it in a function"))
    })
}

/// Asks the world for something. `builtin` leads the message of a refusal that does not name it itself.
pub(crate) fn request(
    eval: &Evaluator<'_, '_, '_>,
    builtin: &str,
    request: EffectRequest,
) -> starlark::Result<EffectReply> {
    let state = state(eval, builtin)?;
    let reply = if request.may_wait() {
        let deadline = state.deadline;
        let cancel = state.cancel.child_with_time_limit(move || Instant::now() >= deadline);
        let reply = state.seam.perform(state.caller.with_cancel(&cancel), request);
        // The interpreter looks at the clock once in a thousand steps, and each of them may have waited.
        still_wanted(state, builtin)?;
        reply
    } else {
        state.seam.perform(state.caller, request)
    };
    reply.map_err(|fault| {
        let named = fault.0.starts_with(builtin);
        if named { refusal(fault) } else { refusal(format_args!("{builtin}: {fault}")) }
    })
}

/// What ends a search of the running call in time.
pub(crate) fn watch<'x>(eval: &'x Evaluator<'_, '_, '_>) -> Watch<'x> {
    match state(eval, "re") {
        Ok(state) => Watch::new(state.deadline, Some(state.cancel)),
        Err(_) => Watch::for_loading(),
    }
}

/// An error when the time of the call is over, or nobody wants the answer any more.
pub(crate) fn still_wanted(state: &State<'_>, builtin: &str) -> starlark::Result<()> {
    if state.is_over() { Err(refusal(format_args!("{builtin}: the time of the call is over"))) } else { Ok(()) }
}

/// Asks for a value; [`EffectReply::Absent`] is `None`.
pub(crate) fn ask<'v>(
    eval: &Evaluator<'v, '_, '_>,
    builtin: &str,
    asked: EffectRequest,
) -> starlark::Result<Option<Value<'v>>> {
    Ok(match request(eval, builtin, asked)? {
        EffectReply::Done => Some(Value::new_none()),
        EffectReply::Absent => None,
        EffectReply::Int(number) => Some(eval.heap().alloc(number)),
        EffectReply::Value(value) => {
            let value = to_script(&value, eval.heap()).map_err(|why| refusal(format_args!("{builtin}: {why}")))?;
            has_room(eval, builtin)?;
            Some(value)
        }
    })
}

/// An error when the call uses more memory than it may. The interpreter looks once in a thousand steps, and each of them
/// may have been given a large file.
fn has_room(eval: &Evaluator<'_, '_, '_>, builtin: &str) -> starlark::Result<()> {
    let most = state(eval, builtin)?.memory_bytes;
    if eval.heap().peak_allocated_bytes() as u64 > most {
        return Err(refusal(format_args!("{builtin}: more than {most} bytes of memory")));
    }
    Ok(())
}

/// A script's value as JSON, for a request.
pub(crate) fn json(builtin: &str, value: Value<'_>) -> starlark::Result<Json> {
    from_script(value).map_err(|why| refusal(format_args!("{builtin}: {why}")))
}

/// A value as people read it: text as it is, anything else as Starlark prints it, cut to `most` characters.
pub(crate) fn shown(value: Value<'_>, most: usize) -> String {
    let cut = |text: &str| text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    match value.unpack_str() {
        Some(text) => text.get(..cut(text)).unwrap_or_default().to_owned(),
        None => {
            let mut printed = match value.downcast_ref::<Decision>() {
                Some(decision) => decision.to_string(),
                None => value.to_repr(),
            };
            let end = cut(&printed);
            printed.truncate(end);
            printed
        }
    }
}

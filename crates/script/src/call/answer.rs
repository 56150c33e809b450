//! Decodes the return value of a function before its heap is dropped.

use pintle_contract::{CallLimits, Failure, FailureKind, FunctionOutput, LimitKind, ScriptOutput};
use serde_json::{Map, Value as Json, json};
use starlark::values::dict::DictRef;
use starlark::values::{Value, ValueLike};

use crate::call_state::display_truncated;
use crate::payload::{non_json_type, to_json};
use crate::starlark_values::ScriptDecision;

/// The maximum number of characters of an invalid return value that are shown.
const SHOWN: usize = 200;
/// What a value counts without its text and its parts.
const CONTAINER_BYTES: u64 = 4;
/// The maximum number of entries of a table that is decoded directly.
const PLAIN_ENTRIES: usize = 8;

/// Decodes the return value of `handle`.
pub(super) fn decode_decision(value: Value<'_>, limits: &CallLimits) -> Result<ScriptOutput, Failure> {
    if let Some(decision) = value.downcast_ref::<ScriptDecision>() {
        check_decision_size(&decision.0, limits)?;
        return Ok(decision.0.clone());
    }
    if DictRef::from_value(value).is_some()
        && let Json::Object(fields) = self::decode_value(value, limits)?
    {
        return Ok(ScriptOutput::Dict(fields));
    }
    Ok(ScriptOutput::Other { type_name: value.get_type().to_owned(), printed: display_truncated(value, SHOWN) })
}

/// Rejects a decision that exceeds the call's limit.
pub(super) fn check_decision_size(decision: &ScriptOutput, limits: &CallLimits) -> Result<(), Failure> {
    match decision {
        ScriptOutput::Modify(payload) | ScriptOutput::Delegate(payload) => check_output_size(payload, limits),
        ScriptOutput::Block(reason) | ScriptOutput::Ask(reason) if reason.len() as u64 > limits.output_bytes => {
            Err(output_limit_failure(limits))
        }
        ScriptOutput::Dict(fields) => {
            let fits =
                limits.output_bytes.checked_sub(CONTAINER_BYTES).is_some_and(|mut left| fits_fields(fields, &mut left));
            if fits { Ok(()) } else { Err(output_limit_failure(limits)) }
        }
        _ => Ok(()),
    }
}

/// Decodes the return value of a plugin function.
pub(crate) fn decode_return(value: Value<'_>, limits: &CallLimits) -> Result<FunctionOutput, Failure> {
    if let Some(plain) = scalar_to_json(value) {
        return Ok(FunctionOutput::Value(plain));
    }
    if let Some(entries) = decode_small_table(value, limits) {
        return Ok(FunctionOutput::Table(entries));
    }
    let Some(kind) = non_json_type(value) else {
        return self::decode_value(value, limits).map(FunctionOutput::Value);
    };
    let own = value.get_type();
    let type_name = if own == kind { own.to_owned() } else { format!("{own} with a {kind} in it") };
    Ok(FunctionOutput::Other { type_name, printed: display_truncated(value, SHOWN) })
}

/// Decodes None or a boolean.
fn scalar_to_json(value: Value<'_>) -> Option<Json> {
    if value.is_none() { Some(Json::Null) } else { value.unpack_bool().map(Json::Bool) }
}

/// Decodes a short table of strings, booleans and None, which is what most functions return. `None` for any other
/// value, and for a table that is too large.
fn decode_small_table(value: Value<'_>, limits: &CallLimits) -> Option<Vec<(String, Json)>> {
    let dict = DictRef::from_value(value).filter(|dict| dict.len() <= PLAIN_ENTRIES)?;
    let mut left = limits.output_bytes;
    let mut entries = Vec::with_capacity(dict.len());
    for (key, item) in dict.iter() {
        let key = key.unpack_str()?;
        let item = match item.unpack_str() {
            Some(text) => Json::String(text.to_owned()),
            None => scalar_to_json(item)?,
        };
        left = left.checked_sub(key.len() as u64 + 4)?;
        if !fits_output(&item, &mut left) {
            return None;
        }
        entries.push((key.to_owned(), item));
    }
    Some(entries)
}

/// Decodes the return value of `run`. A verify script may decide as hooks do.
pub(super) fn decode_result(value: Value<'_>, limits: &CallLimits) -> Result<Json, Failure> {
    match value.downcast_ref::<ScriptDecision>().map(|decision| &decision.0) {
        Some(ScriptOutput::Allow) => Ok(json!({"verified": true})),
        Some(ScriptOutput::Block(reason)) => {
            let refusal = json!({"verified": false, "reason": reason});
            check_output_size(&refusal, limits).map(|()| refusal)
        }
        _ => decode_value(value, limits),
    }
}

fn decode_value(value: Value<'_>, limits: &CallLimits) -> Result<Json, Failure> {
    let made = to_json(value).map_err(|reason| {
        Failure::new(FailureKind::BadOutput, format!("the script returned a value that cannot be JSON: {reason}"))
    })?;
    check_output_size(&made, limits)?;
    Ok(made)
}

/// Rejects a return value that exceeds the call's limit.
fn check_output_size(value: &Json, limits: &CallLimits) -> Result<(), Failure> {
    let mut left = limits.output_bytes;
    if fits_output(value, &mut left) {
        return Ok(());
    }
    Err(output_limit_failure(limits))
}

fn output_limit_failure(limits: &CallLimits) -> Failure {
    let message = format!("the script returned more than {} bytes", limits.output_bytes);
    Failure::new(FailureKind::Limit(LimitKind::Output), message)
}

/// Roughly counts the size of a value as text, and stops when it is too large.
fn fits_output(value: &Json, left: &mut u64) -> bool {
    let own = match value {
        Json::String(text) => text.len() as u64 + 2,
        Json::Number(digits) => digits.as_str().len() as u64,
        _ => CONTAINER_BYTES,
    };
    if own > *left {
        return false;
    }
    *left -= own;
    match value {
        Json::Array(items) => items.iter().all(|item| fits_output(item, left)),
        Json::Object(fields) => fits_fields(fields, left),
        _ => true,
    }
}

fn fits_fields(fields: &Map<String, Json>, left: &mut u64) -> bool {
    fields.iter().all(|(key, field)| {
        *left = left.saturating_sub(key.len() as u64 + 4);
        *left > 0 && fits_output(field, left)
    })
}

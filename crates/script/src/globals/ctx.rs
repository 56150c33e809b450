//! `ctx`: scratch values of the running turn, and the done flag.

use pintle_contract::{EffectReply, EffectRequest};
use serde_json::{Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::none::{NoneOr, NoneType};

use crate::call_state::{perform_request, request_value, script_error, value_to_json as to_json};
use crate::payload::to_script;

/// The key of the turn's context under which the host stores that the agent has declared its work done.
pub const DONE_KEY: &str = "agent.done";
/// The key under which a verification may store its result.
const VERIFIED: &str = "agent.verification_result";

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("ctx", |builder| {
        scratch(builder);
        builder.namespace("agent", agent);
    });
}

#[starlark_module]
fn scratch(builder: &mut GlobalsBuilder) {
    fn get<'v>(key: &str, default: Option<Value<'v>>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let value = request_value(eval, "ctx.get", EffectRequest::ContextGet { key: Some(key.to_owned()) })?;
        Ok(value.or(default).unwrap_or_else(Value::new_none))
    }

    fn set<'v>(key: &str, value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let stored = to_json("ctx.set", value)?;
        perform_request(eval, "ctx.set", EffectRequest::ContextSet { key: key.to_owned(), value: Some(stored) })?;
        Ok(value)
    }

    fn has<'v>(key: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
        Ok(perform_request(eval, "ctx.has", EffectRequest::ContextGet { key: Some(key.to_owned()) })?
            != EffectReply::Absent)
    }

    fn delete<'v>(key: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<NoneType> {
        perform_request(eval, "ctx.delete", EffectRequest::ContextSet { key: key.to_owned(), value: None })?;
        Ok(NoneType)
    }

    fn snapshot<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let value = request_value(eval, "ctx.snapshot", EffectRequest::ContextGet { key: None })?;
        Ok(value.unwrap_or_else(Value::new_none))
    }
}

#[starlark_module]
fn agent(builder: &mut GlobalsBuilder) {
    fn done_flag<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
        Ok(is_truthy(&read_context(eval, "ctx.agent.done_flag", DONE_KEY)?))
    }

    fn set_done_flag<'v>(
        #[starlark(default = "")] summary: &str,
        #[starlark(default = NoneOr::None)] claims: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let builtin = "ctx.agent.set_done_flag";
        let claims = claims.into_option().map(|claims| to_json(builtin, claims)).transpose()?;
        let value = Some(json!({"summary": summary, "claims": claims}));
        perform_request(eval, builtin, EffectRequest::ContextSet { key: DONE_KEY.to_owned(), value })?;
        Ok(NoneType)
    }

    fn run_verification_chain<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let builtin = "ctx.agent.run_verification_chain";
        let result = match read_context(eval, builtin, VERIFIED)? {
            Some(result @ Json::Object(_)) => result,
            Some(result) => json!({"ok": is_truthy(&Some(result)), "reason": ""}),
            None if is_truthy(&read_context(eval, builtin, DONE_KEY)?) => json!({"ok": true, "reason": ""}),
            None => json!({"ok": false, "reason": "the done flag is not set"}),
        };
        to_script(&result, eval.heap()).map_err(|reason| script_error(format_args!("{builtin}: {reason}")))
    }
}

fn read_context(eval: &Evaluator<'_, '_, '_>, builtin: &str, key: &str) -> starlark::Result<Option<Json>> {
    Ok(match perform_request(eval, builtin, EffectRequest::ContextGet { key: Some(key.to_owned()) })? {
        EffectReply::Value(value) => Some(value),
        EffectReply::Int(number) => Some(Json::from(number)),
        EffectReply::Done | EffectReply::Absent => None,
    })
}

fn is_truthy(value: &Option<Json>) -> bool {
    !matches!(value, None | Some(Json::Null | Json::Bool(false)))
}

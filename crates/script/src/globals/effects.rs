//! Effects on the session: `metrics`, `log`, `cache`, `events`, `emit`, `time`, `random`, `sleep`, `uuid`.

use pintle_contract::{EffectError, EffectReply, EffectRequest};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::none::{NoneOr, NoneType};

use super::numbers::format_rfc3339;
use crate::call_state::{call_state, perform_request, request_value, script_error, value_to_json};
use crate::starlark_values::LogNamespace;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("metrics", metrics);
    builder.namespace("cache", cache);
    builder.namespace("events", events);
    builder.namespace("time", time);
    builder.namespace("uuid", uuid);
    builder.set("log", LogNamespace);
    events(builder);
    chance(builder);
}

#[starlark_module]
fn metrics(builder: &mut GlobalsBuilder) {
    fn incr<'v>(
        name: &str,
        #[starlark(default = 1)] delta: i64,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<i64> {
        let state = call_state(eval, "metrics.incr")?;
        state.effects.metric_incr(state.caller, name, delta).map_err(|error| increment_error(&error))
    }

    fn set<'v>(name: &str, value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<NoneType> {
        let value = value_to_json("metrics.set", value)?;
        perform_request(eval, "metrics.set", EffectRequest::MetricSet { name: name.to_owned(), value })?;
        Ok(NoneType)
    }

    fn get<'v>(name: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let value = request_value(eval, "metrics.get", EffectRequest::MetricGet { name: name.to_owned() })?;
        Ok(value.unwrap_or_else(|| eval.heap().alloc(0)))
    }

    fn reset<'v>(
        #[starlark(default = NoneOr::None)] name: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let name = name.into_option().map(str::to_owned);
        perform_request(eval, "metrics.reset", EffectRequest::MetricReset { name })?;
        Ok(NoneType)
    }

    fn snapshot<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let value = request_value(eval, "metrics.snapshot", EffectRequest::MetricSnapshot)?;
        Ok(value.unwrap_or_else(Value::new_none))
    }
}

pub(crate) fn increment_error(error: &EffectError) -> starlark::Error {
    script_error(format_args!("metrics.incr: {error}"))
}

#[starlark_module]
fn cache(builder: &mut GlobalsBuilder) {
    fn get<'v>(key: &str, default: Option<Value<'v>>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let value = request_value(eval, "cache.get", EffectRequest::CacheGet { key: key.to_owned() })?;
        Ok(value.or(default).unwrap_or_else(Value::new_none))
    }

    fn set<'v>(key: &str, value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let stored = value_to_json("cache.set", value)?;
        perform_request(eval, "cache.set", EffectRequest::CacheSet { key: key.to_owned(), value: stored })?;
        Ok(value)
    }

    fn has<'v>(key: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
        Ok(perform_request(eval, "cache.has", EffectRequest::CacheGet { key: key.to_owned() })? != EffectReply::Absent)
    }

    fn delete<'v>(key: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
        let reply = perform_request(eval, "cache.delete", EffectRequest::CacheDelete { key: Some(key.to_owned()) })?;
        Ok(matches!(reply, EffectReply::Value(serde_json::Value::Bool(true))))
    }

    fn clear<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<NoneType> {
        perform_request(eval, "cache.clear", EffectRequest::CacheDelete { key: None })?;
        Ok(NoneType)
    }
}

#[starlark_module]
fn events(builder: &mut GlobalsBuilder) {
    fn emit<'v>(
        event: &str,
        payload: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let payload = value_to_json("emit", payload.unwrap_or_else(Value::new_none))?;
        let reply = request_value(eval, "emit", EffectRequest::Emit { event: event.to_owned(), payload })?;
        Ok(reply.unwrap_or_else(Value::new_none))
    }
}

#[starlark_module]
fn time(builder: &mut GlobalsBuilder) {
    fn now<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<String> {
        Ok(format_rfc3339(read_unix_ms(eval, "time.now")?))
    }

    fn unix_ms<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<i64> {
        self::read_unix_ms(eval, "time.unix_ms")
    }
}

fn read_unix_ms(eval: &Evaluator<'_, '_, '_>, builtin: &str) -> starlark::Result<i64> {
    match perform_request(eval, builtin, EffectRequest::Now)? {
        EffectReply::Int(now) => Ok(now),
        EffectReply::Value(serde_json::Value::Number(now)) => Ok(now.as_i64().unwrap_or_default()),
        _ => Ok(0),
    }
}

#[starlark_module]
fn uuid(builder: &mut GlobalsBuilder) {
    fn v4<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        Ok(request_value(eval, "uuid.v4", EffectRequest::Uuid)?.unwrap_or_else(Value::new_none))
    }
}

#[starlark_module]
fn chance(builder: &mut GlobalsBuilder) {
    fn random<'v>(min: i64, max: i64, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        if min > max {
            return Err(script_error(format_args!("random: min {min} is greater than max {max}")));
        }
        Ok(request_value(eval, "random", EffectRequest::Random { min, max })?.unwrap_or_else(Value::new_none))
    }

    fn sleep<'v>(ms: i64, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<NoneType> {
        let duration_ms = u64::try_from(ms).map_err(|_| script_error("sleep: ms must not be negative"))?;
        perform_request(eval, "sleep", EffectRequest::Sleep { duration_ms })?;
        Ok(NoneType)
    }
}

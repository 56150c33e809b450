//! Effect requests for state that Pintle itself keeps.

use pintle_contract::{EffectCaller, EffectReply, EffectRequest};
use serde_json::Value;

use crate::state::RunState;
use crate::{EventScope, ScriptLogLine};

/// Performs metrics, log, cache and scratch requests, which cannot fail.
pub(crate) fn answer_local(
    run_state: &RunState,
    scope: &EventScope,
    caller: EffectCaller<'_>,
    request: EffectRequest,
) -> EffectReply {
    let state = run_state.for_layer(caller.layer);
    let found = |value: Option<Value>| value.map_or(EffectReply::Absent, EffectReply::Value);
    match request {
        EffectRequest::MetricIncr { name, amount: by } => EffectReply::Int(state.metrics.increment(&name, by)),
        EffectRequest::MetricSet { name, value } => {
            state.metrics.set(name, value);
            EffectReply::Done
        }
        EffectRequest::MetricGet { name } => EffectReply::Value(state.metrics.get(&name)),
        EffectRequest::MetricReset { name } => {
            state.metrics.reset(name.as_deref());
            EffectReply::Done
        }
        EffectRequest::MetricSnapshot => EffectReply::Value(Value::Object(state.metrics.snapshot())),
        EffectRequest::Log { level, message } => {
            scope.logs.push(ScriptLogLine { level, hook: caller.name.to_owned(), message });
            EffectReply::Done
        }
        EffectRequest::CacheGet { key } => found(state.cache.get(&key)),
        EffectRequest::CacheSet { key, value } => {
            state.cache.set(key, value);
            EffectReply::Done
        }
        EffectRequest::CacheDelete { key } => EffectReply::Value(Value::Bool(state.cache.remove(key.as_deref()))),
        EffectRequest::ContextGet { key: Some(key) } => {
            let of_host = || scope.host.as_ref().and_then(|host| host.context_value(&key));
            found(scope.scratch.get(caller.layer, &key).or_else(of_host))
        }
        EffectRequest::ContextGet { key: None } => {
            EffectReply::Value(Value::Object(scope.scratch.visible_values(caller.layer)))
        }
        EffectRequest::ContextSet { key, value: Some(value) } => {
            scope.scratch.set(caller.layer, key, value);
            EffectReply::Done
        }
        EffectRequest::ContextSet { key, value: None } => {
            EffectReply::Value(Value::Bool(scope.scratch.remove(caller.layer, &key)))
        }
        // All other requests are performed by the caller of this function.
        _ => EffectReply::Absent,
    }
}

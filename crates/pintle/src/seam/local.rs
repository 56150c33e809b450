//! Requests that touch only what Pintle itself keeps.

use pintle_contract::{Caller, Reply, Request};
use serde_json::Value;

use super::ScopeSeam;
use crate::LogLine;

/// Answers metrics, log, cache and scratch requests; none of them can fail.
pub(crate) fn answer(seam: &ScopeSeam<'_>, caller: Caller<'_>, request: Request) -> Reply {
    let (state, scope) = (seam.runtime.state().of(caller.layer), seam.scope);
    let found = |value: Option<Value>| value.map_or(Reply::Absent, Reply::Value);
    match request {
        Request::MetricIncr { name, by } => Reply::Int(state.metrics.incr(&name, by)),
        Request::MetricSet { name, value } => {
            state.metrics.set(name, value);
            Reply::Done
        }
        Request::MetricGet { name } => Reply::Value(state.metrics.get(&name)),
        Request::MetricReset { name } => {
            state.metrics.reset(name.as_deref());
            Reply::Done
        }
        Request::MetricSnapshot => Reply::Value(Value::Object(state.metrics.snapshot())),
        Request::Log { level, message } => {
            scope.logs.push(LogLine { level, hook: caller.name.to_owned(), message });
            Reply::Done
        }
        Request::CacheGet { key } => found(state.cache.get(&key)),
        Request::CacheSet { key, value } => {
            state.cache.set(key, value);
            Reply::Done
        }
        Request::CacheDelete { key } => Reply::Value(Value::Bool(state.cache.remove(key.as_deref()))),
        Request::ContextGet { key: Some(key) } => {
            let of_host = || scope.host.as_ref().and_then(|host| host.context(&key));
            found(scope.scratch.get(caller.layer, &key).or_else(of_host))
        }
        Request::ContextGet { key: None } => Reply::Value(Value::Object(scope.scratch.all(caller.layer))),
        Request::ContextSet { key, value: Some(value) } => {
            scope.scratch.set(caller.layer, key, value);
            Reply::Done
        }
        Request::ContextSet { key, value: None } => Reply::Value(Value::Bool(scope.scratch.remove(caller.layer, &key))),
        // The caller keeps the requests that reach outside to itself.
        _ => Reply::Absent,
    }
}

//! An effect runner that keeps everything in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, LogLevel};
use serde_json::{Map, Value};

/// Keeps metrics, log lines, the cache and per-turn values in memory. Time does not advance, and random numbers have
/// their lowest value.
///
/// Requests to the outside (`http`, tools, `exec`, `fs`, the host) fail, except that every file can be read.
#[derive(Debug, Default)]
pub struct InMemoryEffects(Mutex<EffectState>);

#[derive(Debug, Default)]
struct EffectState {
    metrics: BTreeMap<String, Value>,
    cache: BTreeMap<String, Value>,
    context: BTreeMap<String, Value>,
    log: Vec<(LogLevel, String)>,
    emitted_events: Vec<(String, Value)>,
    uuids: u64,
}

impl InMemoryEffects {
    /// Creates an empty state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A counter's value; 0 if it was never incremented.
    #[must_use]
    pub fn counter(&self, name: &str) -> i64 {
        self.lock_state().metrics.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A cached value.
    #[must_use]
    pub fn cache_value(&self, key: &str) -> Option<Value> {
        self.lock_state().cache.get(key).cloned()
    }

    /// The log lines so far.
    #[must_use]
    pub fn log(&self) -> Vec<(LogLevel, String)> {
        self.lock_state().log.clone()
    }

    /// The events emitted so far.
    #[must_use]
    pub fn emitted_events(&self) -> Vec<(String, Value)> {
        self.lock_state().emitted_events.clone()
    }

    fn lock_state(&self) -> MutexGuard<'_, EffectState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn optional_reply(value: Option<&Value>) -> EffectReply {
    value.map_or(EffectReply::Absent, |value| EffectReply::Value(value.clone()))
}

fn object_reply(map: &BTreeMap<String, Value>) -> EffectReply {
    EffectReply::Value(Value::Object(
        map.iter().map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>(),
    ))
}

impl EffectRunner for InMemoryEffects {
    fn perform(&self, _caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let mut world = self.lock_state();
        Ok(match request {
            EffectRequest::MetricIncr { name, amount: by } => {
                let value = world.metrics.get(&name).and_then(Value::as_i64).unwrap_or_default().saturating_add(by);
                world.metrics.insert(name, Value::from(value));
                EffectReply::Int(value)
            }
            EffectRequest::MetricSet { name, value } => {
                world.metrics.insert(name, value);
                EffectReply::Done
            }
            EffectRequest::MetricGet { name } => {
                world.metrics.get(&name).map_or(EffectReply::Int(0), |value| EffectReply::Value(value.clone()))
            }
            EffectRequest::MetricReset { name: Some(name) } => {
                world.metrics.remove(&name);
                EffectReply::Done
            }
            EffectRequest::MetricReset { name: None } => {
                world.metrics.clear();
                EffectReply::Done
            }
            EffectRequest::MetricSnapshot => object_reply(&world.metrics),
            EffectRequest::Log { level, message } => {
                world.log.push((level, message));
                EffectReply::Done
            }
            EffectRequest::CacheGet { key } => optional_reply(world.cache.get(&key)),
            EffectRequest::CacheSet { key, value } => {
                world.cache.insert(key, value);
                EffectReply::Done
            }
            EffectRequest::CacheDelete { key: Some(key) } => {
                EffectReply::Value(Value::Bool(world.cache.remove(&key).is_some()))
            }
            EffectRequest::CacheDelete { key: None } => {
                let there = !world.cache.is_empty();
                world.cache.clear();
                EffectReply::Value(Value::Bool(there))
            }
            EffectRequest::ContextGet { key: Some(key) } => optional_reply(world.context.get(&key)),
            EffectRequest::ContextGet { key: None } => object_reply(&world.context),
            EffectRequest::ContextSet { key, value: Some(value) } => {
                world.context.insert(key, value);
                EffectReply::Done
            }
            EffectRequest::ContextSet { key, value: None } => {
                world.context.remove(&key);
                EffectReply::Done
            }
            EffectRequest::Now => EffectReply::Int(0),
            EffectRequest::Random { min, .. } => EffectReply::Int(min),
            EffectRequest::Uuid => {
                world.uuids += 1;
                EffectReply::Value(Value::String(format!("00000000-0000-4000-8000-{:012x}", world.uuids)))
            }
            EffectRequest::Sleep { .. } => EffectReply::Done,
            EffectRequest::Emit { event, payload } => {
                world.emitted_events.push((event, payload.clone()));
                EffectReply::Value(payload)
            }
            EffectRequest::Fs { ref function, ref arguments } if function == "read" => {
                let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
                EffectReply::Value(Value::String(format!("text of {path}")))
            }
            EffectRequest::Http { .. }
            | EffectRequest::CallTool { .. }
            | EffectRequest::Meta { .. }
            | EffectRequest::Exec { .. }
            | EffectRequest::Fs { .. }
            | EffectRequest::Session { .. }
            | EffectRequest::Host { .. } => return Err(EffectError(String::from("not available in a test"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::CallId;

    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let effects = InMemoryEffects::new();
        let caller = EffectCaller::new(CallId(1), "h");
        assert_eq!(effects.metric_incr(caller, "n", 2), Ok(2));
        assert_eq!(effects.metric_incr(caller, "n", 3), Ok(5));
        let set = EffectRequest::CacheSet { key: String::from("k"), value: Value::from(1) };
        assert_eq!(effects.perform(caller, set), Ok(EffectReply::Done));
        let get = |key: &str| effects.perform(caller, EffectRequest::CacheGet { key: key.to_owned() });
        assert_eq!(get("k"), Ok(EffectReply::Value(Value::from(1))));
        assert_eq!(get("other"), Ok(EffectReply::Absent));
        assert_eq!((effects.counter("n"), effects.cache_value("k")), (5, Some(Value::from(1))));
    }
}

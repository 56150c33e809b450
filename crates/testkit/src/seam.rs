//! A seam over plain maps.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle_contract::{Caller, LogLevel, Reply, Request, Seam, SeamError};
use serde_json::{Map, Value};

/// Metrics, log, cache and per-turn values in memory; time stands still, randomness is the least value.
///
/// What reaches outside the process (`http`, tools, `exec`, `fs`, the host) is refused.
#[derive(Debug, Default)]
pub struct MapSeam(Mutex<World>);

#[derive(Debug, Default)]
struct World {
    metrics: BTreeMap<String, Value>,
    cache: BTreeMap<String, Value>,
    context: BTreeMap<String, Value>,
    log: Vec<(LogLevel, String)>,
    emitted: Vec<(String, Value)>,
    uuids: u64,
}

impl MapSeam {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A counter's value, 0 when nobody counted.
    #[must_use]
    pub fn counter(&self, name: &str) -> i64 {
        self.world().metrics.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A cached value.
    #[must_use]
    pub fn cached(&self, key: &str) -> Option<Value> {
        self.world().cache.get(key).cloned()
    }

    /// The log lines so far.
    #[must_use]
    pub fn log(&self) -> Vec<(LogLevel, String)> {
        self.world().log.clone()
    }

    /// The events emitted so far.
    #[must_use]
    pub fn emitted(&self) -> Vec<(String, Value)> {
        self.world().emitted.clone()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn found(value: Option<&Value>) -> Reply {
    value.map_or(Reply::Absent, |value| Reply::Value(value.clone()))
}

fn object(map: &BTreeMap<String, Value>) -> Reply {
    Reply::Value(Value::Object(map.iter().map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>()))
}

impl Seam for MapSeam {
    fn perform(&self, _caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        let mut world = self.world();
        Ok(match request {
            Request::MetricIncr { name, by } => {
                let value = world.metrics.get(&name).and_then(Value::as_i64).unwrap_or_default().saturating_add(by);
                world.metrics.insert(name, Value::from(value));
                Reply::Int(value)
            }
            Request::MetricSet { name, value } => {
                world.metrics.insert(name, value);
                Reply::Done
            }
            Request::MetricGet { name } => {
                world.metrics.get(&name).map_or(Reply::Int(0), |value| Reply::Value(value.clone()))
            }
            Request::MetricReset { name: Some(name) } => {
                world.metrics.remove(&name);
                Reply::Done
            }
            Request::MetricReset { name: None } => {
                world.metrics.clear();
                Reply::Done
            }
            Request::MetricSnapshot => object(&world.metrics),
            Request::Log { level, message } => {
                world.log.push((level, message));
                Reply::Done
            }
            Request::CacheGet { key } => found(world.cache.get(&key)),
            Request::CacheSet { key, value } => {
                world.cache.insert(key, value);
                Reply::Done
            }
            Request::CacheDelete { key: Some(key) } => Reply::Value(Value::Bool(world.cache.remove(&key).is_some())),
            Request::CacheDelete { key: None } => {
                let there = !world.cache.is_empty();
                world.cache.clear();
                Reply::Value(Value::Bool(there))
            }
            Request::ContextGet { key: Some(key) } => found(world.context.get(&key)),
            Request::ContextGet { key: None } => object(&world.context),
            Request::ContextSet { key, value: Some(value) } => {
                world.context.insert(key, value);
                Reply::Done
            }
            Request::ContextSet { key, value: None } => {
                world.context.remove(&key);
                Reply::Done
            }
            Request::Now => Reply::Int(0),
            Request::Random { min, .. } => Reply::Int(min),
            Request::Uuid => {
                world.uuids += 1;
                Reply::Value(Value::String(format!("00000000-0000-4000-8000-{:012x}", world.uuids)))
            }
            Request::Sleep { .. } => Reply::Done,
            Request::Emit { event, payload } => {
                world.emitted.push((event, payload.clone()));
                Reply::Value(payload)
            }
            Request::Fs { ref function, ref arguments } if function == "read" => {
                let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
                Reply::Value(Value::String(format!("text of {path}")))
            }
            Request::Http { .. }
            | Request::CallTool { .. }
            | Request::Meta { .. }
            | Request::Exec { .. }
            | Request::Fs { .. }
            | Request::Session { .. }
            | Request::Host { .. } => return Err(SeamError(String::from("not available in a test"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::CallId;

    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let seam = MapSeam::new();
        let caller = Caller::new(CallId(1), "h");
        assert_eq!(seam.metric_incr(caller, "n", 2), Ok(2));
        assert_eq!(seam.metric_incr(caller, "n", 3), Ok(5));
        let set = Request::CacheSet { key: String::from("k"), value: Value::from(1) };
        assert_eq!(seam.perform(caller, set), Ok(Reply::Done));
        let get = |key: &str| seam.perform(caller, Request::CacheGet { key: key.to_owned() });
        assert_eq!(get("k"), Ok(Reply::Value(Value::from(1))));
        assert_eq!(get("other"), Ok(Reply::Absent));
        assert_eq!((seam.counter("n"), seam.cached("k")), (5, Some(Value::from(1))));
    }
}

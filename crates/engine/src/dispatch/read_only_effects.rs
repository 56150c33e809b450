//! The effect runners of rechecked and untrusted hooks: they read state but do not change it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner};
use serde_json::Value;

/// Performs requests that read, and withholds those that change state, with the reply that the change would have had.
///
/// A guard that is rechecked had its effects in the first call; only its verdict matters now. This runner performs the
/// requests that the first call did not make; the others get the same reply as before. If the verdict is a deny, the
/// withheld changes are made.
#[derive(Debug)]
pub struct ReadOnlyEffects<'a> {
    inner: &'a dyn EffectRunner,
    /// The withheld requests, in order.
    withheld: Mutex<Vec<EffectRequest>>,
}

impl<'a> ReadOnlyEffects<'a> {
    /// Creates a runner that reads through another one.
    #[must_use]
    pub fn new(effects: &'a dyn EffectRunner) -> Self {
        Self { inner: effects, withheld: Mutex::default() }
    }

    /// Performs the withheld requests, because the verdict is a deny.
    pub(super) fn flush_writes(&self, caller: EffectCaller<'_>) {
        let withheld = std::mem::take(&mut *self.withheld.lock().unwrap_or_else(PoisonError::into_inner));
        for request in withheld {
            // The hook already has its reply; if a request is refused now, its verdict does not change.
            drop(self.inner.perform(caller, request));
        }
    }

    fn withhold(&self, request: &EffectRequest) {
        let tells_others = matches!(request, EffectRequest::Log { .. } | EffectRequest::Emit { .. });
        if tells_others || request.changes_state() == Some(true) {
            self.withheld.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        }
    }
}

/// Performs reads in the hook's own layer, withholds changes, and refuses everything else.
///
/// For an untrusted hook: it decides on the payload it receives, and leaves no state behind.
#[derive(Debug)]
pub(super) struct UntrustedEffects<'a>(pub(super) ReadOnlyEffects<'a>);

impl EffectRunner for UntrustedEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        match request {
            EffectRequest::Http { .. }
            | EffectRequest::Emit { .. }
            | EffectRequest::CallTool { .. }
            | EffectRequest::Meta { .. }
            | EffectRequest::Exec { .. }
            | EffectRequest::Fs { .. }
            | EffectRequest::Session { .. }
            | EffectRequest::Host { .. } => Err(EffectError(String::from(
                "not available to a hook of an untrusted project; review and trust the project with `pintle trust`",
            ))),
            request => self.0.perform(caller, request),
        }
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, amount: i64) -> Result<i64, EffectError> {
        self.0.metric_incr(caller, name, amount)
    }
}

impl EffectRunner for ReadOnlyEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        self.withhold(&request);
        match request {
            EffectRequest::MetricIncr { name, amount: by } => {
                self.predict_count(caller, &name, by).map(EffectReply::Int)
            }
            EffectRequest::MetricSet { .. }
            | EffectRequest::MetricReset { .. }
            | EffectRequest::Log { .. }
            | EffectRequest::CacheSet { .. }
            | EffectRequest::ContextSet { .. }
            | EffectRequest::Sleep { .. } => Ok(EffectReply::Done),
            EffectRequest::CacheDelete { key: Some(key) } => {
                let there = self.inner.perform(caller, EffectRequest::CacheGet { key })? != EffectReply::Absent;
                Ok(EffectReply::Value(Value::Bool(there)))
            }
            EffectRequest::CacheDelete { key: None } => Ok(EffectReply::Value(Value::Bool(true))),
            EffectRequest::Emit { payload, .. } => Ok(EffectReply::Value(payload)),
            EffectRequest::Meta { function, arguments } if function.contains("list") => {
                self.inner.perform(caller, EffectRequest::Meta { function, arguments })
            }
            EffectRequest::Meta { .. } => Ok(EffectReply::Done),
            EffectRequest::Session { ref function, .. } if function == "messages" || function == "unsettled_state" => {
                self.inner.perform(caller, request)
            }
            EffectRequest::Session { .. } => Ok(EffectReply::Done),
            request if request.reads_files() => self.inner.perform(caller, request),
            EffectRequest::CallTool { .. } | EffectRequest::Exec { .. } | EffectRequest::Fs { .. } => {
                Err(EffectError(String::from("not available when a guard is rechecked; decide on the payload alone")))
            }
            EffectRequest::MetricGet { .. }
            | EffectRequest::MetricSnapshot
            | EffectRequest::CacheGet { .. }
            | EffectRequest::ContextGet { .. }
            | EffectRequest::Http { .. }
            | EffectRequest::Now
            | EffectRequest::Random { .. }
            | EffectRequest::Uuid
            | EffectRequest::Host { .. } => self.inner.perform(caller, request),
        }
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, amount: i64) -> Result<i64, EffectError> {
        self.withhold(&EffectRequest::MetricIncr { name: name.to_owned(), amount });
        self.predict_count(caller, name, amount)
    }
}

impl ReadOnlyEffects<'_> {
    /// The value that the counter would have.
    fn predict_count(&self, caller: EffectCaller<'_>, name: &str, amount: i64) -> Result<i64, EffectError> {
        let current = match self.inner.perform(caller, EffectRequest::MetricGet { name: name.to_owned() })? {
            EffectReply::Int(count) => count,
            EffectReply::Value(value) => value.as_i64().unwrap_or_default(),
            EffectReply::Done | EffectReply::Absent => 0,
        };
        Ok(current.saturating_add(amount))
    }
}

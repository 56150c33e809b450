//! The seam of a hook that is asked again: it sees the world and leaves no mark on it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner};
use serde_json::Value;

/// Lets reads through and drops writes, with the reply that the write would have got.
///
/// A guard that is asked again has had its effects the first time (design, section 4); only its verdict counts now.
/// This is for what it did not ask the first time; what it did ask then is answered as it was then. A verdict that denies
/// keeps what was written on the way to it.
#[derive(Debug)]
pub struct ReadOnlyEffects<'a> {
    inner: &'a dyn EffectRunner,
    /// What was not written, in order.
    withheld: Mutex<Vec<EffectRequest>>,
}

impl<'a> ReadOnlyEffects<'a> {
    /// The seam that reads come from.
    #[must_use]
    pub fn new(seam: &'a dyn EffectRunner) -> Self {
        Self { inner: seam, withheld: Mutex::default() }
    }

    /// Writes what was withheld: the call decided.
    pub(super) fn flush_writes(&self, caller: EffectCaller<'_>) {
        let withheld = std::mem::take(&mut *self.withheld.lock().unwrap_or_else(PoisonError::into_inner));
        for request in withheld {
            // The hook has its reply already, and what the world now refuses changes nothing about its verdict.
            drop(self.inner.perform(caller, request));
        }
    }

    fn withhold(&self, request: &EffectRequest) {
        let writes = matches!(
            request,
            EffectRequest::MetricIncr { .. }
                | EffectRequest::MetricSet { .. }
                | EffectRequest::MetricReset { .. }
                | EffectRequest::Log { .. }
                | EffectRequest::CacheSet { .. }
                | EffectRequest::CacheDelete { .. }
                | EffectRequest::ContextSet { .. }
                | EffectRequest::Emit { .. }
        );
        if writes {
            self.withheld.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        }
    }
}

/// Lets reads of its own layer through, drops what would leave a mark, and refuses what reaches farther.
///
/// For a hook that the user does not trust: it judges what it is shown, and nothing that it does outlasts its verdict.
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
                "not available to a hook of a project that is not trusted; `pintle trust` shows what it may do and asks",
            ))),
            request => self.0.perform(caller, request),
        }
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, by: i64) -> Result<i64, EffectError> {
        self.0.metric_incr(caller, name, by)
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
                Err(EffectError(String::from(
                    "not available to a guard that is asked again about a changed target; decide on the payload alone",
                )))
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

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, by: i64) -> Result<i64, EffectError> {
        self.withhold(&EffectRequest::MetricIncr { name: name.to_owned(), amount: by });
        self.predict_count(caller, name, by)
    }
}

impl ReadOnlyEffects<'_> {
    /// What the counter would be.
    fn predict_count(&self, caller: EffectCaller<'_>, name: &str, by: i64) -> Result<i64, EffectError> {
        let current = match self.inner.perform(caller, EffectRequest::MetricGet { name: name.to_owned() })? {
            EffectReply::Int(count) => count,
            EffectReply::Value(value) => value.as_i64().unwrap_or_default(),
            EffectReply::Done | EffectReply::Absent => 0,
        };
        Ok(current.saturating_add(by))
    }
}

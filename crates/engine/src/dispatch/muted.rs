//! The seam of a hook that is asked again: it sees the world and leaves no mark on it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{Caller, Reply, Request, Seam, SeamError};
use serde_json::Value;

/// Lets reads through and drops writes, with the reply that the write would have got.
///
/// A guard that is asked again has had its effects the first time (design, section 4); only its verdict counts now.
/// This is for what it did not ask the first time; what it did ask then is answered as it was then. A verdict that denies
/// keeps what was written on the way to it.
#[derive(Debug)]
pub struct MutedSeam<'a> {
    seam: &'a dyn Seam,
    /// What was not written, in order.
    withheld: Mutex<Vec<Request>>,
}

impl<'a> MutedSeam<'a> {
    /// The seam that reads come from.
    #[must_use]
    pub fn new(seam: &'a dyn Seam) -> Self {
        Self { seam, withheld: Mutex::default() }
    }

    /// Writes what was withheld: the call decided.
    pub(super) fn write(&self, caller: Caller<'_>) {
        let withheld = std::mem::take(&mut *self.withheld.lock().unwrap_or_else(PoisonError::into_inner));
        for request in withheld {
            // The hook has its reply already, and what the world now refuses changes nothing about its verdict.
            drop(self.seam.perform(caller, request));
        }
    }

    fn withhold(&self, request: &Request) {
        let writes = matches!(
            request,
            Request::MetricIncr { .. }
                | Request::MetricSet { .. }
                | Request::MetricReset { .. }
                | Request::Log { .. }
                | Request::CacheSet { .. }
                | Request::CacheDelete { .. }
                | Request::ContextSet { .. }
                | Request::Emit { .. }
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
pub(super) struct UntrustedSeam<'a>(pub(super) MutedSeam<'a>);

impl Seam for UntrustedSeam<'_> {
    fn perform(&self, caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        match request {
            Request::Http { .. }
            | Request::Emit { .. }
            | Request::CallTool { .. }
            | Request::Meta { .. }
            | Request::Exec { .. }
            | Request::Fs { .. }
            | Request::Session { .. }
            | Request::Host { .. } => Err(SeamError(String::from(
                "not available to a hook of a project that is not trusted; `pintle trust` shows what it may do and asks",
            ))),
            request => self.0.perform(caller, request),
        }
    }

    fn metric_incr(&self, caller: Caller<'_>, name: &str, by: i64) -> Result<i64, SeamError> {
        self.0.metric_incr(caller, name, by)
    }
}

impl Seam for MutedSeam<'_> {
    fn perform(&self, caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        self.withhold(&request);
        match request {
            Request::MetricIncr { name, by } => self.count(caller, &name, by).map(Reply::Int),
            Request::MetricSet { .. }
            | Request::MetricReset { .. }
            | Request::Log { .. }
            | Request::CacheSet { .. }
            | Request::ContextSet { .. }
            | Request::Sleep { .. } => Ok(Reply::Done),
            Request::CacheDelete { key: Some(key) } => {
                let there = self.seam.perform(caller, Request::CacheGet { key })? != Reply::Absent;
                Ok(Reply::Value(Value::Bool(there)))
            }
            Request::CacheDelete { key: None } => Ok(Reply::Value(Value::Bool(true))),
            Request::Emit { payload, .. } => Ok(Reply::Value(payload)),
            Request::Meta { function, arguments } if function.contains("list") => {
                self.seam.perform(caller, Request::Meta { function, arguments })
            }
            Request::Meta { .. } => Ok(Reply::Done),
            Request::Session { ref function, .. } if function == "messages" || function == "unsettled_state" => {
                self.seam.perform(caller, request)
            }
            Request::Session { .. } => Ok(Reply::Done),
            request if request.reads_files() => self.seam.perform(caller, request),
            Request::CallTool { .. } | Request::Exec { .. } | Request::Fs { .. } => Err(SeamError(String::from(
                "not available to a guard that is asked again about a changed target; decide on the payload alone",
            ))),
            Request::MetricGet { .. }
            | Request::MetricSnapshot
            | Request::CacheGet { .. }
            | Request::ContextGet { .. }
            | Request::Http { .. }
            | Request::Now
            | Request::Random { .. }
            | Request::Uuid
            | Request::Host { .. } => self.seam.perform(caller, request),
        }
    }

    fn metric_incr(&self, caller: Caller<'_>, name: &str, by: i64) -> Result<i64, SeamError> {
        self.withhold(&Request::MetricIncr { name: name.to_owned(), by });
        self.count(caller, name, by)
    }
}

impl MutedSeam<'_> {
    /// What the counter would be.
    fn count(&self, caller: Caller<'_>, name: &str, by: i64) -> Result<i64, SeamError> {
        let current = match self.seam.perform(caller, Request::MetricGet { name: name.to_owned() })? {
            Reply::Int(count) => count,
            Reply::Value(value) => value.as_i64().unwrap_or_default(),
            Reply::Done | Reply::Absent => 0,
        };
        Ok(current.saturating_add(by))
    }
}

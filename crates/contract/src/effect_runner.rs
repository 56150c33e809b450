//! Effect requests: how a script does anything outside its interpreter.
//!
//! Every effect is an [`EffectRequest`] with an [`EffectReply`]. All of them go through one trait, so a tape can record
//! them and a replay can answer them from the tape.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, CancelToken, DispatchId, Layer, LogLevel};

/// A request for an effect outside the interpreter.
///
/// The kind of script determines which requests it may make, before it is compiled: hooks cannot make `Exec` and `Host`
/// requests, and only read-only `Fs` requests; `when` expressions cannot make any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectRequest {
    /// `metrics.incr(name, by)`; replies with the new value.
    MetricIncr {
        /// The name of the counter.
        name: String,
        /// The amount to add.
        amount: i64,
    },
    /// `metrics.set(name, value)`.
    MetricSet {
        /// The name of the gauge.
        name: String,
        /// The new value.
        value: Value,
    },
    /// `metrics.get(name)`; replies 0 for a name that was never set.
    MetricGet {
        /// The name of the counter or gauge.
        name: String,
    },
    /// `metrics.reset(name)`; resets all if the name is `None`.
    MetricReset {
        /// The name of the counter or gauge.
        name: Option<String>,
    },
    /// `metrics.snapshot()`; replies with an object.
    MetricSnapshot,
    /// `log(..)`, `log.info(..)`, `log.warn(..)`, `print(..)`.
    Log {
        /// How urgent the line is.
        level: LogLevel,
        /// The text of the line.
        message: String,
    },
    /// `cache.get(key)`; replies with the value or [`EffectReply::Absent`].
    CacheGet {
        /// The key.
        key: String,
    },
    /// `cache.set(key, value)`.
    CacheSet {
        /// The key.
        key: String,
        /// The value.
        value: Value,
    },
    /// `cache.delete(key)`, or all keys if `None`; replies whether anything was deleted.
    CacheDelete {
        /// The key.
        key: Option<String>,
    },
    /// `ctx.get(key)`: a scratch value of the current turn.
    ContextGet {
        /// The key; `None` replies with an object of all values.
        key: Option<String>,
    },
    /// `ctx.set(key, value)`; `None` deletes the value.
    ContextSet {
        /// The key.
        key: String,
        /// The value.
        value: Option<Value>,
    },
    /// `http.get`, `http.post`; replies with an object `status, ok, url, body, headers`.
    Http {
        /// `GET` or `POST`.
        method: String,
        /// The URL.
        url: String,
        /// The header names and values.
        headers: Vec<(String, String)>,
        /// The body of the request.
        body: Option<String>,
        /// The time limit, in milliseconds.
        timeout_ms: u64,
    },
    /// `time.now()`; replies with milliseconds since the Unix epoch.
    Now,
    /// `random(min, max)`; replies with an integer between both, inclusive.
    Random {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// `uuid.v4()`; replies with the UUID as text.
    Uuid,
    /// `sleep(ms)`.
    Sleep {
        /// How long to sleep, in milliseconds.
        duration_ms: u64,
    },
    /// `events.emit(event, payload)`; replies with the payload after the hooks of that event.
    Emit {
        /// The name of the event, one of `custom.*`.
        event: String,
        /// The payload.
        payload: Value,
    },
    /// `meta.call_tool(name, arguments)`; replies with `{content, is_error, result}`. Runs the whole tool call
    /// lifecycle.
    CallTool {
        /// The name of the tool.
        name: String,
        /// The arguments of the call.
        arguments: Value,
    },
    /// `meta.register_tool`, `meta.register_hook`, `meta.register_agent`, `meta.list_tools`.
    Meta {
        /// The name of the function in `meta`.
        function: String,
        /// The arguments by name.
        arguments: Value,
    },
    /// `transcript.messages`, `transcript.inject_reminder`, `notify_file_edited`, `unsettled_state`: requests to the
    /// agent's session.
    Session {
        /// The name of the function, without its namespace.
        function: String,
        /// The arguments by name.
        arguments: Value,
    },
    /// `exec.run(cmd, args, timeout_ms, dir)`; tools only.
    Exec {
        /// The program.
        program: String,
        /// The arguments of the program.
        arguments: Vec<String>,
        /// The time limit, in milliseconds.
        timeout_ms: u64,
        /// The working directory, inside the workspace.
        directory: Option<String>,
    },
    /// `fs.*`; hooks may only make read-only requests ([`EffectRequest::reads_files`]).
    Fs {
        /// The name of the function in `fs`.
        function: String,
        /// The arguments by name.
        arguments: Value,
    },
    /// `env(key)`, `os.*`: a fact about the host; tools only.
    Host {
        /// The fact: `env`, `cwd`, `hostname`, `platform` or `args`.
        fact: String,
        /// The name of the variable, for `env`.
        key: Option<String>,
    },
}

/// The read-only functions of `fs`.
const FILE_READS: [&str; 7] = ["read", "exists", "list", "stat", "glob", "find", "read_lines"];

impl EffectRequest {
    /// Whether the request reads files and changes none.
    #[must_use]
    pub fn reads_files(&self) -> bool {
        matches!(self, Self::Fs { function, .. } if FILE_READS.contains(&function.as_str()))
    }

    /// Whether the request changes metrics, the cache or scratch values; `None` if it does not use them.
    #[must_use]
    pub fn changes_state(&self) -> Option<bool> {
        match self {
            Self::MetricIncr { .. }
            | Self::MetricSet { .. }
            | Self::MetricReset { .. }
            | Self::CacheSet { .. }
            | Self::CacheDelete { .. }
            | Self::ContextSet { .. } => Some(true),
            Self::MetricGet { .. } | Self::MetricSnapshot | Self::CacheGet { .. } | Self::ContextGet { .. } => {
                Some(false)
            }
            _ => None,
        }
    }

    /// Whether the reply may take time. Waiting for it ends with the time limit of the caller.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        match self {
            Self::Http { .. }
            | Self::Sleep { .. }
            | Self::Emit { .. }
            | Self::CallTool { .. }
            | Self::Meta { .. }
            | Self::Exec { .. }
            | Self::Fs { .. }
            | Self::Host { .. } => true,
            Self::MetricIncr { .. }
            | Self::MetricSet { .. }
            | Self::MetricGet { .. }
            | Self::MetricReset { .. }
            | Self::MetricSnapshot
            | Self::Log { .. }
            | Self::CacheGet { .. }
            | Self::CacheSet { .. }
            | Self::CacheDelete { .. }
            | Self::ContextGet { .. }
            | Self::ContextSet { .. }
            | Self::Now
            | Self::Random { .. }
            | Self::Session { .. }
            | Self::Uuid => false,
        }
    }
}

/// The reply to an effect request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectReply {
    /// The request was performed and returns no value.
    Done,
    /// The value does not exist.
    Absent,
    /// A whole number.
    Int(i64),
    /// A JSON value.
    Value(Value),
}

/// Why an effect request was refused or failed, in one line for the script's author, such as `http.get: network
/// sandbox: host "x" is not in the allowlist`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
#[serde(transparent)]
pub struct EffectError(pub String);

/// The hook or tool that makes an effect request.
#[derive(Debug, Clone, Copy)]
pub struct EffectCaller<'a> {
    /// The dispatch that the call belongs to. A tool call belongs to none.
    pub dispatch: DispatchId,
    /// The ID of the call, from the journal.
    pub call: CallId,
    /// The name of the hook or tool.
    pub name: &'a str,
    /// The configuration layer of the caller. Metrics, cache and context of one layer are not accessible to the others.
    pub layer: Layer,
    /// Cancelled when the caller no longer waits, for example after its time limit. A request that is waiting then
    /// ends.
    pub cancel: Option<&'a CancelToken>,
    /// The tools that the caller declared and may call.
    pub tools: &'a [String],
}

impl<'a> EffectCaller<'a> {
    /// Creates a caller in the project layer without a dispatch and a cancellation token, such as a tool.
    #[must_use]
    pub fn new(call: CallId, name: &'a str) -> Self {
        Self { dispatch: DispatchId::default(), call, name, layer: Layer::Project, cancel: None, tools: &[] }
    }

    /// Copies the caller with the dispatch that its call belongs to.
    #[must_use]
    pub fn with_dispatch(self, dispatch: DispatchId) -> Self {
        Self { dispatch, ..self }
    }

    /// Copies the caller with a cancellation token for its requests.
    #[must_use]
    pub fn with_cancel(self, cancel: &'a CancelToken) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    /// Copies the caller with another configuration layer.
    #[must_use]
    pub fn with_layer(self, layer: Layer) -> Self {
        Self { layer, ..self }
    }

    /// Copies the caller with the tools that it may call.
    #[must_use]
    pub fn with_tools(self, tools: &'a [String]) -> Self {
        Self { tools, ..self }
    }

    /// Whether the caller is a hook. Tool calls have no call ID.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        self.call != CallId::default()
    }
}

/// Performs effect requests. One runner serves all calls of a session.
pub trait EffectRunner: Send + Sync + Debug {
    /// Performs one request and returns its reply.
    ///
    /// # Errors
    /// When the request is refused or fails; the script gets the error at the calling line.
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError>;

    /// A hook's call begins. What its requests use is its own until it waits or ends. Default: nothing.
    fn begin_call(&self, _call: CallId) {}

    /// A call ends that began, also one that panicked. Default: nothing.
    fn end_call(&self, _call: CallId) {}

    /// Adds to a counter and returns its new value, like [`EffectRequest::MetricIncr`] but without its allocation.
    ///
    /// # Errors
    /// As [`EffectRunner::perform`].
    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, amount: i64) -> Result<i64, EffectError> {
        match self.perform(caller, EffectRequest::MetricIncr { name: name.to_owned(), amount })? {
            EffectReply::Int(value) => Ok(value),
            _ => Ok(0),
        }
    }
}

/// An [`EffectRunner`] that refuses every request: for `when` expressions, validation and tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEffects;

impl EffectRunner for NoEffects {
    fn perform(&self, _caller: EffectCaller<'_>, _request: EffectRequest) -> Result<EffectReply, EffectError> {
        Err(EffectError(String::from("not available here")))
    }
}

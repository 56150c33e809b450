//! The one door through which a script reaches the world.
//!
//! Every effect is a [`EffectRequest`] with a [`EffectReply`]. Because there is one door, a tape can record what went through
//! it and a replay can answer from the tape.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, CancelToken, Layer, LogLevel};

/// What a script asks of the world.
///
/// Which requests a script may make is decided by its kind before it is compiled: hooks get no `Exec`, no `Host`, and of
/// `Fs` what only reads; `when` gets none at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectRequest {
    /// `metrics.incr(name, by)`; replies with the new value.
    MetricIncr {
        /// The counter.
        name: String,
        /// How much.
        #[serde(rename = "by")]
        amount: i64,
    },
    /// `metrics.set(name, value)`.
    MetricSet {
        /// The gauge.
        name: String,
        /// Its value.
        value: Value,
    },
    /// `metrics.get(name)`; replies 0 for a name nobody set.
    MetricGet {
        /// The counter or gauge.
        name: String,
    },
    /// `metrics.reset(name)`, all when `None`.
    MetricReset {
        /// The counter or gauge.
        name: Option<String>,
    },
    /// `metrics.snapshot()`; replies an object.
    MetricSnapshot,
    /// `log(..)`, `log.info(..)`, `log.warn(..)`, `print(..)`.
    Log {
        /// How urgent.
        level: LogLevel,
        /// The text.
        message: String,
    },
    /// `cache.get(key)`; replies the value or [`EffectReply::Absent`].
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
    /// `cache.delete(key)`, all when `None`; replies whether there was something.
    CacheDelete {
        /// The key.
        key: Option<String>,
    },
    /// A per-turn scratch value, `ctx.get(key)`.
    ContextGet {
        /// The key; `None` replies an object of all.
        key: Option<String>,
    },
    /// `ctx.set(key, value)`; `None` deletes.
    ContextSet {
        /// The key.
        key: String,
        /// The value.
        value: Option<Value>,
    },
    /// `http.get`, `http.post`; replies an object `status, ok, url, body, headers`.
    Http {
        /// `GET` or `POST`.
        method: String,
        /// The address.
        url: String,
        /// Header names and values.
        headers: Vec<(String, String)>,
        /// The body.
        body: Option<String>,
        /// How long it may take.
        timeout_ms: u64,
    },
    /// `time.now()`; replies milliseconds since the Unix epoch.
    Now,
    /// `random(min, max)`; replies an integer of the closed range.
    Random {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// `uuid.v4()`; replies the text.
    Uuid,
    /// `sleep(ms)`.
    Sleep {
        /// How long.
        duration_ms: u64,
    },
    /// `events.emit(event, payload)`; replies the payload after the hooks of that event.
    Emit {
        /// `custom.*`.
        event: String,
        /// The payload.
        payload: Value,
    },
    /// `meta.call_tool(name, arguments)`; replies `{content, is_error, result}`. Runs the whole lifecycle.
    CallTool {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// `meta.register_tool`, `meta.register_hook`, `meta.register_agent`, `meta.list_tools`.
    Meta {
        /// Which function of `meta`.
        function: String,
        /// Its arguments by name.
        arguments: Value,
    },
    /// `transcript.messages`, `transcript.inject_reminder`, `notify_file_edited`, `unsettled_state`: the agent's session.
    Session {
        /// Which of them, without the namespace.
        function: String,
        /// Its arguments by name.
        arguments: Value,
    },
    /// `exec.run(cmd, args, timeout_ms, dir)`, tools only.
    Exec {
        /// The program.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// How long it may take.
        timeout_ms: u64,
        /// The working directory, inside the workspace.
        directory: Option<String>,
    },
    /// `fs.*`; of hooks only what reads ([`EffectRequest::reads_files`]).
    Fs {
        /// Which function of `fs`.
        function: String,
        /// Its arguments by name.
        arguments: Value,
    },
    /// `env(key)`, `os.*`: a fact about the host, tools only.
    Host {
        /// `env`, `cwd`, `hostname`, `platform`, `args`.
        fact: String,
        /// The variable, for `env`.
        key: Option<String>,
    },
}

/// The functions of `fs` that change nothing.
const FILE_READS: [&str; 7] = ["read", "exists", "list", "stat", "glob", "find", "read_lines"];

impl EffectRequest {
    /// Whether it looks at files and changes none.
    #[must_use]
    pub fn reads_files(&self) -> bool {
        matches!(self, Self::Fs { function, .. } if FILE_READS.contains(&function.as_str()))
    }

    /// Whether the answer may take time: what it waits for ends with the time of the caller.
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

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectReply {
    /// Done; nothing to tell.
    Done,
    /// There is no such thing.
    Absent,
    /// A whole number.
    Int(i64),
    /// A value.
    Value(Value),
}

/// Why the world refused, in one line for the script's author, such as
/// `http.get: network sandbox: host "x" is not in the allowlist`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffectError(pub String);

impl std::fmt::Display for EffectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who asks something of the world.
#[derive(Debug, Clone, Copy)]
pub struct EffectCaller<'a> {
    /// The call, as numbered by the journal.
    pub call: CallId,
    /// The name of the hook or tool.
    pub name: &'a str,
    /// The configuration layer that it belongs to. Metrics, cache and context of one layer are out of reach of the others.
    pub layer: Layer,
    /// Raised when nobody waits for the caller any more, its time limit included. Whatever a request waits for ends then.
    pub cancel: Option<&'a CancelToken>,
    /// The tools that it may call by its own declaration.
    pub tools: &'a [String],
}

impl<'a> EffectCaller<'a> {
    /// A caller of the project, such as a tool, that waits as long as its host does.
    #[must_use]
    pub fn new(call: CallId, name: &'a str) -> Self {
        Self { call, name, layer: Layer::Project, cancel: None, tools: &[] }
    }

    /// The same caller, whose requests end when `cancel` is raised.
    #[must_use]
    pub fn with_cancel(self, cancel: &'a CancelToken) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    /// The same caller in another configuration layer.
    #[must_use]
    pub fn with_layer(self, layer: Layer) -> Self {
        Self { layer, ..self }
    }

    /// The same caller, which may call these tools.
    #[must_use]
    pub fn with_tools(self, tools: &'a [String]) -> Self {
        Self { tools, ..self }
    }

    /// Whether a hook asks. The calls of tools are not numbered.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        self.call != CallId::default()
    }
}

/// Performs requests. Shared by all calls of a session; the caller says which one asks.
pub trait EffectRunner: Send + Sync + Debug {
    /// Performs one request.
    ///
    /// # Errors
    /// When the request is refused or fails; the script sees it as an error at that line.
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError>;

    /// Adds to a counter and gives its new value. The same as [`EffectRequest::MetricIncr`], without its allocation.
    ///
    /// # Errors
    /// As [`EffectRunner::perform`].
    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, by: i64) -> Result<i64, EffectError> {
        match self.perform(caller, EffectRequest::MetricIncr { name: name.to_owned(), amount: by })? {
            EffectReply::Int(value) => Ok(value),
            _ => Ok(0),
        }
    }
}

/// A seam that refuses everything: for `when`, for validation, for tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEffects;

impl EffectRunner for NoEffects {
    fn perform(&self, _caller: EffectCaller<'_>, _request: EffectRequest) -> Result<EffectReply, EffectError> {
        Err(EffectError(String::from("not available here")))
    }
}

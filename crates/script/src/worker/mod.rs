//! The script worker: it loads scripts and calls them for its host, and may die.
//!
//! Host and worker exchange lines of JSON. The host writes a [`WorkerRequest`]; the worker replies with a line that
//! starts with `=` and contains a [`WorkerResponse`]. Before that it may write lines that start with `?` and contain an
//! [`EffectRequest`](pintle_contract::EffectRequest) of the script; the host replies to each with a line that contains
//! its result.
//!
//! A request contains its program: any worker of a pool can serve any call. A worker caches the programs that it has
//! loaded.

mod serve;

use pintle_contract::{
    CallLimits, Diagnostic, Failure, FailureKind, FunctionOutput, FunctionRef, ScriptOutput, ScriptSource,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

pub use serve::serve;

use crate::finding::{FindingCode, ScriptFinding};
use crate::language::ScriptKind;
use crate::plugin::PluginInventory;
use crate::source::PreparedSource;

/// A request of the host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerRequest {
    /// The program.
    pub program: WorkerScript,
    /// The task for the program.
    #[serde(rename = "work")]
    pub task: WorkerTask,
    /// Whether the reply says what the program reached: it is then [`WorkerResponse::Covered`].
    #[serde(default)]
    pub is_covered: bool,
}

/// A task for a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerTask {
    /// Load it; the reply is [`WorkerResponse::Loaded`], for a plugin [`WorkerResponse::Registered`].
    Load,
    /// Call a hook; the reply is [`WorkerResponse::Answered`].
    Handle {
        /// The event's name as the hook's author wrote it.
        event: String,
        /// The payload.
        payload: Json,
        /// The limits of the call.
        limits: CallLimits,
    },
    /// Call a tool or verification; the reply is [`WorkerResponse::Returned`].
    Run {
        /// The argument.
        argument: Json,
        /// The limits of the call.
        limits: CallLimits,
    },
    /// Call a function of a plugin; the reply is [`WorkerResponse::FunctionReturned`].
    Call {
        /// The function.
        function: WireFunctionRef,
        /// The event, as its dialect encodes it.
        event: Json,
        /// The limits of the call.
        limits: CallLimits,
    },
    /// Evaluate a `when`; the reply is [`WorkerResponse::Matched`].
    Match {
        /// The event's name as the hook's author wrote it.
        event: String,
        /// The payload.
        payload: Json,
    },
}

impl WorkerTask {
    /// The limits of the call; loading and `when` have their own limits.
    pub(crate) fn limits(&self) -> Option<&CallLimits> {
        match self {
            Self::Handle { limits, .. } | Self::Run { limits, .. } | Self::Call { limits, .. } => Some(limits),
            Self::Load | Self::Match { .. } => None,
        }
    }
}

/// A program that a worker can load.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerScript {
    /// A script with an entry point.
    Script {
        /// The name of the script's owner.
        name: String,
        /// The text of the script.
        text: String,
        /// The kind of the script.
        #[serde(rename = "role")]
        kind: ScriptKind,
    },
    /// A plugin.
    Plugin {
        /// The name of the plugin.
        name: String,
        /// The text of the plugin.
        text: String,
    },
    /// A `when`.
    When {
        /// The name of the hook.
        name: String,
        /// The text of the expression.
        expression: String,
        /// The hook's script, whose functions it may call.
        script: Option<String>,
        /// The canonical name of the event.
        event: String,
    },
}

impl WorkerScript {
    /// The name of the program's owner.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Script { name, .. } | Self::Plugin { name, .. } | Self::When { name, .. } => name,
        }
    }
}

/// [`FunctionRef`] between processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireFunctionRef {
    /// The exported function with this name.
    Exported(String),
    /// The registered function with this index.
    Registered(u32),
}

impl From<&FunctionRef> for WireFunctionRef {
    fn from(function: &FunctionRef) -> Self {
        match function {
            FunctionRef::Exported(name) => Self::Exported(name.to_string()),
            FunctionRef::Registered(number) => Self::Registered(*number),
        }
    }
}

impl From<WireFunctionRef> for FunctionRef {
    fn from(function: WireFunctionRef) -> Self {
        match function {
            WireFunctionRef::Exported(name) => Self::Exported(name.into()),
            WireFunctionRef::Registered(number) => Self::Registered(number),
        }
    }
}

/// A reply of the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerResponse {
    /// The program was compiled; it can be called if the findings contain no error.
    Loaded {
        /// The findings.
        findings: Vec<ScriptFinding>,
    },
    /// The plugin was compiled; its functions can be called if the findings contain no error.
    Registered {
        /// The findings.
        findings: Vec<ScriptFinding>,
        /// Its registrations.
        inventory: PluginInventory,
    },
    /// The output of a hook.
    Answered(WireScriptOutput),
    /// The return value of a plugin function.
    #[serde(rename = "gave")]
    FunctionReturned(WireFunctionOutput),
    /// The return value of a tool or verification.
    Returned(Json),
    /// Whether a `when` matched.
    Matched(bool),
    /// The response of a covered program.
    Covered {
        /// The response.
        response: Box<WorkerResponse>,
        /// The points that the program reached.
        reached: Vec<usize>,
    },
    /// The call failed.
    Failed {
        /// The failure kind.
        kind: FailureKind,
        /// The message, one line.
        message: String,
        /// The span in the prepared text.
        span: Option<(usize, usize)>,
    },
}

/// [`FunctionOutput`] between processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireFunctionOutput {
    /// A value.
    Value(Json),
    /// Any other value: its type and its printed form.
    Other(String, String),
}

impl From<FunctionOutput> for WireFunctionOutput {
    fn from(output: FunctionOutput) -> Self {
        match output {
            FunctionOutput::Value(value) => Self::Value(value),
            FunctionOutput::Table(entries) => Self::Value(Json::Object(entries.into_iter().collect())),
            FunctionOutput::Other { type_name, printed } => Self::Other(type_name, printed),
        }
    }
}

impl From<WireFunctionOutput> for FunctionOutput {
    fn from(output: WireFunctionOutput) -> Self {
        match output {
            WireFunctionOutput::Value(value) => Self::Value(value),
            WireFunctionOutput::Other(type_name, printed) => Self::Other { type_name, printed },
        }
    }
}

/// [`ScriptOutput`] between processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireScriptOutput {
    /// `allow()`.
    Allow,
    /// `block(reason)`.
    Block(String),
    /// `ask(reason)`.
    Ask(String),
    /// `modify(payload)`.
    Modify(Json),
    /// `delegate(request)`.
    Delegate(Json),
    /// A dict.
    Dict(Map<String, Json>),
    /// Any other value: its type and its printed form.
    Other(String, String),
}

impl From<ScriptOutput> for WireScriptOutput {
    fn from(answer: ScriptOutput) -> Self {
        match answer {
            ScriptOutput::Allow => Self::Allow,
            ScriptOutput::Block(reason) => Self::Block(reason),
            ScriptOutput::Ask(reason) => Self::Ask(reason),
            ScriptOutput::Modify(payload) => Self::Modify(payload),
            ScriptOutput::Delegate(request) => Self::Delegate(request),
            ScriptOutput::Dict(fields) => Self::Dict(fields),
            ScriptOutput::Other { type_name, printed } => Self::Other(type_name, printed),
        }
    }
}

impl From<WireScriptOutput> for ScriptOutput {
    fn from(output: WireScriptOutput) -> Self {
        match output {
            WireScriptOutput::Allow => Self::Allow,
            WireScriptOutput::Block(reason) => Self::Block(reason),
            WireScriptOutput::Ask(reason) => Self::Ask(reason),
            WireScriptOutput::Modify(payload) => Self::Modify(payload),
            WireScriptOutput::Delegate(request) => Self::Delegate(request),
            WireScriptOutput::Dict(fields) => Self::Dict(fields),
            WireScriptOutput::Other(type_name, printed) => Self::Other { type_name, printed },
        }
    }
}

/// The failure that a worker reported, with its location in the script's file.
#[must_use]
pub fn to_failure(
    name: &str,
    text: &ScriptSource,
    kind: FailureKind,
    message: String,
    span: Option<(usize, usize)>,
) -> Failure {
    let finding = ScriptFinding::error(FindingCode::Runtime, message.clone(), span);
    Failure::new(kind, message).with_location(to_diagnostic(name, text, &finding))
}

/// The diagnostic for a worker's finding about a text.
#[must_use]
pub fn to_diagnostic(name: &str, text: &ScriptSource, finding: &ScriptFinding) -> Diagnostic {
    finding.locate(&PreparedSource::new(name, text).0)
}

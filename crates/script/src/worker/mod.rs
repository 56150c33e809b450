//! What the isolated process does: it loads scripts and calls them for its host, and may die of it.
//!
//! Host and worker speak in lines of JSON. The host writes an [`WorkerRequest`]; the worker answers with a line that begins
//! with `=` and holds a [`WorkerResponse`]. Before that it may write lines that begin with `?` and hold a
//! [`Request`](pintle_contract::Request) of the script; the host answers each with a line that holds its result.
//!
//! An order carries its program: any worker of a pool can serve any call. A worker keeps what it has loaded.

mod serve;

use pintle_contract::{
    CallLimits, Diagnostic, Failure, FailureKind, FunctionOutput, FunctionRef, ScriptOutput, ScriptSource,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

pub use serve::serve;

use crate::compile::ScriptKind;
use crate::finding::{FindingCode, ScriptFinding};
use crate::plugin::PluginInventory;
use crate::source::PreparedSource;

/// What the host wants.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerRequest {
    /// The program it is about.
    pub program: WorkerScript,
    /// What to do with it.
    #[serde(rename = "work")]
    pub task: WorkerTask,
}

/// What to do with a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerTask {
    /// Load it; the answer is [`WorkerResponse::Loaded`], of a plugin [`WorkerResponse::Registered`].
    Load,
    /// Call a hook; the answer is [`WorkerResponse::Answered`].
    Handle {
        /// The event's name as the hook's author wrote it.
        event: String,
        /// The payload.
        payload: Json,
        /// What the call may use.
        limits: CallLimits,
    },
    /// Call a tool or verification; the answer is [`WorkerResponse::Returned`].
    Run {
        /// The argument.
        argument: Json,
        /// What the call may use.
        limits: CallLimits,
    },
    /// Call a function of a plugin; the answer is [`WorkerResponse::FunctionReturned`].
    Call {
        /// Which function.
        function: WireFunctionRef,
        /// The event, as its dialect encodes it.
        event: Json,
        /// What the call may use.
        limits: CallLimits,
    },
    /// Try a `when`; the answer is [`WorkerResponse::Matched`].
    Match {
        /// The event's name as the hook's author wrote it.
        event: String,
        /// The payload.
        payload: Json,
    },
}

impl WorkerTask {
    /// What the call may use; loading and `when` have limits of their own.
    pub(crate) fn limits(&self) -> Option<&CallLimits> {
        match self {
            Self::Handle { limits, .. } | Self::Run { limits, .. } | Self::Call { limits, .. } => Some(limits),
            Self::Load | Self::Match { .. } => None,
        }
    }
}

/// What a worker can load.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerScript {
    /// A script with an entry point.
    Script {
        /// Whose script it is.
        name: String,
        /// Its text.
        text: String,
        /// What it is for.
        #[serde(rename = "role")]
        kind: ScriptKind,
    },
    /// A plugin.
    Plugin {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
    /// A `when`.
    When {
        /// Whose expression it is.
        name: String,
        /// The expression.
        expression: String,
        /// The hook's script, whose functions it may call.
        script: Option<String>,
        /// The canonical name of the event.
        event: String,
    },
}

/// [`FunctionRef`] between processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireFunctionRef {
    /// The one of this name.
    Exported(String),
    /// The one of this number.
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

/// What a worker says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerResponse {
    /// The program was looked at; it can be called when there is no error among the findings.
    Loaded {
        /// What was found.
        findings: Vec<ScriptFinding>,
    },
    /// The plugin was looked at; its functions can be called when there is no error among the findings.
    Registered {
        /// What was found.
        findings: Vec<ScriptFinding>,
        /// What it registered.
        inventory: PluginInventory,
    },
    /// A hook answered.
    Answered(WireScriptOutput),
    /// A function of a plugin returned.
    #[serde(rename = "gave")]
    FunctionReturned(WireFunctionOutput),
    /// A tool or verification returned.
    Returned(Json),
    /// A `when` is true or not.
    Matched(bool),
    /// The call failed.
    Failed {
        /// The kind.
        kind: FailureKind,
        /// One line.
        message: String,
        /// The range in the prepared text.
        span: Option<(usize, usize)>,
    },
}

/// [`FunctionOutput`] between processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireFunctionOutput {
    /// A value.
    Value(Json),
    /// Anything else: its type and how it prints.
    Other(String, String),
}

impl From<FunctionOutput> for WireFunctionOutput {
    fn from(returned: FunctionOutput) -> Self {
        match returned {
            FunctionOutput::Value(value) => Self::Value(value),
            FunctionOutput::Table(entries) => Self::Value(Json::Object(entries.into_iter().collect())),
            FunctionOutput::Other { type_name, printed } => Self::Other(type_name, printed),
        }
    }
}

impl From<WireFunctionOutput> for FunctionOutput {
    fn from(gift: WireFunctionOutput) -> Self {
        match gift {
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
    /// A dictionary.
    Dict(Map<String, Json>),
    /// Anything else: its type and how it prints.
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
    fn from(said: WireScriptOutput) -> Self {
        match said {
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

/// The failure that a worker reported, at its place in the script's file.
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

/// The diagnostic of a worker's finding about a text.
#[must_use]
pub fn to_diagnostic(name: &str, text: &ScriptSource, finding: &ScriptFinding) -> Diagnostic {
    finding.locate(&PreparedSource::new(name, text).0)
}

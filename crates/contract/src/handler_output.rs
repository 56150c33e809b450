//! What a handler's program answered, before a codec reads it as a verdict.

use serde_json::{Map, Value};

/// The raw answer of a handler, in the shape its kind of program gives it.
///
/// A [`Codec`](crate::Codec) turns it into a [`Verdict`](crate::Verdict).
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerOutput {
    /// A Starlark function returned.
    Script(ScriptOutput),
    /// A program ended by itself. One that was too slow, or could not be started, has failed and gives no answer.
    Process(CommandOutput),
    /// A model replied with this text.
    Text(String),
    /// A function of a script module, or one of the host program, returned.
    Returned(FunctionOutput),
}

/// What a function returned.
#[derive(Debug, Clone, PartialEq)]
pub enum FunctionOutput {
    /// A value; nothing is `null`.
    Value(Value),
    /// A table of texts, truth values and nothing, in its order and no key twice: the same as an object, and cheaper,
    /// because most answers are read once and are no more than a key or two.
    Table(Vec<(String, Value)>),
    /// Something that has no JSON form: its type's name and the printed value, cut to 200 characters.
    Other {
        /// The name of the type, such as `function`.
        type_name: String,
        /// The value as it prints.
        printed: String,
    },
}

/// How a program ended and what it printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// Its exit code; `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it printed, at most [`CallLimits::output_bytes`](crate::Limits::output_bytes).
    pub stdout: Vec<u8>,
    /// Whether it printed more than what was kept.
    pub stdout_cut: bool,
    /// What it complained, under the same limit.
    pub stderr: Vec<u8>,
    /// Whether it complained more than what was kept.
    pub stderr_cut: bool,
}

/// What a Starlark `handle(event, payload)` returned.
///
/// The constructors are kept apart from dictionaries, so that the common answers cost no JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptOutput {
    /// `allow()`.
    Allow,
    /// `block(reason)`.
    Block(String),
    /// `ask(reason)`, a Pintle addition.
    Ask(String),
    /// `modify(payload)`.
    Modify(Value),
    /// `delegate(request)`.
    Delegate(Value),
    /// A dictionary, such as `{"action": "block", "reason": ".."}`.
    Dict(Map<String, Value>),
    /// Anything else: the Starlark type name and the printed value, cut to 200 characters.
    Other {
        /// Starlark's name of the type, such as `int` or `NoneType`.
        type_name: String,
        /// The value as Starlark prints it.
        printed: String,
    },
}

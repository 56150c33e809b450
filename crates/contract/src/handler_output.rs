//! Handler output: what a hook's program or function returned, before a codec decodes it.

use serde_json::{Map, Value};

/// The raw output of a handler, in the form that its kind of program produces.
///
/// A [`Codec`](crate::Codec) decodes it into a [`Verdict`](crate::Verdict).
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerOutput {
    /// The return value of a Starlark hook script.
    Script(ScriptOutput),
    /// The result of a program that ended by itself. A program that timed out or could not be started failed, and has
    /// no output.
    Process(CommandOutput),
    /// The text of a model's reply.
    Text(String),
    /// The return value of a function of a script module or of the host program.
    Returned(FunctionOutput),
}

/// The return value of a function.
#[derive(Debug, Clone, PartialEq)]
pub enum FunctionOutput {
    /// A JSON value; no return value is `null`.
    Value(Value),
    /// A table of strings, booleans and nulls, in order and without repeated keys. It is equivalent to an object, but
    /// cheaper: most outputs have one or two keys and are read once.
    Table(Vec<(String, Value)>),
    /// A value without a JSON form: the name of its type, and the printed value cut to 200 characters.
    Other {
        /// The name of the type, such as `function`.
        type_name: String,
        /// The value as it prints.
        printed: String,
    },
}

/// The exit status and output of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// The exit code; `None` if a signal ended the program.
    pub exit_code: Option<i32>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
    /// The standard output, at most [`CallLimits::output_bytes`](crate::CallLimits::output_bytes).
    pub stdout: Vec<u8>,
    /// Whether the standard output was longer than the limit.
    pub stdout_cut: bool,
    /// The standard error, under the same limit.
    pub stderr: Vec<u8>,
    /// Whether the standard error was longer than the limit.
    pub stderr_cut: bool,
}

/// The return value of a Starlark `handle(event, payload)`.
///
/// The constructors are separate from dictionaries, so that common results need no JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptOutput {
    /// `allow()`.
    Allow,
    /// `block(reason)`.
    Block(String),
    /// `ask(reason)`, an extension of Pintle.
    Ask(String),
    /// `modify(payload)`.
    Modify(Value),
    /// `delegate(request)`.
    Delegate(Value),
    /// A dictionary, such as `{"action": "block", "reason": ".."}`.
    Dict(Map<String, Value>),
    /// Any other value: the Starlark type name, and the printed value cut to 200 characters.
    Other {
        /// Starlark's name for the type, such as `int` or `NoneType`.
        type_name: String,
        /// The value as Starlark prints it.
        printed: String,
    },
}

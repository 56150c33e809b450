//! What a handler's program answered, before a codec reads it as a verdict.

use serde_json::{Map, Value};

/// The raw answer of a handler, in the shape its kind of program gives it.
///
/// A [`Codec`](crate::Codec) turns it into a [`Verdict`](crate::Verdict).
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A Starlark function returned.
    Script(ScriptAnswer),
}

/// What a Starlark `handle(event, payload)` returned.
///
/// The constructors are kept apart from dictionaries, so that the common answers cost no JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptAnswer {
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

//! What a plugin registers while it is loaded.

use std::sync::Arc;

use serde_json::Value;

use crate::{Diagnostic, Location, ScriptSource};

/// A function of a script module that answers events: it takes the event and returns what its dialect understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSpec {
    /// The module's name, for people.
    pub name: Arc<str>,
    /// The module.
    pub module: ScriptSource,
    /// Which function of it.
    pub function: FunctionRef,
}

/// A function of a module.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FunctionRef {
    /// The one of this name, which must not begin with an underscore: those are private.
    Exported(Arc<str>),
    /// The one that the module's top level handed to a registration function, counted from 0 over all of them.
    Registered(u32),
}

/// A plugin as loaded: what its top level registered, in order.
#[derive(Debug, Default)]
pub struct LoadedPlugin {
    /// Its registrations, in order.
    pub registrations: Vec<RegistrationCall>,
    /// What was found while loading it.
    pub diagnostics: Vec<Diagnostic>,
}

/// One call of a registration function. What it means is its dialect's affair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegistrationCall {
    /// The function that was called, such as `register_tool_hook`.
    pub function: String,
    /// Its arguments without a name, in order.
    pub arguments: Vec<RegistrationArgument>,
    /// Its arguments with a name, in order.
    pub named_arguments: Vec<(String, RegistrationArgument)>,
    /// The place of the call.
    pub location: Location,
}

/// An argument of a registration function.
#[derive(Debug, Clone, PartialEq)]
pub enum RegistrationArgument {
    /// A value.
    Value(Value),
    /// A function.
    Function(RegisteredFunction),
    /// A dictionary with a function somewhere in it, in its own order.
    Table(Vec<(String, RegistrationArgument)>),
    /// A list with a function somewhere in it.
    List(Vec<RegistrationArgument>),
}

/// A function that was handed to a registration function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredFunction {
    /// Its number, for [`FunctionRef::Registered`].
    pub index: u32,
    /// Its name; `lambda` for one without.
    pub name: String,
    /// Whether it can be called with one argument.
    pub takes_one_argument: bool,
    /// Whether it can deny or ask; see [`Hook::guard`](crate::Hook::guard).
    pub guard: bool,
}

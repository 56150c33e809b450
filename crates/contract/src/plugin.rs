//! What a plugin registers when it is loaded.

use std::sync::Arc;

use serde_json::Value;

use crate::{Diagnostic, Location, ScriptSource};

/// A function of a script module that handles events. It takes the event and returns a value that its dialect
/// understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSpec {
    /// The name of the module, for display.
    pub name: Arc<str>,
    /// The source of the module.
    pub module: ScriptSource,
    /// Which function of the module.
    pub function: FunctionRef,
    /// The name that the module's text gives the function; `None` for a lambda.
    pub defined_name: Option<Arc<str>>,
}

/// Identifies a function of a module.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FunctionRef {
    /// The function with this name. Names that start with an underscore are private and cannot be used.
    Exported(Arc<str>),
    /// The function that the top level passed to a registration function, by its index over all of them, from 0.
    Registered(u32),
}

/// A plugin after loading: what its top level registered, in order.
#[derive(Debug, Default)]
pub struct LoadedPlugin {
    /// The registrations, in order.
    pub registrations: Vec<RegistrationCall>,
    /// The diagnostics of loading the plugin.
    pub diagnostics: Vec<Diagnostic>,
}

/// One call of a registration function. The dialect defines what it means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegistrationCall {
    /// The function that was called, such as `register_tool_hook`.
    pub function: String,
    /// The positional arguments, in order.
    pub arguments: Vec<RegistrationArgument>,
    /// The named arguments, in order.
    pub named_arguments: Vec<(String, RegistrationArgument)>,
    /// The position of the call.
    pub location: Location,
}

/// An argument of a registration function.
#[derive(Debug, Clone, PartialEq)]
pub enum RegistrationArgument {
    /// A value.
    Value(Value),
    /// A function.
    Function(RegisteredFunction),
    /// A dictionary that contains a function, in its own order.
    Table(Vec<(String, RegistrationArgument)>),
    /// A list that contains a function.
    List(Vec<RegistrationArgument>),
}

/// A function that was passed to a registration function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredFunction {
    /// The index of the function, for [`FunctionRef::Registered`].
    pub index: u32,
    /// The name of the function; `lambda` if it has none.
    pub name: String,
    /// Whether the function can be called with one argument.
    pub takes_one_argument: bool,
    /// Whether the function can deny or ask; see [`Hook::guard`](crate::Hook::guard).
    pub guard: bool,
}

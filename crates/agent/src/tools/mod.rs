//! Tools, the actions that an agent can take.
//!
//! A tool is anything that implements [`Tool`](crate::Tool). The native ones are listed in one table (`native`), a project's own are
//! Starlark artifacts (`script`), and `delegate` and `done` belong to the agent loop. Every call of every tool goes
//! through `dispatch`.

mod arguments;
mod def;
mod dispatch;
mod done;
pub(crate) mod native;
mod schema_checker;
mod script;

use serde_json::Value;

pub(crate) use def::{ToolAccess, ToolDef, build_tools};
pub(crate) use dispatch::{CheckedCall, FinishedCall, INTERRUPTED, RequestedToolCall, ResumedCall, dispatch};
pub(crate) use done::DoneTool;
pub(crate) use script::{StarlarkTool, join_diagnostics};

/// A string argument; empty if it is missing.
pub(crate) fn text_argument<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A directory argument; the workspace if it is missing.
///
/// The default is not part of the schema: hooks see what the model wrote, and a guard that checks the first of several
/// arguments must not find one that was never given.
pub(crate) fn dir_argument<'a>(arguments: &'a Value, name: &str) -> &'a str {
    match text_argument(arguments, name) {
        "" => ".",
        folder => folder,
    }
}

/// A list of strings among the arguments; empty if it is missing.
pub(crate) fn text_list_argument<'a>(arguments: &'a Value, name: &str) -> Vec<&'a str> {
    arguments.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A non-negative integer argument.
pub(crate) fn number_argument(arguments: &Value, name: &str) -> Option<usize> {
    arguments.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// A boolean argument; false if it is missing.
pub(crate) fn flag_argument(arguments: &Value, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
}

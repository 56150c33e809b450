//! Tools, the actions that an agent can take.
//!
//! A tool is anything that implements [`Tool`]. The native ones are listed in one table (`native`), a project's own are
//! Starlark artifacts (`script`), and `delegate` and `done` belong to the agent loop. Every call of every tool goes
//! through `dispatch`.

mod arguments;
mod dispatch;
mod done;
mod native;
mod policy;
mod script;
pub(crate) mod search;
mod toolbox;

use std::fmt::Debug;

use pintle::CancelToken;
use pintle::event::FileEdited;
use serde_json::Value;

use crate::edits::{EditAuthor, TrackedFiles};
use crate::model::ModelTool;
use crate::turn_context::TurnContext;
use crate::workspace::Workspace;

pub(crate) use dispatch::{GuardedCall, INTERRUPTED, RequestedToolCall, ResumedCall, dispatch};
pub(crate) use done::DoneTool;
pub(crate) use policy::ToolPolicies;
pub(crate) use script::{StarlarkTool, failure_text, join_diagnostics};
pub(crate) use toolbox::{Toolbox, allows_tool};

/// An action that an agent can take.
pub trait Tool: Send + Sync + Debug {
    /// What the model sees: the name, the description, and the JSON Schema of the arguments.
    fn definition(&self) -> &ModelTool;

    /// The category it belongs to, such as `shell` or `filesystem`.
    fn category(&self) -> Option<&str> {
        None
    }

    /// Whether the tool claims to change nothing, which is not verified.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Whether it may change files of the workspace without the session noticing, for example because it starts a
    /// program. The session then compares the workspace before and after a call, if a hook listens to edited files.
    /// Default: unless the tool claims to change nothing.
    fn can_write_unseen(&self) -> bool {
        !self.is_read_only()
    }

    /// Runs the tool. The arguments fit the schema, and every hook has allowed the call.
    ///
    /// # Errors
    /// With one line for the model: what went wrong and what to do next.
    fn call(&self, arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String>;
}

/// The context of one tool call.
#[derive(Debug, Clone, Copy)]
pub struct ToolContext<'a> {
    pub(crate) turn: &'a TurnContext,
    pub(crate) call_id: &'a str,
    pub(crate) tool: &'a str,
}

impl ToolContext<'_> {
    /// The directory the agent works in.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.turn.agent.shared.workspace
    }

    /// The text of a file of the workspace, or of a file with a large result of this session.
    pub(crate) fn read_file(&self, path: &str) -> Result<String, String> {
        match pintle::read_large_result(&self.turn.origin.session, path) {
            Some(kept) => kept.map_err(|error| format!("cannot read `{path}`: {error}")),
            None => self.workspace().read(path),
        }
    }

    /// The workspace's files for a tool that changes them, which fires `file.edited`.
    pub(crate) fn files(&self) -> TrackedFiles<'_> {
        let by = EditAuthor { run: &self.turn.origin.run, tool: self.tool, call_id: Some(self.call_id) };
        let is_told = self.turn.has_listener::<FileEdited>();
        TrackedFiles { workspace: self.workspace(), edit_sink: is_told.then_some((&self.turn.agent.shared.edits, by)) }
    }

    /// Set when the result is no longer needed.
    #[must_use]
    pub fn cancel(&self) -> &CancelToken {
        &self.turn.scope.cancel
    }

    /// The provider's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        self.call_id
    }
}

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

/// A non-negative integer argument.
pub(crate) fn number_argument(arguments: &Value, name: &str) -> Option<usize> {
    arguments.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// A boolean argument; false if it is missing.
pub(crate) fn flag_argument(arguments: &Value, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
}

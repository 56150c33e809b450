//! Tools: what an agent can do.
//!
//! A tool is anything that implements [`Tool`]. The native ones are listed in one table (`native`), a project's own are
//! Starlark artifacts (`script`), and `delegate` and `done` belong to the agent loop. Every call of every tool goes
//! through one door, `dispatch`, whoever makes it.

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

pub(crate) use dispatch::{GuardedCall, INTERRUPTED, ResumedCall, ToolCallRequest, dispatch};
pub(crate) use done::DoneTool;
pub(crate) use policy::ToolPolicies;
pub(crate) use script::{StarlarkTool, failure_text, join_diagnostics};
pub(crate) use toolbox::{Toolbox, allows_tool};

/// Something an agent can do.
pub trait Tool: Send + Sync + Debug {
    /// What the model is told: the name, what it does, and the JSON Schema of its arguments.
    fn definition(&self) -> &ModelTool;

    /// The group it belongs to, such as `shell` or `filesystem`.
    fn category(&self) -> Option<&str> {
        None
    }

    /// Whether it says of itself that it changes nothing. A claim, not a proof.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Whether it may change files of the workspace without the session seeing it, as a program does that it starts. The
    /// session then compares the workspace before and after a call, when a hook wants to hear of edited files. Default:
    /// unless it claims to change nothing.
    fn can_write_unseen(&self) -> bool {
        !self.is_read_only()
    }

    /// Does it. The arguments fit the schema, and every hook has let them pass.
    ///
    /// # Errors
    /// With one line for the model: what went wrong and what to do next.
    fn call(&self, arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String>;
}

/// One use of a tool: who uses it and what there is to use.
#[derive(Debug, Clone, Copy)]
pub struct ToolContext<'a> {
    pub(crate) turn: &'a TurnContext,
    pub(crate) call_id: &'a str,
    pub(crate) tool: &'a str,
}

impl ToolContext<'_> {
    /// The folder the agent works in.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.turn.agent.shared.workspace
    }

    /// The text of a file of the workspace, or of one that holds a large result of this session.
    pub(crate) fn read_file(&self, path: &str) -> Result<String, String> {
        match pintle::read_large_result(&self.turn.origin.session, path) {
            Some(kept) => kept.map_err(|fault| format!("cannot read `{path}`: {fault}")),
            None => self.workspace().read(path),
        }
    }

    /// The same for a tool that changes files: the hooks of `file.edited` are told.
    pub(crate) fn files(&self) -> TrackedFiles<'_> {
        let by = EditAuthor { run: &self.turn.origin.run, tool: self.tool, call_id: Some(self.call_id) };
        let is_told = self.turn.has_listener::<FileEdited>();
        TrackedFiles { workspace: self.workspace(), edit_sink: is_told.then_some((&self.turn.agent.shared.edits, by)) }
    }

    /// Raised when the result is no longer wanted.
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

/// A text argument; the empty text when it is absent.
pub(crate) fn text_argument<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A folder; the workspace when it is absent.
///
/// That is no default of the schema: hooks see what the model wrote, and a guard that looks at the first of several
/// arguments must not find one that nobody gave.
pub(crate) fn dir_argument<'a>(arguments: &'a Value, name: &str) -> &'a str {
    match text_argument(arguments, name) {
        "" => ".",
        folder => folder,
    }
}

/// A whole, non-negative argument.
pub(crate) fn number_argument(arguments: &Value, name: &str) -> Option<usize> {
    arguments.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// A yes-or-no argument; no when it is absent.
pub(crate) fn flag_argument(arguments: &Value, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
}

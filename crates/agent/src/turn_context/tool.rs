//! The trait of all tools, and the context of a call.

use std::fmt::Debug;

use pintle_host::CancelToken;
use pintle_host::event::FileEdited;
use serde_json::Value;

use super::{ToolError, TurnContext};
use crate::edits::{EditAuthor, TrackedFiles};
use crate::model::ModelTool;
use crate::workspace::Workspace;

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
    /// With a text for the model: what went wrong and what to do next.
    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError>;
}

/// Gives the results of tools without running them, for a session that is rehearsed.
pub(crate) trait ToolPlayer: Send + Sync + Debug {
    /// What the call returns; `None` runs the tool.
    fn play(&self, call_id: &str, tool: &dyn Tool, arguments: &Value) -> Option<Result<Value, ToolError>>;
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
        match self.turn.agent.shared.runtime.read_large_result(&self.turn.origin.session, path) {
            Some(kept) => kept.map_err(|error| format!("cannot read `{path}`: {error}")),
            None => self.workspace().read(path).map_err(|error| error.to_string()),
        }
    }

    /// The workspace's files for a tool that changes them, which fires `file.edited`.
    pub(crate) fn files(&self) -> TrackedFiles<'_> {
        let by = EditAuthor { run: &self.turn.origin.run, tool: self.tool, call_id: Some(self.call_id) };
        let is_told = self.turn.has_listener::<FileEdited>();
        TrackedFiles {
            workspace: self.workspace(),
            edit_sink: is_told.then_some((&self.turn.agent.shared.state.edits, by)),
        }
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

//! The name and arguments of a call, updated by the rewrites of hooks.

use std::path::Path;
use std::sync::Arc;

use pintle_host::EventKind;
use pintle_host::event::PermissionReply;
use pintle_host::lifecycle::ToolCallRequest;
use serde_json::{Map, Value};

use super::super::arguments;
use crate::permission::PermissionChecker;
use crate::turn_context::{Tool, TurnContext};

/// A tool call with its current name and arguments.
#[derive(Debug, Clone)]
pub(super) struct CallTarget {
    pub(super) name: String,
    pub(super) args: Value,
    pub(super) arguments: String,
    pub(super) tool: Option<Arc<dyn Tool>>,
    pub(super) invalid: Option<String>,
    /// Whether `args` replaces a text that could not be decoded.
    is_undecoded: bool,
}

impl CallTarget {
    pub(super) fn parse(turn: &TurnContext, name: &str, text: &str) -> Self {
        match arguments::decode(text) {
            // Hooks get the model's own text, whatever the schema changes.
            Ok(args) => Self { arguments: text.to_owned(), ..Self::from_args(turn, name, args) },
            Err(invalid) => Self {
                name: name.to_owned(),
                args: Value::Object(Map::new()),
                arguments: text.to_owned(),
                tool: turn.agent.tool(name),
                invalid: Some(invalid),
                is_undecoded: true,
            },
        }
    }

    /// Creates a target and checks its arguments against the tool's schema.
    fn from_args(turn: &TurnContext, name: &str, mut args: Value) -> Self {
        let tool = turn.agent.tool(name);
        let fitted = tool.as_ref().map_or(Ok(()), |tool| arguments::coerce(&mut args, &tool.definition().parameters));
        Self {
            name: name.to_owned(),
            arguments: args.to_string(),
            args,
            tool,
            invalid: fitted.err(),
            is_undecoded: false,
        }
    }

    /// Applies the rewrites of hooks. The new call goes through the same schema check, the same rules and, before it
    /// runs, the same policy. Returns whether the call changed.
    pub(super) fn apply_rewrite(&mut self, turn: &TurnContext, fields: &Value) -> bool {
        let name = fields.get("name").and_then(Value::as_str).unwrap_or(&self.name);
        let args = fields.get("args").cloned().unwrap_or_default();
        // A hook that left the empty replacement unchanged has not repaired the call.
        let kept = self.invalid.take().filter(|_| self.is_undecoded && args == self.args);
        let mut taken = Self::from_args(turn, name, args);
        taken.invalid = kept.or(taken.invalid.take());
        let changed = taken.name != self.name || taken.args != self.args;
        if taken.args == self.args {
            taken.arguments.clone_from(&self.arguments);
        }
        *self = taken;
        changed
    }

    /// Why the call cannot run, regardless of permissions.
    pub(super) fn unusable_reason(&self, turn: &TurnContext) -> Option<String> {
        let name = &self.name;
        if !turn.allows(name) {
            return Some(format!("tool \"{name}\" denied by policy"));
        }
        if turn.state.is_withheld(name) {
            return Some(format!("tool \"{name}\" was not offered"));
        }
        if self.tool.is_none() {
            return Some(turn.agent.missing_tool_message(name));
        }
        self.invalid.as_ref().map(|invalid| format!("tool \"{name}\" was not called: {invalid}"))
    }

    /// Whether the tool claims to change nothing.
    pub(super) fn is_read_only(&self) -> bool {
        self.tool.as_ref().is_some_and(|tool| tool.is_read_only())
    }

    /// The call as the hooks get it.
    pub(super) fn to_request(&self, turn: &TurnContext, id: &str) -> ToolCallRequest {
        let permissions = &turn.agent.shared.permissions;
        let vocabulary = turn.tool_vocabulary(&self.name);
        ToolCallRequest {
            arguments: Some(self.arguments.clone()),
            invalid: self.invalid.clone(),
            category: self.tool.as_ref().and_then(|tool| tool.category()).map(str::to_owned),
            read_only: self.is_read_only().then_some(true),
            permission_mode: permissions.is_declared().then(|| permissions.mode().to_owned()),
            cwd: Some(turn.origin.cwd.clone()).filter(|cwd| !cwd.is_empty()),
            paths: turn.agent.shared.runtime.path_resolver(Path::new(&turn.origin.cwd)),
            ..ToolCallRequest::new(id, vocabulary, self.name.clone(), self.args.clone())
        }
    }

    pub(super) fn to_reply_payload(&self, turn: &TurnContext, id: &str) -> PermissionReply {
        let workspace = Path::new(&turn.origin.cwd);
        let label =
            || PermissionChecker::safety_label(&self.name, &self.args, self.is_read_only(), workspace).to_owned();
        PermissionReply {
            id: id.to_owned(),
            name: self.name.clone(),
            args: Some(self.args.clone()),
            facts: self.to_request(turn, id).facts(EventKind::PermissionReply),
            safety_label: turn.agent.shared.permissions.is_declared().then(label),
            ..PermissionReply::default()
        }
    }
}

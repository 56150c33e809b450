//! What is called: the name and arguments that stand after the hooks.

use std::sync::Arc;

use pintle::event::{PermissionAsk, PermissionReply, ToolGuard, ToolPre, ToolTransform};
use serde_json::{Map, Value};

use super::super::{Tool, arguments};
use crate::permission::Permissions;
use crate::turn::Turn;

/// A call on its way: the name and arguments that stand after the hooks.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) args: Value,
    pub(super) arguments: String,
    pub(super) tool: Option<Arc<dyn Tool>>,
    pub(super) invalid: Option<String>,
    /// Whether `args` stands for a text that could not be decoded.
    is_undecoded: bool,
}

/// What events say of the tool and the session besides the call.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    pub(super) category: Option<String>,
    pub(super) read_only: Option<bool>,
    pub(super) permission_mode: Option<String>,
}

impl Target {
    pub(super) fn read(turn: &Turn, name: &str, text: &str) -> Self {
        match arguments::decode(text) {
            // Hooks get the model's own text, whatever the schema makes of it (AI Harness, payloads).
            Ok(args) => Self { arguments: text.to_owned(), ..Self::fitted(turn, name, args) },
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

    /// A target whose arguments are checked against the tool's schema.
    fn fitted(turn: &Turn, name: &str, mut args: Value) -> Self {
        let tool = turn.agent.tool(name);
        let fitted = tool.as_ref().map_or(Ok(()), |tool| arguments::fit(&mut args, &tool.definition().parameters));
        Self {
            name: name.to_owned(),
            arguments: args.to_string(),
            args,
            tool,
            invalid: fitted.err(),
            is_undecoded: false,
        }
    }

    /// Takes over what hooks made of the call. The new target meets the same schema check, the same rules and, before it
    /// runs, the same policy. Gives whether it is another call now.
    pub(super) fn take(&mut self, turn: &Turn, fields: &Value) -> bool {
        let name = fields.get("name").and_then(Value::as_str).unwrap_or(&self.name);
        let args = fields.get("args").cloned().unwrap_or_default();
        // A hook that left the empty stand-in alone has not repaired the call.
        let kept = self.invalid.take().filter(|_| self.is_undecoded && args == self.args);
        let mut taken = Self::fitted(turn, name, args);
        taken.invalid = kept.or(taken.invalid.take());
        let changed = taken.name != self.name || taken.args != self.args;
        if taken.args == self.args {
            taken.arguments.clone_from(&self.arguments);
        }
        *self = taken;
        changed
    }

    /// Why it cannot run, whoever allows it.
    pub(super) fn unusable(&self, turn: &Turn) -> Option<String> {
        let name = &self.name;
        if !turn.allows(name) {
            return Some(format!("tool \"{name}\" denied by policy"));
        }
        if self.tool.is_none() {
            return Some(turn.agent.not_found(name));
        }
        self.invalid.as_ref().map(|invalid| format!("tool \"{name}\" was not called: {invalid}"))
    }

    /// Whether the tool says of itself that it changes nothing.
    pub(super) fn is_read_only(&self) -> bool {
        self.tool.as_ref().is_some_and(|tool| tool.is_read_only())
    }

    pub(super) fn about(&self, turn: &Turn) -> About {
        let permissions = &turn.agent.shared.permissions;
        About {
            category: self.tool.as_ref().and_then(|tool| tool.category()).map(str::to_owned),
            read_only: self.is_read_only().then_some(true),
            permission_mode: permissions.is_declared().then(|| permissions.mode().to_owned()),
        }
    }

    pub(super) fn transform(&self, turn: &Turn, id: &str) -> ToolTransform {
        let About { category, read_only, permission_mode } = self.about(turn);
        let (name, arguments, args) = (self.name.clone(), self.arguments.clone(), self.args.clone());
        ToolTransform { id: id.to_owned(), name, arguments, args, category, read_only, permission_mode, host: None }
    }

    pub(super) fn guard(&self, turn: &Turn, id: &str) -> ToolGuard {
        let About { category, read_only, permission_mode } = self.about(turn);
        let (name, arguments, args) = (self.name.clone(), self.arguments.clone(), self.args.clone());
        ToolGuard { id: id.to_owned(), name, arguments, args, category, read_only, permission_mode, host: None }
    }

    pub(super) fn pre(&self, turn: &Turn, id: &str) -> ToolPre {
        let About { category, read_only, permission_mode } = self.about(turn);
        let (name, arguments, args) = (self.name.clone(), self.arguments.clone(), self.args.clone());
        let invalid = self.invalid.clone();
        ToolPre { id: id.to_owned(), name, arguments, args, invalid, category, read_only, permission_mode, host: None }
    }

    pub(super) fn ask(&self, turn: &Turn, id: &str) -> PermissionAsk {
        let About { category, read_only, permission_mode } = self.about(turn);
        PermissionAsk {
            id: id.to_owned(),
            name: self.name.clone(),
            arguments: self.arguments.clone(),
            args: self.args.clone(),
            category,
            read_only,
            permission_mode,
            ..PermissionAsk::default()
        }
    }

    pub(super) fn reply(&self, turn: &Turn, id: &str) -> PermissionReply {
        let About { category, read_only, permission_mode } = self.about(turn);
        PermissionReply {
            id: id.to_owned(),
            name: self.name.clone(),
            args: Some(self.args.clone()),
            category,
            read_only,
            permission_mode,
            safety_label: turn
                .agent
                .shared
                .permissions
                .is_declared()
                .then(|| Permissions::safety_label(&self.name, &self.args, self.is_read_only()).to_owned()),
            ..PermissionReply::default()
        }
    }
}

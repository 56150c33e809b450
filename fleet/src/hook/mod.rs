//! The programs that are hooks: they read an event, ask the collector, and answer as hooks do.

mod approve;
mod budget;
mod request;

use serde_json::{Value, json};

use crate::hook_protocol::{HookedEvent, NESTED_NAME};

pub use approve::ask_people;
pub use budget::{AwayPolicy, take_budget};

/// What a hook answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookReply {
    /// It has no opinion, and perhaps something to tell the user.
    Pass(Option<String>),
    /// It allows the call, for a reason.
    Allow(String),
    /// It denies the call, for a reason.
    Deny(String),
}

impl HookReply {
    /// What the hook prints, in the format in which it received the event: nothing if the format has no words for it.
    #[must_use]
    pub fn output(&self, event: Option<&HookedEvent>) -> Option<Value> {
        let event = event?;
        let has_nested_name = event.has_key(NESTED_NAME);
        match (self, event.name.as_str()) {
            // It ignores the exit status.
            (Self::Deny(reason), _) if has_nested_name => Some(json!({"cancel": true, "errorMessage": reason})),
            // The exit status and standard error say it in all other formats.
            (Self::Deny(_), _) => None,
            (Self::Pass(_), _) => None,
            (Self::Allow(_), _) if has_nested_name => None,
            (Self::Allow(reason), "pre_tool_use" | "permission_request") => Some(json!({
                "hook_specific_output": {"permission_decision": "allow", "permission_decision_reason": reason}
            })),
            // The Harness Framework does not say where a call is made.
            (Self::Allow(_), "PreToolUse") if !event.has_key("cwd") => Some(json!({"continue": true})),
            (Self::Allow(reason), name @ "PreToolUse") => Some(json!({"hookSpecificOutput": {
                "hookEventName": name, "permissionDecision": "allow", "permissionDecisionReason": reason
            }})),
            (Self::Allow(_), name @ "PermissionRequest") => {
                Some(json!({"hookSpecificOutput": {"hookEventName": name, "decision": {"behavior": "allow"}}}))
            }
            (Self::Allow(_), _) => None,
        }
    }
}

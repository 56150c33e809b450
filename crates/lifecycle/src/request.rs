//! A tool call on its way through the hooks.

use std::sync::Arc;

use pintle_contract::event::{
    CallFacts, DelegationPre, HostPayload, PermissionAsk, ToolGuard, ToolPost, ToolPre, ToolResult, ToolResultPayload,
    ToolTransform,
};
use pintle_contract::{Event, EventKind, Origin, Outcome, ToolKind, json_text};
use pintle_tools::{CanonicalCall, ToolVocabulary, call_facts, remember_call};
use serde_json::Value;

use super::{CallStage, HookChangeError, PathResolver};

/// A tool call that an agent wants to make, in its own words.
#[derive(Debug, Clone)]
pub struct ToolCallRequest {
    /// The agent's ID of the call.
    pub id: String,
    /// The agent's vocabulary.
    pub vocabulary: &'static ToolVocabulary,
    /// The agent's name of the tool.
    pub name: String,
    /// The agent's arguments.
    pub args: Value,
    /// The arguments as the model wrote them, if that text is known.
    pub arguments: Option<String>,
    /// Why the arguments are invalid, if they are.
    pub invalid: Option<String>,
    /// docker-agent's category of the tool; by default that of its kind.
    pub category: Option<String>,
    /// Whether the tool declares itself read-only.
    pub read_only: Option<bool>,
    /// The session's permission mode.
    pub permission_mode: Option<String>,
    /// The directory that relative paths refer to.
    pub cwd: Option<String>,
    /// The host agent's own data.
    pub host: Option<HostPayload>,
    /// Works out the paths and operations of the call; `None` if no hook reads them.
    pub paths: Option<PathResolver>,
    /// The end of the user's pause of self-protection, in milliseconds since 1970; `None` if it is not paused.
    pub pause_ends_at_ms: Option<u64>,
    /// The end of the time in which the user allows this call once, in milliseconds since 1970; `None` if the user did not.
    pub allowance_ends_at_ms: Option<u64>,
}

impl ToolCallRequest {
    /// A call in an agent's words.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        vocabulary: &'static ToolVocabulary,
        name: impl Into<String>,
        args: Value,
    ) -> Self {
        Self {
            id: id.into(),
            vocabulary,
            name: name.into(),
            args,
            arguments: None,
            invalid: None,
            category: None,
            read_only: None,
            permission_mode: None,
            cwd: None,
            host: None,
            paths: None,
            pause_ends_at_ms: None,
            allowance_ends_at_ms: None,
        }
    }

    /// The call in Pintle's words.
    #[must_use]
    pub fn parts(&self) -> Vec<CanonicalCall> {
        let mut parts = self.vocabulary.to_canonical(&self.name, &self.args);
        // Its name does not say what the agent knows.
        if self.category.as_deref() == Some(ToolKind::Mcp.category()) {
            parts.iter_mut().filter(|part| part.kind == ToolKind::Other).for_each(|part| part.kind = ToolKind::Mcp);
        }
        parts
    }

    /// What an event of this kind says about the call beside its name and arguments.
    #[must_use]
    pub fn facts(&self, kind: EventKind) -> CallFacts {
        self.facts_of(kind, &self.parts())
    }

    fn facts_of(&self, kind: EventKind, parts: &[CanonicalCall]) -> CallFacts {
        let facts = call_facts(self.vocabulary, &self.name, parts);
        let mut facts = CallFacts {
            category: self.category.clone().or(facts.category),
            read_only: self.read_only,
            permission_mode: self.permission_mode.clone(),
            cwd: self.cwd.clone(),
            host: self.host.clone(),
            ..facts
        };
        if let Some(resolver) = &self.paths {
            resolver.add_facts(&mut facts, kind, parts);
            facts.pause_ends_at_ms = self.pause_ends_at_ms.filter(|_| facts.operations.is_some());
            facts.allowance_ends_at_ms = self.allowance_ends_at_ms.filter(|_| facts.operations.is_some());
        }
        facts
    }

    /// The arguments as JSON text.
    #[must_use]
    pub fn arguments_text(&self) -> String {
        self.arguments.clone().unwrap_or_else(|| json_text(&self.args))
    }

    /// The event of a stage. `reason` says why the user would be asked; only `permission.ask` has it.
    #[must_use]
    pub fn to_event(&self, stage: CallStage, reason: &str, origin: Arc<Origin>) -> Event {
        if stage == CallStage::Delegation {
            return Event::from_payload(&self.to_delegation(&origin), origin);
        }
        let (id, name, mut parts) = (self.id.clone(), self.name.clone(), self.parts());
        let facts = self.facts_of(stage.event_kind(), &parts);
        let fields = [("arguments", Value::from(self.arguments_text())), ("args", self.args.clone())];
        let event = match stage {
            CallStage::Transform => {
                let payload = ToolTransform { id, name, facts, ..ToolTransform::default() };
                Event::from_payload_with(&payload, fields, origin)
            }
            CallStage::Guard => {
                let payload = ToolGuard { id, name, facts, ..ToolGuard::default() };
                Event::from_payload_with(&payload, fields, origin)
            }
            CallStage::Pre | CallStage::Delegation => {
                let payload = ToolPre { id, name, invalid: self.invalid.clone(), facts, ..ToolPre::default() };
                Event::from_payload_with(&payload, fields, origin)
            }
            CallStage::Permission => {
                let reason = reason.to_owned();
                let payload = PermissionAsk { id, name, reason, facts, ..PermissionAsk::default() };
                Event::from_payload_with(&payload, fields, origin)
            }
        };
        // What would be found again in a call of one part.
        if let (1, Some(part)) = (parts.len(), parts.pop()) {
            remember_call(&event.payload, part);
        }
        event
    }

    /// The task that the call delegates to another agent; `None` if it delegates none. A tool that only waits for an
    /// agent, or sends it a message, delegates nothing.
    #[must_use]
    pub fn delegated_task(&self) -> Option<CanonicalCall> {
        let is_task = |part: &CanonicalCall| {
            part.kind == ToolKind::Delegate && part.args.get("prompt").is_some_and(Value::is_string)
        };
        self.parts().into_iter().find(is_task)
    }

    fn to_delegation(&self, origin: &Origin) -> DelegationPre {
        let task = self.delegated_task().map(|part| part.args).unwrap_or_default();
        let text = |name: &str| task.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        DelegationPre {
            id: self.id.clone(),
            agent: text("agent"),
            task: text("prompt"),
            prompt: text("prompt"),
            depth: origin.depth + 1,
            host: self.host.clone(),
            ..DelegationPre::default()
        }
    }

    /// The name and arguments that the hooks of a stage left; `None` if they changed nothing.
    ///
    /// # Errors
    /// If the agent's words cannot express a changed task.
    pub fn changed_by(&self, stage: CallStage, outcome: &Outcome) -> Result<Option<(String, Value)>, HookChangeError> {
        if !outcome.rewritten {
            return Ok(None);
        }
        let field = |name: &str| outcome.payload.field(name);
        if stage == CallStage::Delegation {
            return self.with_task(field("prompt"), field("agent"));
        }
        let name = field("name").and_then(Value::as_str).unwrap_or(&self.name).to_owned();
        let args = field("args").cloned().unwrap_or_default();
        Ok((name != self.name || args != self.args).then_some((name, args)))
    }

    /// The call with another task or agent.
    fn with_task(
        &self,
        prompt: Option<&Value>,
        agent: Option<&Value>,
    ) -> Result<Option<(String, Value)>, HookChangeError> {
        let mut parts = self.parts();
        for part in parts.iter_mut().filter(|part| part.kind == ToolKind::Delegate) {
            let Some(args) = part.args.as_object_mut() else { continue };
            for (name, value) in [("prompt", prompt), ("agent", agent)] {
                if let (Some(value), Some(known)) = (value, args.get_mut(name)) {
                    *known = value.clone();
                }
            }
        }
        let merged = self.vocabulary.merge_back(&self.name, &self.args, &parts)?;
        Ok((merged != self.args).then(|| (self.name.clone(), merged)))
    }

    /// The payload of `tool.result`.
    #[must_use]
    pub fn to_result_payload(&self, result: ToolResult) -> ToolResultPayload {
        let ToolResult { call_id, name, content, is_error, result } = result;
        let error = is_error.then(|| content.clone());
        let (args, facts) = (Some(self.args.clone()), self.facts(EventKind::ToolResult));
        ToolResultPayload { call_id, name, content, is_error, result, error, args, partial: false, facts }
    }

    /// The payload of `tool.post`.
    #[must_use]
    pub fn to_post_payload(&self, result: ToolResult) -> ToolPost {
        ToolPost { args: Some(self.args.clone()), facts: self.facts(EventKind::ToolPost), ..ToolPost::new(result) }
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::Payload;
    use pintle_tools::{VOCABULARIES, calls_of};
    use serde_json::json;

    use super::*;

    /// A replay has only the payload, and finds the same call in it.
    #[test]
    fn remembered_call_is_the_one_in_the_payload() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch";
        let inputs = [
            json!({"command": "ls", "path": "a", "file_path": "a", "prompt": "p", "old_string": "x", "url": "u"}),
            json!({"command": ["apply_patch", patch], "patch": patch, "input": patch, "paths": ["a", "b"]}),
            json!({}),
            json!("text"),
        ];
        let mut remembered = 0;
        for vocabulary in VOCABULARIES {
            let names = vocabulary.tools.iter().flat_map(|tool| tool.native_names).copied();
            for name in names.chain(["mcp__files__read", "files_read", "files__read", "unknown", ""]) {
                for (input, category) in inputs.iter().flat_map(|input| [None, Some("mcp")].map(|word| (input, word))) {
                    let request = ToolCallRequest {
                        category: category.map(str::to_owned),
                        ..ToolCallRequest::new("1", vocabulary, name, input.clone())
                    };
                    for stage in [CallStage::Transform, CallStage::Guard, CallStage::Pre, CallStage::Permission] {
                        let event = request.to_event(stage, "", Arc::default());
                        let read = Payload::new(event.payload.value().clone());
                        assert_eq!(calls_of(&event.payload), calls_of(&read), "{}: {name} {input}", vocabulary.name);
                        remembered += usize::from(calls_of(&read).len() == 1);
                    }
                }
            }
        }
        assert!(remembered > 1_000, "{remembered}");
    }
}

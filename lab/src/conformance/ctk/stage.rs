//! The scripts of a scenario: what its model and its tools answer.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_agent::model::{
    Model, ModelError, ModelErrorKind, ModelReply, ModelRequest, ModelTool, ModelToolCall, ReplyDelta,
};
use pintle_agent::{Tool, ToolContext, ToolError};
use pintle_host::CancelToken;
use pintle_host::event::json_to_text;
use serde_json::{Value, json};

/// A scenario: it is the model, and has the tools.
#[derive(Debug)]
pub(super) struct KitStage {
    scenario: Value,
    replies: Mutex<VecDeque<Value>>,
    invocations: Arc<Mutex<Vec<Value>>>,
}

impl KitStage {
    pub(super) fn new(scenario: Value) -> Self {
        let replies = list(&scenario, "model_script").cloned().collect();
        Self { scenario, replies: Mutex::new(replies), invocations: Arc::default() }
    }

    /// What the user says.
    pub(super) fn input(&self) -> String {
        json_to_text(self.scenario.pointer("/input/content").unwrap_or(&Value::Null))
    }

    /// The names of the tools, sorted.
    pub(super) fn tool_names(&self) -> Vec<String> {
        let mut names: Vec<String> = list(&self.scenario, "tools").map(|tool| text(tool, "name")).collect();
        names.sort();
        names
    }

    pub(super) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let each = list(&self.scenario, "tools");
        each.map(|tool| {
            let definition = ModelTool {
                name: text(tool, "name"),
                description: String::from("A tool of the scenario."),
                parameters: json!({"type": "object"}),
            };
            let behavior = list(tool, "behavior").cloned().collect();
            Arc::new(KitTool { definition, behavior, invocations: Arc::clone(&self.invocations) }) as _
        })
        .collect()
    }

    /// The calls that reached a tool.
    pub(super) fn invocations(&self) -> Vec<Value> {
        self.invocations.lock().clone()
    }
}

impl Model for KitStage {
    fn name(&self) -> &str {
        "mock"
    }

    fn complete(
        &self,
        _request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        _cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        let reply = self.replies.lock().pop_front();
        let reply = reply.ok_or_else(|| ModelError::new(ModelErrorKind::Script, "the scenario has no answer left"))?;
        let content = reply.get("content").filter(|content| !content.is_null()).map(json_to_text).unwrap_or_default();
        on(ReplyDelta::Text(content.clone()));
        let calls = list(&reply, "tool_calls").map(|call| ModelToolCall {
            id: text(call, "id"),
            name: text(call, "name"),
            arguments: call.get("args").unwrap_or(&json!({})).to_string(),
        });
        Ok(ModelReply {
            text: content,
            tool_calls: calls.collect(),
            finish_reason: text(&reply, "finish_reason"),
            ..ModelReply::default()
        })
    }
}

/// A tool of a scenario.
#[derive(Debug)]
struct KitTool {
    definition: ModelTool,
    behavior: Vec<Value>,
    invocations: Arc<Mutex<Vec<Value>>>,
}

impl Tool for KitTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn can_write_unseen(&self) -> bool {
        false
    }

    fn call(&self, arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        let is_meant = |clause: &&Value| clause.get("when_args").is_none_or(|when| when.is_null() || when == arguments);
        let clause = self.behavior.iter().find(is_meant);
        let clause = clause.ok_or_else(|| ToolError::from("the scenario does not say what this call returns"))?;
        self.invocations.lock().push(json!({"name": self.definition.name, "args": arguments}));
        let value = clause.get("return").cloned().unwrap_or_default();
        match clause.get("is_error") {
            Some(Value::Bool(true)) => Err(ToolError::from(json_to_text(&value))),
            _ => Ok(value),
        }
    }
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

//! `completion.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::{HostPayload, ChatMessage, ChatTool};
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{require_lists, require_object, require_texts};

/// The row of `completion.pre`.
pub static ROW: EventDef = EventDef {
    name: "completion.pre",
    fires_when: "A request is about to be sent to the model.",
    class: EventClass::Guard,
    subject: Some("model"),
    target: RewriteTarget::Fields(&["model", "messages", "tools", "tool_choice", "max_tokens", "temperature", "top_p", "stop"]),
    deny_means: "The request is not sent and the turn fails: `completion blocked: <reason>`.",
    deny_restricts: true,
    context: ContextScope::Call,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<CompletionPre>,
    example: || {
        json!({
            "model": "gpt-4o",
            "messages": [
                {"role": "system", "content": "You are careful."},
                {"role": "user", "content": "list the files"},
            ],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "run_command",
                        "description": "Runs a shell command.",
                        "parameters": {
                            "type": "object",
                            "properties": {"command": {"type": "string"}},
                            "required": ["command"],
                        },
                    },
                },
            ],
            "max_tokens": 4096,
            "iteration": 1,
        })
    },
    normalize,
};

/// The payload of `completion.pre` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CompletionPre {
    /// The model that is asked.
    pub model: String,
    /// The whole conversation that is sent, oldest first, system messages included.
    pub messages: Vec<ChatMessage>,
    /// The tools that the model may call.
    pub tools: Vec<ChatTool>,
    /// Which tool the model must call, in the provider's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Value>,
    /// The most tokens that may come out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How freely the model chooses, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of likely words that the model chooses from, above 0 up to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Texts at which the model stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Vec<String>>,
    /// Which model call of the turn it is, from 1.
    pub iteration: u32,
    /// Who serves the model, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// There is a model to ask and a conversation to send.
fn normalize(_before: &Value, after: &mut Value) -> Result<(), String> {
    let fields = require_object(ROW.name, after)?;
    require_texts(fields, &["model"])?;
    require_lists(fields, &["messages", "tools"])
}

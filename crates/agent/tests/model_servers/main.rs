//! Remote models against a real server on loopback, in each wire format.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod failures;
mod formats;

use pintle::{CancelToken, ModelSpec, RetrySpec};
use pintle_agent::model::{
    Delta, Message, Model, ModelError, ModelReply, ModelRequest, RemoteModel, ToolCall, ToolDefinition,
};
use pintle_testkit::model_server::ModelServer;
use serde_json::json;

pub(crate) const KEY: &str = "key-of-the-test";

pub(crate) fn spec(provider: &str, server: &ModelServer) -> ModelSpec {
    ModelSpec {
        // The chat form is given a name that looks like a wish for more thought; it must stay whole.
        name: if matches!(provider, "anthropic" | "gemini") { "test" } else { "test-medium" }.into(),
        provider: provider.into(),
        base_url: Some(server.url("")),
        api_key_env: Some("TEST_KEY".into()),
        max_tokens: Some(256),
        temperature: Some(0.7),
        retry: RetrySpec::default(),
    }
}

pub(crate) fn model(provider: &str, server: &ModelServer) -> RemoteModel {
    let variable = |name: &str| (name == "TEST_KEY").then(|| format!("{KEY}\n"));
    RemoteModel::new(&spec(provider, server), &variable).unwrap()
}

pub(crate) fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: "reads a file".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    }
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

pub(crate) fn question() -> ModelRequest {
    ModelRequest {
        agent: "root".into(),
        conversation: "s".into(),
        messages: vec![Message::system("be brief"), Message::user("what is in a?")],
        tools: vec![tool("fs.read"), tool("fs_read")],
        ..ModelRequest::default()
    }
}

/// What a model said after the tools ran.
pub(crate) fn answered(request: &ModelRequest, reply: &ModelReply) -> ModelRequest {
    let mut messages = request.messages.clone();
    messages.push(reply.to_message());
    messages.extend(reply.tool_calls.iter().map(|call| Message::tool(call, format!("result of {}", call.name))));
    ModelRequest { messages, ..request.clone() }
}

pub(crate) fn ask(model: &RemoteModel, request: &ModelRequest) -> (Result<ModelReply, ModelError>, String) {
    let mut heard = String::new();
    let reply = model.complete(request, &mut |Delta::Text(text)| heard.push_str(&text), &CancelToken::default());
    (reply, heard)
}

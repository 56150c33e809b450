//! Remote models against a real server on loopback, in each wire format.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod failures;
mod formats;

use pintle_agent::model::{
    Model, ModelError, ModelMessage, ModelReply, ModelRequest, ModelTool, ModelToolCall, RemoteModel, ReplyDelta,
};
use pintle_host::CancelToken;
use pintle_host::contract::{ModelSpec, RetrySpec};
use pintle_testkit::model_server::ModelServer;
use serde_json::json;

pub(crate) const KEY: &str = "key-of-the-test";

pub(crate) fn model_spec(provider: &str, server: &ModelServer) -> ModelSpec {
    ModelSpec {
        // The chat format gets a name with a suffix that looks like a reasoning effort; it must stay unchanged.
        name: if matches!(provider, "anthropic" | "gemini") { "test" } else { "test-medium" }.into(),
        provider: provider.into(),
        base_url: Some(server.url("")),
        api_key_env: Some("TEST_KEY".into()),
        max_tokens: Some(256),
        temperature: Some(0.7),
        retry: RetrySpec::default(),
    }
}

pub(crate) fn open_model(provider: &str, server: &ModelServer) -> RemoteModel {
    let variable = |name: &str| (name == "TEST_KEY").then(|| format!("{KEY}\n"));
    RemoteModel::new(&model_spec(provider, server), &variable).unwrap()
}

pub(crate) fn tool_definition(name: &str) -> ModelTool {
    ModelTool {
        name: name.into(),
        description: "reads a file".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    }
}

pub(crate) fn tool_call(id: &str, name: &str, arguments: &str) -> ModelToolCall {
    ModelToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

pub(crate) fn new_request() -> ModelRequest {
    ModelRequest {
        agent: "root".into(),
        conversation: "s".into(),
        messages: vec![ModelMessage::system("be brief"), ModelMessage::user("what is in a?")],
        tools: vec![tool_definition("fs.read"), tool_definition("fs_read")],
        ..ModelRequest::default()
    }
}

/// The reply of the model after the tools ran.
pub(crate) fn request_with_answer(request: &ModelRequest, reply: &ModelReply) -> ModelRequest {
    let mut messages = request.messages.clone();
    messages.push(reply.to_message());
    messages.extend(reply.tool_calls.iter().map(|call| ModelMessage::tool(call, format!("result of {}", call.name))));
    ModelRequest { messages, ..request.clone() }
}

pub(crate) fn complete_request(
    model: &RemoteModel,
    request: &ModelRequest,
) -> (Result<ModelReply, ModelError>, String) {
    let mut heard = String::new();
    let reply = model.complete(request, &mut |ReplyDelta::Text(text)| heard.push_str(&text), &CancelToken::default());
    (reply, heard)
}

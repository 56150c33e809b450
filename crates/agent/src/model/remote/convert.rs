//! Converts requests and replies to and from the types of the `genai` crate.

use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, MessageContent, ReasoningEffort, StopReason, Tool,
    ToolResponse,
};
use serde_json::Value;

use super::RemoteModel;
use super::call::{ProviderCallError, StreamedReply};
use super::names::WireNames;
use super::tool_call_cache::{CachedToolCall, ToolCallCache};
use crate::model::message::{MessageRole, ModelMessage, ModelReply, ModelRequest, ModelToolCall, ModelUsage};

/// Whether servers of this wire format may work without a key.
pub(super) fn allows_missing_key(adapter: AdapterKind) -> bool {
    adapter == AdapterKind::OpenAI
}

/// Whether a wire format has a single system prompt before everything else, to which its adapter moves every system
/// message.
fn has_one_system_prompt(adapter: AdapterKind) -> bool {
    matches!(adapter, AdapterKind::Anthropic | AdapterKind::Gemini | AdapterKind::Cohere)
}

pub(super) fn to_chat_request(
    request: &ModelRequest,
    names: &WireNames,
    cache: &ToolCallCache,
    adapter: AdapterKind,
) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = Vec::with_capacity(request.messages.len());
    // Some providers reject an empty reply, as an interrupted call leaves behind, and it tells none of them anything.
    let says_something = |message: &&ModelMessage| {
        message.role != MessageRole::Assistant || !message.content.is_empty() || !message.tool_calls.is_empty()
    };
    for message in request.messages.iter().filter(says_something) {
        let mut next = to_wire_message(message, request, names, cache);
        // If a note that the host appends were moved to the front, every request would start differently and the
        // provider would find nothing in its cache. Such a note says itself that it is from the host.
        let is_note =
            message.role == MessageRole::System && messages.iter().any(|before| before.role != ChatRole::System);
        if is_note && has_one_system_prompt(adapter) {
            next = ChatMessage::user(message.content.as_str());
        }
        match messages.last_mut() {
            // The results of parallel calls belong in one message if the wire format has messages for them.
            Some(last) if message.role == MessageRole::Tool && last.role == ChatRole::Tool => {
                next.content.into_parts().into_iter().for_each(|part| last.content.push(part));
            }
            _ => messages.push(next),
        }
    }
    let mut chat = ChatRequest::from_messages(messages);
    if !request.tools.is_empty() {
        chat = chat.with_tools(request.tools.iter().map(|tool| {
            let known = Tool::new(names.to_wire(&tool.name)).with_schema(to_wire_schema(&tool.parameters));
            if tool.description.is_empty() { known } else { known.with_description(tool.description.clone()) }
        }));
    }
    chat
}

/// A schema as providers require it: an object with `properties`, even if these are empty.
fn to_wire_schema(parameters: &Value) -> Value {
    let mut fields = parameters.as_object().cloned().unwrap_or_default();
    fields.entry("type").or_insert_with(|| Value::from("object"));
    fields.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    Value::Object(fields)
}

fn to_wire_message(
    message: &ModelMessage,
    request: &ModelRequest,
    names: &WireNames,
    cache: &ToolCallCache,
) -> ChatMessage {
    let text = message.content.as_str();
    match message.role {
        MessageRole::System => ChatMessage::system(text),
        MessageRole::User => ChatMessage::user(text),
        MessageRole::Assistant => {
            let mut parts = Vec::new();
            if !text.is_empty() {
                parts.push(ContentPart::Text(text.to_owned()));
            }
            for call in &message.tool_calls {
                let cache = cache.find(&request.conversation, &call.id);
                parts.push(ContentPart::ToolCall(genai::chat::ToolCall {
                    call_id: cache.as_ref().map_or_else(|| call.id.clone(), |cache| cache.wire_id.clone()),
                    fn_name: names.to_wire(&call.name),
                    fn_arguments: to_wire_arguments(&call.arguments),
                    thought_signatures: cache.and_then(|cache| cache.signatures),
                }));
            }
            ChatMessage::assistant(MessageContent::from_parts(parts))
        }
        MessageRole::Tool => {
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            let wire_id = cache.find(&request.conversation, id).map_or_else(|| id.to_owned(), |cache| cache.wire_id);
            let mut response = ToolResponse::new(wire_id, text);
            response.fn_name = message.name.as_deref().map(|name| names.to_wire(name));
            ChatMessage::from(response)
        }
    }
}

/// Arguments for the wire. What the model wrote may not be JSON. Then an object is sent instead, since providers reject
/// the whole conversation for one such call, and the tool's error result shows the model what it wrote.
fn to_wire_arguments(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(object @ Value::Object(_)) => object,
        _ if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        _ => serde_json::json!({"malformed": text}),
    }
}

pub(super) fn build_options(model: &RemoteModel, request: &ModelRequest, name: &str) -> ChatOptions {
    let silence = Duration::from_millis(model.timeouts.silence_ms);
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_tool_calls(true)
        .with_stream_header_timeout(silence)
        .with_stream_read_timeout(silence)
        .with_stop_sequences(request.stop.clone());
    options.max_tokens = request.max_tokens.or(model.max_tokens);
    options.temperature = request.temperature.or(model.temperature);
    options.top_p = request.top_p;
    // The client would take a suffix such as `-medium` for a reasoning effort and remove it from the name. The chat
    // format has no field for a reasoning budget, so the name stays and nothing is sent.
    let other_form = matches!(
        model.provider.adapter,
        AdapterKind::OpenAIResp
            | AdapterKind::Anthropic
            | AdapterKind::Gemini
            | AdapterKind::Cohere
            | AdapterKind::DeepSeek
    );
    if !other_form && ReasoningEffort::from_model_name(name).0.is_some() {
        options.reasoning_effort = Some(ReasoningEffort::Budget(0));
    }
    options
}

pub(super) fn to_model_reply(
    streamed: StreamedReply,
    request: &ModelRequest,
    names: &WireNames,
    cache: &ToolCallCache,
    adapter: AdapterKind,
) -> Result<ModelReply, ProviderCallError> {
    let StreamedReply { text, end } = streamed;
    // The client takes the end of Gemini's stream for the end of the reply, even if the reply is incomplete.
    if end.captured_stop_reason.is_none() && adapter == AdapterKind::Gemini {
        return Err(ProviderCallError::IncompleteStream);
    }
    let usage = end.captured_usage.unwrap_or_default();
    let calls = end.captured_content.map(MessageContent::into_tool_calls).unwrap_or_default();
    if end.captured_stop_reason.is_none() && calls.is_empty() && text.is_empty() {
        return Err(ProviderCallError::IncompleteStream);
    }
    let mut tool_calls: Vec<ModelToolCall> = Vec::with_capacity(calls.len());
    for call in calls {
        let id = unique_call_id(&call.call_id, request, &tool_calls);
        if id != call.call_id || call.thought_signatures.is_some() {
            let call = CachedToolCall { wire_id: call.call_id, signatures: call.thought_signatures };
            cache.insert(&request.conversation, &id, call);
        }
        tool_calls.push(ModelToolCall {
            id,
            name: names.resolve_wire(&call.fn_name),
            arguments: match call.fn_arguments {
                Value::Null => String::from("{}"),
                // Text that is not JSON is passed unchanged.
                Value::String(text) if text.is_empty() => String::from("{}"),
                Value::String(text) => text,
                value => value.to_string(),
            },
        });
    }
    Ok(ModelReply {
        finish_reason: finish_reason(end.captured_stop_reason, !tool_calls.is_empty()),
        text,
        tool_calls,
        usage: ModelUsage {
            input_tokens: to_token_count(usage.prompt_tokens),
            output_tokens: to_token_count(usage.completion_tokens),
        },
    })
}

/// The provider's id of a call, or a new one if that is missing or already used in the conversation.
fn unique_call_id(wire: &str, request: &ModelRequest, so_far: &[ModelToolCall]) -> String {
    let said = request.messages.iter().flat_map(|message| &message.tool_calls);
    let taken: Vec<&str> = said.chain(so_far).map(|call| call.id.as_str()).collect();
    // If Gemini sends no ids, the client makes up ids with `#`, the same ones in each reply.
    if !wire.is_empty() && !wire.contains('#') && !taken.contains(&wire) {
        return wire.to_owned();
    }
    let numbers = taken.len() + 1..;
    numbers.map(|number| format!("call_{number}")).find(|id| !taken.contains(&id.as_str())).unwrap_or_default()
}

fn finish_reason(reason: Option<StopReason>, calls: bool) -> String {
    match reason {
        _ if calls => String::from("tool_calls"),
        None | Some(StopReason::Completed(_) | StopReason::StopSequence(_) | StopReason::ToolCall(_)) => {
            String::from("stop")
        }
        Some(StopReason::MaxTokens(_)) => String::from("length"),
        Some(StopReason::ContentFilter(_)) => String::from("content_filter"),
        Some(StopReason::Other(reason)) => reason,
    }
}

fn to_token_count(tokens: Option<i32>) -> u64 {
    tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_behind_the_conversation_stays_behind_it() {
        let messages =
            vec![ModelMessage::system("be brief"), ModelMessage::user("go"), ModelMessage::system("remember")];
        let asked = ModelRequest { messages, ..ModelRequest::default() };
        let cases = [
            (AdapterKind::OpenAI, ChatRole::System),
            (AdapterKind::OpenAIResp, ChatRole::System),
            (AdapterKind::Anthropic, ChatRole::User),
            (AdapterKind::Gemini, ChatRole::User),
            (AdapterKind::Cohere, ChatRole::User),
        ];
        for (adapter, last) in cases {
            let sent = to_chat_request(&asked, &WireNames::for_request(&asked), &ToolCallCache::default(), adapter);
            let roles: Vec<ChatRole> = sent.messages.into_iter().map(|message| message.role).collect();
            assert_eq!(roles, [ChatRole::System, ChatRole::User, last], "{adapter:?}");
        }
    }
}

//! Converts between the model's types and the payloads of events.
//!
//! A rewritten payload is decoded on its own and never merged into the old messages, so that no part of a message that
//! a hook removed reappears in another one.

use pintle_host::event::{self, ChatFunctionCall, ChatToolCall, CompletionChoice, CompletionPost, CompletionPre};
use serde_json::Value;

use crate::model::{MessageRole, ModelMessage, ModelReply, ModelRequest, ModelTool, ModelToolCall, ModelUsage};

pub(crate) fn request_to_payload(request: &ModelRequest, opened: &str, iteration: u32) -> CompletionPre {
    let tool =
        |tool: &ModelTool| event::ChatTool::new(tool.name.clone(), tool.description.clone(), tool.parameters.clone());
    CompletionPre {
        model: if request.model.is_empty() { opened.to_owned() } else { request.model.clone() },
        messages: request.messages.iter().map(to_event_message).collect(),
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: None,
        max_tokens: request.max_tokens.map(u64::from),
        temperature: request.temperature,
        top_p: request.top_p,
        stop: (!request.stop.is_empty()).then(|| request.stop.clone()),
        iteration,
        provider: None,
        host: None,
    }
}

/// A request as the tape stores it: in the format of `completion.pre`.
pub(crate) fn request_to_value(request: &ModelRequest, opened: &str) -> Value {
    serde_json::to_value(request_to_payload(request, opened, 0)).unwrap_or_default()
}

pub(crate) fn request_from_payload(
    payload: CompletionPre,
    request: &ModelRequest,
    opened: &str,
) -> Result<ModelRequest, String> {
    let messages: Result<Vec<ModelMessage>, String> = payload.messages.into_iter().map(from_event_message).collect();
    let messages = messages?;
    if !messages.iter().any(|message| message.role != MessageRole::System) {
        return Err(String::from("`messages` must contain a message that is not a system message"));
    }
    let tool = |tool: event::ChatTool| ModelTool {
        name: tool.function.name,
        description: tool.function.description,
        parameters: tool.function.parameters,
    };
    let kept = request.model.is_empty() && payload.model == opened;
    Ok(ModelRequest {
        agent: request.agent.clone(),
        conversation: request.conversation.clone(),
        model: if kept { String::new() } else { payload.model },
        messages,
        tools: payload.tools.into_iter().map(tool).collect(),
        max_tokens: payload.max_tokens.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        temperature: payload.temperature,
        top_p: payload.top_p,
        stop: payload.stop.unwrap_or_default(),
    })
}

pub(crate) fn reply_to_payload(reply: &ModelReply, model: &str, duration_ms: u64) -> CompletionPost {
    CompletionPost {
        id: None,
        model: model.to_owned(),
        choices: vec![CompletionChoice {
            index: 0,
            message: to_event_message(&reply.to_message()),
            finish_reason: reply.finish_reason.clone(),
        }],
        usage: event::TokenUsage::new(reply.usage.input_tokens, reply.usage.output_tokens),
        finish_reason: reply.finish_reason.clone(),
        text: reply.text.clone(),
        duration_ms: Some(duration_ms),
        cost_usd: None,
        provider: None,
        last_user_message: None,
        host: None,
    }
}

pub(crate) fn reply_from_payload(payload: CompletionPost, usage: ModelUsage) -> Result<ModelReply, String> {
    let choice = payload.choices.into_iter().next().ok_or("`choices` must contain at least one choice")?;
    let message = from_event_message(event::ChatMessage { role: String::from("assistant"), ..choice.message })?;
    Ok(ModelReply { text: message.content, tool_calls: message.tool_calls, finish_reason: choice.finish_reason, usage })
}

pub(crate) fn to_event_message(message: &ModelMessage) -> event::ChatMessage {
    let call = |call: &ModelToolCall| ChatToolCall {
        id: call.id.clone(),
        function: ChatFunctionCall { name: call.name.clone(), arguments: call.arguments.clone() },
        ..ChatToolCall::default()
    };
    let is_silent = message.content.is_empty() && !message.tool_calls.is_empty();
    event::ChatMessage {
        role: message.role.as_str().to_owned(),
        content: if is_silent { Value::Null } else { Value::String(message.content.clone()) },
        tool_calls: message.tool_calls.iter().map(call).collect(),
        tool_call_id: message.tool_call_id.clone(),
        name: message.name.clone(),
        cache_control: None,
    }
}

fn from_event_message(message: event::ChatMessage) -> Result<ModelMessage, String> {
    let role = match message.role.as_str() {
        "system" | "developer" => MessageRole::System,
        "user" => MessageRole::User,
        "assistant" => MessageRole::Assistant,
        "tool" => MessageRole::Tool,
        other => return Err(format!("a message has the unknown role `{other}`")),
    };
    let content = match message.content {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(parts) => {
            let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        _ => return Err(String::from("the `content` of a message must be a text or a list of parts")),
    };
    let call = |call: ChatToolCall| ModelToolCall {
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
    };
    Ok(ModelMessage {
        role,
        content,
        tool_calls: message.tool_calls.into_iter().map(call).collect(),
        tool_call_id: message.tool_call_id,
        name: message.name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_the_way_to_the_hooks_and_back() {
        let call = ModelToolCall { id: String::from("1"), name: String::from("read"), arguments: String::from("{}") };
        let request = ModelRequest {
            messages: vec![
                ModelMessage::system("be careful"),
                ModelMessage::user("go"),
                ModelMessage::assistant("", vec![call.clone()]),
                ModelMessage::tool(&call, "done"),
            ],
            max_tokens: Some(7),
            temperature: Some(0.5),
            ..ModelRequest::default()
        };
        let payload = request_to_payload(&request, "gpt-4o", 1);
        assert_eq!(payload.model, "gpt-4o");
        assert_eq!(request_from_payload(payload.clone(), &request, "gpt-4o"), Ok(request.clone()));
        let other = CompletionPre { model: String::from("small"), ..payload.clone() };
        assert_eq!(request_from_payload(other, &request, "gpt-4o").unwrap().model, "small");
        let strange = CompletionPre { messages: vec![event::ChatMessage::text("oracle", "x")], ..payload.clone() };
        assert!(request_from_payload(strange, &request, "gpt-4o").unwrap_err().contains("`oracle`"));
        let empty = CompletionPre { messages: Vec::new(), ..payload };
        assert!(request_from_payload(empty, &request, "gpt-4o").is_err());
    }

    #[test]
    fn a_reply_survives_too() {
        let call = ModelToolCall { id: String::from("1"), name: String::from("read"), arguments: String::from("{}") };
        let reply = ModelReply {
            text: String::from("looking"),
            tool_calls: vec![call],
            finish_reason: String::from("tool_calls"),
            usage: ModelUsage { input_tokens: 3, output_tokens: 4 },
        };
        let payload = reply_to_payload(&reply, "gpt-4o", 5);
        assert_eq!(reply_from_payload(payload.clone(), reply.usage), Ok(reply));
        let none = CompletionPost { choices: Vec::new(), ..payload };
        assert!(reply_from_payload(none, ModelUsage::default()).is_err());
    }
}

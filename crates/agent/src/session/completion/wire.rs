//! Between what the model trait speaks and what the events of the catalogue show.
//!
//! A rewritten payload is decoded on its own and never merged into the old messages, so that nothing of a message that
//! a hook removed comes back in another one.

use pintle::event::{self, ChatFunctionCall, ChatToolCall, CompletionChoice, CompletionPost, CompletionPre};
use serde_json::Value;

use crate::model::{Message, ModelReply, ModelRequest, Role, ToolCall, ToolDefinition, Usage};

pub(crate) fn payload_of_request(request: &ModelRequest, opened: &str, iteration: u32) -> CompletionPre {
    let tool = |tool: &ToolDefinition| {
        event::ChatTool::new(tool.name.clone(), tool.description.clone(), tool.parameters.clone())
    };
    CompletionPre {
        model: if request.model.is_empty() { opened.to_owned() } else { request.model.clone() },
        messages: request.messages.iter().map(shown).collect(),
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

/// A request as the tape has it: in the words of `completion.pre`.
pub(crate) fn value_of_request(request: &ModelRequest, opened: &str) -> Value {
    serde_json::to_value(payload_of_request(request, opened, 0)).unwrap_or_default()
}

pub(crate) fn request_of_payload(
    payload: CompletionPre,
    asked: &ModelRequest,
    opened: &str,
) -> Result<ModelRequest, String> {
    let messages: Result<Vec<Message>, String> = payload.messages.into_iter().map(read).collect();
    let messages = messages?;
    if !messages.iter().any(|message| message.role != Role::System) {
        return Err(String::from("`messages` must hold something besides system messages"));
    }
    let tool = |tool: event::ChatTool| ToolDefinition {
        name: tool.function.name,
        description: tool.function.description,
        parameters: tool.function.parameters,
    };
    let kept = asked.model.is_empty() && payload.model == opened;
    Ok(ModelRequest {
        agent: asked.agent.clone(),
        conversation: asked.conversation.clone(),
        model: if kept { String::new() } else { payload.model },
        messages,
        tools: payload.tools.into_iter().map(tool).collect(),
        max_tokens: payload.max_tokens.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        temperature: payload.temperature,
        top_p: payload.top_p,
        stop: payload.stop.unwrap_or_default(),
    })
}

pub(super) fn payload_of_reply(reply: &ModelReply, model: &str, duration_ms: u64) -> CompletionPost {
    CompletionPost {
        id: None,
        model: model.to_owned(),
        choices: vec![CompletionChoice {
            index: 0,
            message: shown(&reply.to_message()),
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

pub(super) fn reply_of_payload(payload: CompletionPost, usage: Usage) -> Result<ModelReply, String> {
    let choice = payload.choices.into_iter().next().ok_or("`choices` must hold at least one answer")?;
    let message = read(event::ChatMessage { role: String::from("assistant"), ..choice.message })?;
    Ok(ModelReply { text: message.content, tool_calls: message.tool_calls, finish_reason: choice.finish_reason, usage })
}

pub(crate) fn shown(message: &Message) -> event::ChatMessage {
    let call = |call: &ToolCall| ChatToolCall {
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

fn read(message: event::ChatMessage) -> Result<Message, String> {
    let role = match message.role.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
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
    let call =
        |call: ChatToolCall| ToolCall { id: call.id, name: call.function.name, arguments: call.function.arguments };
    Ok(Message {
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
        let call = ToolCall { id: String::from("1"), name: String::from("read"), arguments: String::from("{}") };
        let request = ModelRequest {
            messages: vec![
                Message::system("be careful"),
                Message::user("go"),
                Message::assistant("", vec![call.clone()]),
                Message::tool(&call, "done"),
            ],
            max_tokens: Some(7),
            temperature: Some(0.5),
            ..ModelRequest::default()
        };
        let payload = payload_of_request(&request, "gpt-4o", 1);
        assert_eq!(payload.model, "gpt-4o");
        assert_eq!(request_of_payload(payload.clone(), &request, "gpt-4o"), Ok(request.clone()));
        let other = CompletionPre { model: String::from("small"), ..payload.clone() };
        assert_eq!(request_of_payload(other, &request, "gpt-4o").unwrap().model, "small");
        let strange = CompletionPre { messages: vec![event::ChatMessage::text("oracle", "x")], ..payload.clone() };
        assert!(request_of_payload(strange, &request, "gpt-4o").unwrap_err().contains("`oracle`"));
        let empty = CompletionPre { messages: Vec::new(), ..payload };
        assert!(request_of_payload(empty, &request, "gpt-4o").is_err());
    }

    #[test]
    fn a_reply_survives_too() {
        let call = ToolCall { id: String::from("1"), name: String::from("read"), arguments: String::from("{}") };
        let reply = ModelReply {
            text: String::from("looking"),
            tool_calls: vec![call],
            finish_reason: String::from("tool_calls"),
            usage: Usage { input_tokens: 3, output_tokens: 4 },
        };
        let payload = payload_of_reply(&reply, "gpt-4o", 5);
        assert_eq!(reply_of_payload(payload.clone(), reply.usage), Ok(reply));
        let none = CompletionPost { choices: Vec::new(), ..payload };
        assert!(reply_of_payload(none, Usage::default()).is_err());
    }
}

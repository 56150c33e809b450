//! Replies as the events that each provider streams.

use serde_json::{Value, json};

use super::Reply;

/// The events of a whole reply, for the format that a path belongs to.
pub(super) fn events(path: &str, reply: &Reply) -> Vec<String> {
    match Format::of(path) {
        Format::Chat => chat(reply),
        Format::Messages => messages(reply),
        Format::Generate => generate(reply),
    }
}

/// An error event in the middle of a stream.
pub(super) fn error(path: &str, kind: &str) -> String {
    let body = json!({"type": "error", "error": {"type": kind, "message": "that is all"}});
    match Format::of(path) {
        Format::Messages => named("error", &body),
        _ => data(&body),
    }
}

enum Format {
    Chat,
    Messages,
    Generate,
}

impl Format {
    fn of(path: &str) -> Self {
        if path.contains("GenerateContent") {
            Self::Generate
        } else if path.ends_with("/messages") {
            Self::Messages
        } else {
            Self::Chat
        }
    }
}

fn data(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn named(name: &str, event: &Value) -> String {
    format!("event: {name}\ndata: {event}\n\n")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// A text in two pieces, cut in its middle.
fn halves(text: &str) -> [&str; 2] {
    let middle = (text.len() / 2..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (first, second) = text.split_at(middle);
    [first, second]
}

/// OpenAI's chat completions.
fn chat(reply: &Reply) -> Vec<String> {
    let piece = |delta: Value, finish: Option<&str>| {
        data(&json!({
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "test",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    };
    let mut events = vec![piece(json!({"role": "assistant", "content": ""}), None)];
    events.extend(words(&reply.text).map(|word| piece(json!({"content": word}), None)));
    for (index, (id, name, arguments)) in reply.calls.iter().enumerate() {
        let start = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(piece(json!({"tool_calls": [start]}), None));
        events.extend(
            halves(arguments)
                .map(|half| piece(json!({"tool_calls": [{"index": index, "function": {"arguments": half}}]}), None)),
        );
    }
    let finish = match (reply.too_long, reply.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    };
    events.push(piece(json!({}), Some(finish)));
    let (read, written) = reply.usage;
    let usage = json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written});
    events.push(data(&json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage})));
    events.push(String::from("data: [DONE]\n\n"));
    events
}

/// Anthropic's messages.
fn messages(reply: &Reply) -> Vec<String> {
    let event = |name: &str, mut body: Value| {
        if let Value::Object(fields) = &mut body {
            fields.insert(String::from("type"), json!(name));
        }
        named(name, &body)
    };
    let (read, written) = reply.usage;
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "test",
        "usage": {"input_tokens": read, "output_tokens": 1},
    });
    let mut events = vec![event("message_start", json!({"message": message})), event("ping", json!({}))];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(event("content_block_start", json!({"index": index, "content_block": start})));
        events.extend(deltas.iter().map(|delta| event("content_block_delta", json!({"index": index, "delta": delta}))));
        events.push(event("content_block_stop", json!({"index": index})));
        index += 1;
    };
    if !reply.text.is_empty() {
        let deltas = words(&reply.text).map(|word| json!({"type": "text_delta", "text": word})).collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for (id, name, arguments) in &reply.calls {
        let deltas = halves(arguments).map(|half| json!({"type": "input_json_delta", "partial_json": half})).to_vec();
        block(json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas);
    }
    let reason = match (reply.too_long, reply.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    };
    let usage = json!({"output_tokens": written});
    events
        .push(event("message_delta", json!({"delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage})));
    events.push(event("message_stop", json!({})));
    events
}

/// Gemini's content.
fn generate(reply: &Reply) -> Vec<String> {
    let (read, written) = reply.usage;
    let usage = json!({"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written});
    let piece = |parts: Vec<Value>, finish: Option<&str>| {
        let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
        if let (Some(finish), Value::Object(fields)) = (finish, &mut candidate) {
            fields.insert(String::from("finishReason"), json!(finish));
        }
        data(&json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "test"}))
    };
    let mut events: Vec<String> = words(&reply.text).map(|word| piece(vec![json!({"text": word})], None)).collect();
    let calls = reply.calls.iter().map(|(_, name, arguments)| {
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
        json!({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": format!("sign-{name}")})
    });
    events.push(piece(calls.collect(), Some(if reply.too_long { "MAX_TOKENS" } else { "STOP" })));
    events
}

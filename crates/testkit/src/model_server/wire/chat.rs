//! OpenAI's chat completions.

use serde_json::{Value, json};

use super::super::ScriptedReply;
use super::{WireFormat, data_event, split_halves, split_words};

pub(super) const FORMAT: WireFormat =
    WireFormat { to_events, to_body, to_error: data_event, matches_path: |path| path.ends_with("/chat/completions") };

fn finish_reason(reply: &ScriptedReply) -> &'static str {
    match (reply.is_truncated, reply.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    }
}

fn usage(reply: &ScriptedReply) -> Value {
    let (read, written) = reply.usage;
    json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written})
}

fn to_events(reply: &ScriptedReply) -> Vec<String> {
    let piece = |delta: Value, finish: Option<&str>| {
        data_event(&json!({
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "test",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    };
    let mut events = vec![piece(json!({"role": "assistant", "content": ""}), None)];
    events.extend(split_words(&reply.text).map(|word| piece(json!({"content": word}), None)));
    for (index, (id, name, arguments)) in reply.calls.iter().enumerate() {
        let start = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(piece(json!({"tool_calls": [start]}), None));
        events.extend(
            split_halves(arguments)
                .map(|half| piece(json!({"tool_calls": [{"index": index, "function": {"arguments": half}}]}), None)),
        );
    }
    events.push(piece(json!({}), Some(finish_reason(reply))));
    let last = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage(reply)});
    events.push(data_event(&last));
    events.push(String::from("data: [DONE]\n\n"));
    events
}

fn to_body(reply: &ScriptedReply) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.text});
    if let (false, Value::Object(fields)) = (reply.calls.is_empty(), &mut message) {
        let call = |(id, name, arguments): &(&str, &str, &str)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        fields.insert(String::from("tool_calls"), reply.calls.iter().map(call).collect());
    }
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(reply)}],
        "usage": usage(reply),
    })
}

//! OpenAI's chat completions.

use serde_json::{Value, json};

use super::super::Reply;
use super::{Format, data, halves, words};

pub(super) const FORMAT: Format =
    Format { events, whole, error: data, owns: |path| path.ends_with("/chat/completions") };

fn finish(reply: &Reply) -> &'static str {
    match (reply.too_long, reply.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    }
}

fn usage(reply: &Reply) -> Value {
    let (read, written) = reply.usage;
    json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written})
}

fn events(reply: &Reply) -> Vec<String> {
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
    events.push(piece(json!({}), Some(finish(reply))));
    let last = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage(reply)});
    events.push(data(&last));
    events.push(String::from("data: [DONE]\n\n"));
    events
}

fn whole(reply: &Reply) -> Value {
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
        "choices": [{"index": 0, "message": message, "finish_reason": finish(reply)}],
        "usage": usage(reply),
    })
}

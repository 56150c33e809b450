//! Anthropic's messages.

use serde_json::{Value, json};

use super::super::ScriptedReply;
use super::{WireFormat, named_event, parse_arguments, split_halves, split_words, typed_event};

pub(super) const FORMAT: WireFormat = WireFormat {
    to_events,
    to_body,
    to_error: |body| named_event("error", body),
    matches_path: |path| path.ends_with("/messages"),
};

fn stop_reason(reply: &ScriptedReply) -> &'static str {
    match (reply.is_truncated, reply.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    }
}

fn to_events(reply: &ScriptedReply) -> Vec<String> {
    let (read, written) = reply.usage;
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "test",
        "usage": {"input_tokens": read, "output_tokens": 1},
    });
    let mut events = vec![typed_event("message_start", json!({"message": message})), typed_event("ping", json!({}))];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(typed_event("content_block_start", json!({"index": index, "content_block": start})));
        events.extend(
            deltas.iter().map(|delta| typed_event("content_block_delta", json!({"index": index, "delta": delta}))),
        );
        events.push(typed_event("content_block_stop", json!({"index": index})));
        index += 1;
    };
    if !reply.text.is_empty() {
        let deltas = split_words(&reply.text).map(|word| json!({"type": "text_delta", "text": word})).collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for (id, name, arguments) in &reply.calls {
        let deltas =
            split_halves(arguments).map(|half| json!({"type": "input_json_delta", "partial_json": half})).to_vec();
        block(json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas);
    }
    let usage = json!({"output_tokens": written});
    let last = json!({"delta": {"stop_reason": stop_reason(reply), "stop_sequence": null}, "usage": usage});
    events.push(typed_event("message_delta", last));
    events.push(typed_event("message_stop", json!({})));
    events
}

fn to_body(reply: &ScriptedReply) -> Value {
    let (read, written) = reply.usage;
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let mut content: Vec<Value> = text.map(|text| json!({"type": "text", "text": text})).into_iter().collect();
    content.extend(
        reply.calls.iter().map(
            |(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": parse_arguments(input)}),
        ),
    );
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": content, "model": "test",
        "stop_reason": stop_reason(reply), "stop_sequence": null,
        "usage": {"input_tokens": read, "output_tokens": written},
    })
}

//! Anthropic's messages.

use serde_json::{Value, json};

use super::super::Reply;
use super::{Format, arguments, halves, named, typed, words};

pub(super) const FORMAT: Format =
    Format { events, whole, error: |body| named("error", body), owns: |path| path.ends_with("/messages") };

fn reason(reply: &Reply) -> &'static str {
    match (reply.too_long, reply.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    }
}

fn events(reply: &Reply) -> Vec<String> {
    let (read, written) = reply.usage;
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "test",
        "usage": {"input_tokens": read, "output_tokens": 1},
    });
    let mut events = vec![typed("message_start", json!({"message": message})), typed("ping", json!({}))];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(typed("content_block_start", json!({"index": index, "content_block": start})));
        events.extend(deltas.iter().map(|delta| typed("content_block_delta", json!({"index": index, "delta": delta}))));
        events.push(typed("content_block_stop", json!({"index": index})));
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
    let usage = json!({"output_tokens": written});
    let last = json!({"delta": {"stop_reason": reason(reply), "stop_sequence": null}, "usage": usage});
    events.push(typed("message_delta", last));
    events.push(typed("message_stop", json!({})));
    events
}

fn whole(reply: &Reply) -> Value {
    let (read, written) = reply.usage;
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let mut content: Vec<Value> = text.map(|text| json!({"type": "text", "text": text})).into_iter().collect();
    content.extend(
        reply
            .calls
            .iter()
            .map(|(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": arguments(input)})),
    );
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": content, "model": "test",
        "stop_reason": reason(reply), "stop_sequence": null,
        "usage": {"input_tokens": read, "output_tokens": written},
    })
}

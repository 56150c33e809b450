//! OpenAI's responses.

use serde_json::{Value, json};

use super::super::ScriptedReply;
use super::{WireFormat, data_event, split_halves, split_words, typed_event};

pub(super) const FORMAT: WireFormat =
    WireFormat { to_events, to_body, to_error: data_event, matches_path: |path| path.ends_with("/responses") };

const MESSAGE: &str = "msg_1";

fn message_item(text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "id": MESSAGE, "role": "assistant", "status": "completed", "content": [part]})
}

fn call_item(id: &str, name: &str, arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "status": "completed",
        "name": name, "arguments": arguments,
    })
}

/// The items of a response: the text, if there is any, and the calls.
fn output_items(reply: &ScriptedReply) -> Vec<Value> {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let calls = reply.calls.iter().map(|(id, name, arguments)| call_item(id, name, arguments));
    text.map(|text| message_item(text)).into_iter().chain(calls).collect()
}

fn response_envelope(reply: &ScriptedReply, status: &str, output: &[Value]) -> Value {
    let (read, written) = reply.usage;
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "test", "status": status,
        "output": output,
        "usage": {
            "input_tokens": read, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        },
    })
}

fn to_events(reply: &ScriptedReply) -> Vec<String> {
    let output = output_items(reply);
    let mut events =
        vec![typed_event("response.created", json!({"response": response_envelope(reply, "in_progress", &[])}))];
    for (index, item) in output.iter().enumerate() {
        events.push(typed_event("response.output_item.added", json!({"output_index": index, "item": item})));
        if let Some(arguments) = item.get("arguments").and_then(Value::as_str) {
            events.extend(split_halves(arguments).map(|half| {
                let delta = json!({"output_index": index, "item_id": item["id"], "delta": half});
                typed_event("response.function_call_arguments.delta", delta)
            }));
        } else {
            events.extend(split_words(&reply.text).map(|word| {
                let delta = json!({"output_index": index, "content_index": 0, "item_id": MESSAGE, "delta": word});
                typed_event("response.output_text.delta", delta)
            }));
        }
        events.push(typed_event("response.output_item.done", json!({"output_index": index, "item": item})));
    }
    let (name, status) =
        if reply.is_truncated { ("response.incomplete", "incomplete") } else { ("response.completed", "completed") };
    events.push(typed_event(name, json!({"response": response_envelope(reply, status, &output)})));
    events
}

fn to_body(reply: &ScriptedReply) -> Value {
    response_envelope(reply, if reply.is_truncated { "incomplete" } else { "completed" }, &output_items(reply))
}

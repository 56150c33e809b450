//! OpenAI's responses.

use serde_json::{Value, json};

use super::super::Reply;
use super::{Format, data, halves, typed, words};

pub(super) const FORMAT: Format = Format { events, whole, error: data, owns: |path| path.ends_with("/responses") };

const MESSAGE: &str = "msg_1";

fn message(text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "id": MESSAGE, "role": "assistant", "status": "completed", "content": [part]})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "status": "completed",
        "name": name, "arguments": arguments,
    })
}

/// What a response consists of: the text, when there is any, and the calls.
fn output(reply: &Reply) -> Vec<Value> {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let calls = reply.calls.iter().map(|(id, name, arguments)| call(id, name, arguments));
    text.map(|text| message(text)).into_iter().chain(calls).collect()
}

fn envelope(reply: &Reply, status: &str, output: &[Value]) -> Value {
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

fn events(reply: &Reply) -> Vec<String> {
    let output = output(reply);
    let mut events = vec![typed("response.created", json!({"response": envelope(reply, "in_progress", &[])}))];
    for (index, item) in output.iter().enumerate() {
        events.push(typed("response.output_item.added", json!({"output_index": index, "item": item})));
        if let Some(arguments) = item.get("arguments").and_then(Value::as_str) {
            events.extend(halves(arguments).map(|half| {
                let delta = json!({"output_index": index, "item_id": item["id"], "delta": half});
                typed("response.function_call_arguments.delta", delta)
            }));
        } else {
            events.extend(words(&reply.text).map(|word| {
                let delta = json!({"output_index": index, "content_index": 0, "item_id": MESSAGE, "delta": word});
                typed("response.output_text.delta", delta)
            }));
        }
        events.push(typed("response.output_item.done", json!({"output_index": index, "item": item})));
    }
    let (name, status) =
        if reply.too_long { ("response.incomplete", "incomplete") } else { ("response.completed", "completed") };
    events.push(typed(name, json!({"response": envelope(reply, status, &output)})));
    events
}

fn whole(reply: &Reply) -> Value {
    envelope(reply, if reply.too_long { "incomplete" } else { "completed" }, &output(reply))
}

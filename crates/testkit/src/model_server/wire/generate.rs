//! Gemini's content.

use serde_json::{Value, json};

use super::super::Reply;
use super::{Format, arguments, data, words};

pub(super) const FORMAT: Format =
    Format { events, whole, error: data, owns: |path| path.to_ascii_lowercase().ends_with("generatecontent") };

fn body(reply: &Reply, parts: Vec<Value>, finish: Option<&str>) -> Value {
    let (read, written) = reply.usage;
    let usage = json!({"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written});
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let (Some(finish), Value::Object(fields)) = (finish, &mut candidate) {
        fields.insert(String::from("finishReason"), json!(finish));
    }
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "test"})
}

fn calls(reply: &Reply) -> impl Iterator<Item = Value> {
    reply.calls.iter().map(|(_, name, input)| {
        json!({"functionCall": {"name": name, "args": arguments(input)}, "thoughtSignature": format!("sign-{name}")})
    })
}

fn finish(reply: &Reply) -> &'static str {
    if reply.too_long { "MAX_TOKENS" } else { "STOP" }
}

fn events(reply: &Reply) -> Vec<String> {
    let word = |word: &str| data(&body(reply, vec![json!({"text": word})], None));
    let mut events: Vec<String> = words(&reply.text).map(word).collect();
    events.push(data(&body(reply, calls(reply).collect(), Some(finish(reply)))));
    events
}

fn whole(reply: &Reply) -> Value {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let mut parts: Vec<Value> = text.map(|text| json!({"text": text})).into_iter().collect();
    parts.extend(calls(reply));
    body(reply, parts, Some(finish(reply)))
}

//! Gemini's content.

use serde_json::{Value, json};

use super::super::ScriptedReply;
use super::{WireFormat, data_event, parse_arguments, split_words};

pub(super) const FORMAT: WireFormat = WireFormat {
    to_events,
    to_body,
    to_error: data_event,
    matches_path: |path| path.to_ascii_lowercase().ends_with("generatecontent"),
};

fn response_body(reply: &ScriptedReply, parts: Vec<Value>, finish: Option<&str>) -> Value {
    let (read, written) = reply.usage;
    let usage = json!({"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written});
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let (Some(finish), Value::Object(fields)) = (finish, &mut candidate) {
        fields.insert(String::from("finishReason"), json!(finish));
    }
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "test"})
}

fn call_parts(reply: &ScriptedReply) -> impl Iterator<Item = Value> {
    reply.calls.iter().map(|(_, name, input)| {
        json!({"functionCall": {"name": name, "args": parse_arguments(input)}, "thoughtSignature": format!("sign-{name}")})
    })
}

fn finish_reason(reply: &ScriptedReply) -> &'static str {
    if reply.is_truncated { "MAX_TOKENS" } else { "STOP" }
}

fn to_events(reply: &ScriptedReply) -> Vec<String> {
    let word = |word: &str| data_event(&response_body(reply, vec![json!({"text": word})], None));
    let mut events: Vec<String> = split_words(&reply.text).map(word).collect();
    events.push(data_event(&response_body(reply, call_parts(reply).collect(), Some(finish_reason(reply)))));
    events
}

fn to_body(reply: &ScriptedReply) -> Value {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let mut parts: Vec<Value> = text.map(|text| json!({"text": text})).into_iter().collect();
    parts.extend(call_parts(reply));
    response_body(reply, parts, Some(finish_reason(reply)))
}

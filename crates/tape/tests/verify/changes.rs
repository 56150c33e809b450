//! Changes to the records of a session.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The index of the first record of a kind, for this event if one is named.
pub(crate) fn index_of_event(records: &[Value], kind: &str, event: Option<&str>) -> usize {
    let is = |record: &Value| record["kind"] == kind && event.is_none_or(|event| record["event"] == event);
    records.iter().position(is).unwrap()
}

/// A prompt that steers a running turn and that hooks deny, with what is sent to the model.
pub(crate) fn refuse_steered_message(records: &mut Vec<Value>, refused: &str, text: &str) {
    let (event, outcome) = (
        index_of_event(records, "event", Some("prompt.submit")),
        index_of_event(records, "outcome", Some("prompt.submit")),
    );
    let mut said = records[index_of_event(records, "user_message", None)].clone();
    (said["source"], said["text"]) = (json!("steer"), json!(refused));
    let mut message = records[index_of_event(records, "message", None)].clone();
    message["message"] = json!({"role": "user", "content": text});
    records[event]["payload"]["prompt"] = json!(refused);
    records[outcome]["decision"] = json!("deny");
    records.insert(outcome + 1, message);
    records.insert(event, said);
}

/// The request is sent with text before it, and the hooks of `completion.pre` added this context.
pub(crate) fn set_hook_context(records: &mut [Value], sent: &str, expected: &[&str]) {
    let outcome = index_of_event(records, "outcome", Some("completion.pre"));
    records[outcome]["effects"] =
        expected.iter().map(|text| json!({"hook": "judge", "effect": {"context": text}})).collect();
    let event = index_of_event(records, "event", Some("completion.pre"));
    let message = records[event]["payload"]["messages"][0].clone();
    let request = index_of_event(records, "model_request", None);
    records[request].as_object_mut().unwrap().shift_remove("same_as");
    records[request]["payload"] = json!({"messages": [{"role": "system", "content": sent}, message]});
}

/// The kinds that have an origin.
const ORIGIN_KINDS: &[&str] = &[
    "event",
    "session",
    "resumed",
    "user_message",
    "model_request",
    "model_reply",
    "tool_call",
    "tool_result",
    "message",
    "messages",
    "reminder",
    "turn",
];

/// The records of the lines of a tape, each with its origin.
pub(crate) fn parse_records<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<Value> {
    let mut origin = Value::Null;
    let mut parse = |line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if ORIGIN_KINDS.contains(&record["kind"].as_str().unwrap()) {
            let own = record.as_object_mut().unwrap().entry("origin").or_insert(origin.clone());
            origin = own.clone();
        }
        record
    };
    lines.map(&mut parse).collect()
}

/// The lines with new numbers and digests, as an attacker writes them to hide a change.
pub(crate) fn rechain_records(records: &[Value]) -> String {
    let mut prev = Value::Null;
    let mut last_origin = Value::Null;
    let mut text = String::new();
    for (seq, record) in records.iter().enumerate() {
        let mut fields = record.as_object().unwrap().clone();
        let mut ordered = serde_json::Map::new();
        (fields["seq"], fields["prev"]) = (json!(seq), prev);
        for name in ["seq", "at_ms", "prev", "origin", "blobs"] {
            if let Some(value) = fields.shift_remove(name)
                && (name != "origin" || value != last_origin)
            {
                if name == "origin" {
                    last_origin = value.clone();
                }
                ordered.insert(name.to_owned(), value);
            }
        }
        ordered.extend(fields);
        let mut record = Value::from(ordered);
        if record["kind"] == "closed" {
            record["records"] = json!(seq);
            record.as_object_mut().unwrap().shift_remove("digest");
            record["digest"] = json!(line_digest(&record.to_string()));
        }
        let line = record.to_string();
        prev = Value::String(line_digest(&line));
        text += &(line + "\n");
    }
    text
}

pub(crate) fn line_digest(line: &str) -> String {
    Sha256::digest(line).iter().map(|byte| format!("{byte:02x}")).collect()
}

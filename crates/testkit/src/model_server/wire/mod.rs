//! Replies in each provider's format: as the events of a stream, or as one body.

mod chat;
mod generate;
mod messages;
mod responses;

use serde_json::{Value, json};

use super::ScriptedReply;

/// A provider's wire format.
pub(super) struct WireFormat {
    /// A reply as the events of a stream.
    pub(super) to_events: fn(&ScriptedReply) -> Vec<String>,
    /// A reply as one body, for callers that do not ask for a stream.
    pub(super) to_body: fn(&ScriptedReply) -> Value,
    /// An error event in the middle of a stream.
    to_error: fn(&Value) -> String,
    /// Whether a path belongs to this format.
    matches_path: fn(&str) -> bool,
}

/// The formats. The first is used for unknown paths.
const FORMATS: &[&WireFormat] = &[&chat::FORMAT, &messages::FORMAT, &generate::FORMAT, &responses::FORMAT];

impl WireFormat {
    /// The format of a path, which may have a query.
    pub(super) fn from_path(path: &str) -> Option<&'static Self> {
        let path = path.split('?').next().unwrap_or_default();
        FORMATS.iter().copied().find(|format| (format.matches_path)(path))
    }

    /// The format of a path; the chat format for an unknown one.
    pub(super) fn from_path_or_chat(path: &str) -> &'static Self {
        Self::from_path(path).unwrap_or(&chat::FORMAT)
    }

    /// An error event of a type, such as `overloaded_error`, in the middle of a stream.
    pub(super) fn error_event(&self, kind: &str) -> String {
        (self.to_error)(&json!({"type": "error", "error": {"type": kind, "message": "that is all"}}))
    }
}

fn data_event(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn named_event(name: &str, event: &Value) -> String {
    format!("event: {name}\ndata: {event}\n\n")
}

/// An event whose name is also its `type`.
fn typed_event(name: &str, mut body: Value) -> String {
    if let Value::Object(fields) = &mut body {
        fields.insert(String::from("type"), json!(name));
    }
    named_event(name, &body)
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// A text split in its middle.
fn split_halves(text: &str) -> [&str; 2] {
    let middle = (text.len() / 2..text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(text.len());
    let (first, second) = text.split_at(middle);
    [first, second]
}

/// The arguments of a call as an object.
fn parse_arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!({}))
}

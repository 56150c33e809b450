//! Encodes and decodes the fields of each record kind.

use std::borrow::Cow;
use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::record::{HostRecord, NoteRecord, RecordBody};

/// The fields of a body as JSON text, before anything is packed or moved to blobs.
pub(crate) fn encode_fields(body: &RecordBody<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(128);
    push_fields(&mut text, body)?;
    Ok(text)
}

/// Appends the fields of a body, as [`encode_fields`] encodes them.
pub(crate) fn push_fields(text: &mut Vec<u8>, body: &RecordBody<'_>) -> Result<(), serde_json::Error> {
    #[derive(Serialize)]
    struct NoteData<'a> {
        data: &'a Value,
    }
    match body {
        RecordBody::Header(header) => serde_json::to_writer(text, header),
        RecordBody::Hooks(loaded) => serde_json::to_writer(text, loaded),
        RecordBody::Event(fired) => serde_json::to_writer(text, fired),
        RecordBody::MatcherFailed(passed) | RecordBody::NotCalled(passed) => serde_json::to_writer(text, passed),
        RecordBody::HookCall(asked) => serde_json::to_writer(text, asked),
        RecordBody::Effect(effected) => serde_json::to_writer(text, effected),
        RecordBody::HookReturned(answered) => serde_json::to_writer(text, answered),
        RecordBody::HookVetoed(vetoed) => serde_json::to_writer(text, vetoed),
        RecordBody::Warning(warned) => serde_json::to_writer(text, warned),
        RecordBody::Approval(resolved) => serde_json::to_writer(text, resolved),
        RecordBody::Outcome(decided) => serde_json::to_writer(text, decided),
        RecordBody::Host(HostRecord::Session(session) | HostRecord::Resumed(session)) => {
            serde_json::to_writer(text, session)
        }
        RecordBody::Host(HostRecord::UserMessage(said)) => serde_json::to_writer(text, said),
        RecordBody::Host(HostRecord::ModelRequest(request)) => serde_json::to_writer(text, request),
        RecordBody::Host(HostRecord::ModelReply(reply)) => serde_json::to_writer(text, reply),
        RecordBody::Host(HostRecord::ToolCall(call)) => serde_json::to_writer(text, call),
        RecordBody::Host(HostRecord::ToolResult(result)) => serde_json::to_writer(text, result),
        RecordBody::Host(HostRecord::Message(message)) => serde_json::to_writer(text, message),
        RecordBody::Host(HostRecord::Messages(messages)) => serde_json::to_writer(text, messages),
        RecordBody::Host(HostRecord::Reminder(reminded)) => serde_json::to_writer(text, reminded),
        RecordBody::Host(HostRecord::Turn(turn)) => serde_json::to_writer(text, turn),
        RecordBody::Blob(blob) => serde_json::to_writer(text, blob),
        RecordBody::Healed(healed) => serde_json::to_writer(text, healed),
        RecordBody::Closed(closed) => serde_json::to_writer(text, closed),
        RecordBody::Note(note) => serde_json::to_writer(text, &NoteData { data: &note.data }),
        RecordBody::Unknown { fields, .. } => serde_json::to_writer(text, fields),
    }
}

trait FieldSource {
    /// Deserializes the fields of one kind.
    fn deserialize_fields<T: DeserializeOwned>(self) -> Result<T, serde_json::Error>;
}

impl FieldSource for &str {
    fn deserialize_fields<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self)
    }
}

impl FieldSource for Map<String, Value> {
    fn deserialize_fields<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_value(Value::Object(self))
    }
}

/// Parses the fields of a kind that has its own type. Returns them unchanged for any other kind.
fn parse_kind<F: FieldSource>(kind: &str, fields: F) -> Result<Result<RecordBody<'static>, serde_json::Error>, F> {
    let host = |record: Result<HostRecord<'static>, serde_json::Error>| record.map(RecordBody::Host);
    Ok(match kind {
        "header" => fields.deserialize_fields().map(RecordBody::Header),
        "hooks" => fields.deserialize_fields().map(RecordBody::Hooks),
        "event" => fields.deserialize_fields().map(RecordBody::Event),
        "unmatched" => fields.deserialize_fields().map(RecordBody::MatcherFailed),
        "unasked" => fields.deserialize_fields().map(RecordBody::NotCalled),
        "hook_call" => fields.deserialize_fields().map(RecordBody::HookCall),
        "effect" => fields.deserialize_fields().map(RecordBody::Effect),
        "hook_returned" => fields.deserialize_fields().map(RecordBody::HookReturned),
        "hook_vetoed" => fields.deserialize_fields().map(RecordBody::HookVetoed),
        "warning" => fields.deserialize_fields().map(RecordBody::Warning),
        "approval" => fields.deserialize_fields().map(RecordBody::Approval),
        "outcome" => fields.deserialize_fields().map(RecordBody::Outcome),
        "session" => host(fields.deserialize_fields().map(HostRecord::Session)),
        "resumed" => host(fields.deserialize_fields().map(HostRecord::Resumed)),
        "said" => host(fields.deserialize_fields().map(HostRecord::UserMessage)),
        "model_request" => host(fields.deserialize_fields().map(HostRecord::ModelRequest)),
        "model_reply" => host(fields.deserialize_fields().map(HostRecord::ModelReply)),
        "tool_call" => host(fields.deserialize_fields().map(HostRecord::ToolCall)),
        "tool_result" => host(fields.deserialize_fields().map(HostRecord::ToolResult)),
        "message" => host(fields.deserialize_fields().map(HostRecord::Message)),
        "messages" => host(fields.deserialize_fields().map(HostRecord::Messages)),
        "reminder" => host(fields.deserialize_fields().map(HostRecord::Reminder)),
        "turn" => host(fields.deserialize_fields().map(HostRecord::Turn)),
        "blob" => fields.deserialize_fields().map(RecordBody::Blob),
        "healed" => fields.deserialize_fields().map(RecordBody::Healed),
        "closed" => fields.deserialize_fields().map(RecordBody::Closed),
        _ => return Err(fields),
    })
}

/// Parses the text after the kind in a line straight into a body. Returns `None` if that needs the general path, as for
/// notes, packed fields and errors.
pub(crate) fn parse_typed(kind: &str, rest: &[u8]) -> Option<RecordBody<'static>> {
    thread_local! {
        static OBJECT: RefCell<String> = const { RefCell::new(String::new()) };
    }
    let rest = std::str::from_utf8(rest).ok()?;
    OBJECT.with_borrow_mut(|object| {
        object.clear();
        object.push('{');
        object.push_str(rest.strip_prefix(',').unwrap_or(rest));
        parse_kind(kind, object.as_str()).ok()?.ok()
    })
}

/// Parses the fields of a record, packed or not.
pub(crate) fn from_fields(kind: &str, mut fields: Map<String, Value>) -> Result<RecordBody<'static>, String> {
    if let Some(Value::String(text)) = fields.get("packed") {
        match serde_json::from_str(text) {
            Ok(Value::Object(unpacked)) => fields = unpacked,
            // Too deep to be parsed here too: the text is kept, so nothing is lost.
            Err(error) if error.is_syntax() => return Ok(RecordBody::Unknown { kind: kind.to_owned(), fields }),
            _ => return Err(String::from("`packed` must be the text of a JSON object")),
        }
    }
    match parse_kind(kind, fields) {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) => Err(format!("invalid `{kind}` record: {error}")),
        Err(fields) => Ok(match take_note_data(fields) {
            Ok(data) => RecordBody::Note(NoteRecord { kind: Cow::Owned(kind.to_owned()), data: Cow::Owned(data) }),
            Err(fields) => RecordBody::Unknown { kind: kind.to_owned(), fields },
        }),
    }
}

/// The `data` of a note: a record of an unknown kind with only this field.
fn take_note_data(mut fields: Map<String, Value>) -> Result<Value, Map<String, Value>> {
    match fields.len() {
        1 => fields.shift_remove("data").ok_or(fields),
        _ => Err(fields),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RESERVED;

    #[test]
    fn every_kind_with_a_meaning_of_its_own_has_a_type() {
        // The last one is shown to observers instead of a record.
        let (shown, kinds) = RESERVED.split_last().unwrap();
        assert_eq!(*shown, "redacted");
        for kind in kinds {
            assert!(parse_kind(kind, "{}").is_ok(), "{kind}");
        }
        assert!(parse_kind("remark", "{}").is_err());
    }
}

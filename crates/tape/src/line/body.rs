//! The fields of each kind.

use std::borrow::Cow;
use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::record::{Body, HostRecord, Noted};

/// The fields of a body as JSON text, before anything in it is packed or kept elsewhere.
pub(crate) fn fields(body: &Body<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(128);
    push_fields(&mut text, body)?;
    Ok(text)
}

/// Appends the fields of a body as [`fields`] gives them.
pub(crate) fn push_fields(text: &mut Vec<u8>, body: &Body<'_>) -> Result<(), serde_json::Error> {
    #[derive(Serialize)]
    struct Data<'a> {
        data: &'a Value,
    }
    match body {
        Body::Header(header) => serde_json::to_writer(text, header),
        Body::Hooks(loaded) => serde_json::to_writer(text, loaded),
        Body::Event(fired) => serde_json::to_writer(text, fired),
        Body::Unmatched(passed) | Body::Unasked(passed) => serde_json::to_writer(text, passed),
        Body::HookCall(asked) => serde_json::to_writer(text, asked),
        Body::Effect(effected) => serde_json::to_writer(text, effected),
        Body::HookReturned(answered) => serde_json::to_writer(text, answered),
        Body::HookVetoed(vetoed) => serde_json::to_writer(text, vetoed),
        Body::Warning(warned) => serde_json::to_writer(text, warned),
        Body::Approval(resolved) => serde_json::to_writer(text, resolved),
        Body::Outcome(decided) => serde_json::to_writer(text, decided),
        Body::Host(HostRecord::Session(session) | HostRecord::Resumed(session)) => serde_json::to_writer(text, session),
        Body::Host(HostRecord::Said(said)) => serde_json::to_writer(text, said),
        Body::Host(HostRecord::ModelRequest(request)) => serde_json::to_writer(text, request),
        Body::Host(HostRecord::ModelReply(reply)) => serde_json::to_writer(text, reply),
        Body::Host(HostRecord::ToolCall(call)) => serde_json::to_writer(text, call),
        Body::Host(HostRecord::ToolResult(result)) => serde_json::to_writer(text, result),
        Body::Host(HostRecord::Message(message)) => serde_json::to_writer(text, message),
        Body::Host(HostRecord::Messages(messages)) => serde_json::to_writer(text, messages),
        Body::Host(HostRecord::Reminder(reminded)) => serde_json::to_writer(text, reminded),
        Body::Host(HostRecord::Turn(turn)) => serde_json::to_writer(text, turn),
        Body::Blob(blob) => serde_json::to_writer(text, blob),
        Body::Healed(healed) => serde_json::to_writer(text, healed),
        Body::Closed(closed) => serde_json::to_writer(text, closed),
        Body::Note(note) => serde_json::to_writer(text, &Data { data: &note.data }),
        Body::Unknown { fields, .. } => serde_json::to_writer(text, fields),
    }
}

/// Where the fields of a record come from.
trait Fields {
    /// Reads them as those of one kind.
    fn read<T: DeserializeOwned>(self) -> Result<T, serde_json::Error>;
}

impl Fields for &str {
    fn read<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self)
    }
}

impl Fields for Map<String, Value> {
    fn read<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_value(Value::Object(self))
    }
}

/// Reads fields as those of a kind that has a type of its own; gives them back for any other.
fn of_kind<F: Fields>(kind: &str, fields: F) -> Result<Result<Body<'static>, serde_json::Error>, F> {
    let host = |record: Result<HostRecord<'static>, serde_json::Error>| record.map(Body::Host);
    Ok(match kind {
        "header" => fields.read().map(Body::Header),
        "hooks" => fields.read().map(Body::Hooks),
        "event" => fields.read().map(Body::Event),
        "unmatched" => fields.read().map(Body::Unmatched),
        "unasked" => fields.read().map(Body::Unasked),
        "hook_call" => fields.read().map(Body::HookCall),
        "effect" => fields.read().map(Body::Effect),
        "hook_returned" => fields.read().map(Body::HookReturned),
        "hook_vetoed" => fields.read().map(Body::HookVetoed),
        "warning" => fields.read().map(Body::Warning),
        "approval" => fields.read().map(Body::Approval),
        "outcome" => fields.read().map(Body::Outcome),
        "session" => host(fields.read().map(HostRecord::Session)),
        "resumed" => host(fields.read().map(HostRecord::Resumed)),
        "said" => host(fields.read().map(HostRecord::Said)),
        "model_request" => host(fields.read().map(HostRecord::ModelRequest)),
        "model_reply" => host(fields.read().map(HostRecord::ModelReply)),
        "tool_call" => host(fields.read().map(HostRecord::ToolCall)),
        "tool_result" => host(fields.read().map(HostRecord::ToolResult)),
        "message" => host(fields.read().map(HostRecord::Message)),
        "messages" => host(fields.read().map(HostRecord::Messages)),
        "reminder" => host(fields.read().map(HostRecord::Reminder)),
        "turn" => host(fields.read().map(HostRecord::Turn)),
        "blob" => fields.read().map(Body::Blob),
        "healed" => fields.read().map(Body::Healed),
        "closed" => fields.read().map(Body::Closed),
        _ => return Err(fields),
    })
}

/// Reads the rest of a line behind its kind straight into a body; `None` where that takes the general way, such as for
/// notes and for what is packed or wrong.
pub(crate) fn typed(kind: &str, rest: &[u8]) -> Option<Body<'static>> {
    thread_local! {
        static OBJECT: RefCell<String> = const { RefCell::new(String::new()) };
    }
    let rest = std::str::from_utf8(rest).ok()?;
    OBJECT.with_borrow_mut(|object| {
        object.clear();
        object.push('{');
        object.push_str(rest.strip_prefix(',').unwrap_or(rest));
        of_kind(kind, object.as_str()).ok()?.ok()
    })
}

/// Reads the fields of a record, packed or not.
pub(crate) fn from_fields(kind: &str, mut fields: Map<String, Value>) -> Result<Body<'static>, String> {
    if let Some(Value::String(text)) = fields.get("packed") {
        match serde_json::from_str(text) {
            Ok(Value::Object(unpacked)) => fields = unpacked,
            // Too deep to be followed here too: the text is kept, and nothing is lost.
            Err(fault) if fault.is_syntax() => return Ok(Body::Unknown { kind: kind.to_owned(), fields }),
            _ => return Err(String::from("`packed` must be the text of a JSON object")),
        }
    }
    match of_kind(kind, fields) {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(fault)) => Err(format!("bad `{kind}` record: {fault}")),
        Err(fields) => Ok(match one_value(fields) {
            Ok(data) => Body::Note(Noted { kind: Cow::Owned(kind.to_owned()), data: Cow::Owned(data) }),
            Err(fields) => Body::Unknown { kind: kind.to_owned(), fields },
        }),
    }
}

/// The `data` of a note: a record of an unknown kind whose only field is that.
fn one_value(mut fields: Map<String, Value>) -> Result<Value, Map<String, Value>> {
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
        // The last one is what a follower is shown in the place of a record.
        let (shown, kinds) = RESERVED.split_last().unwrap();
        assert_eq!(*shown, "redacted");
        for kind in kinds {
            assert!(of_kind(kind, "{}").is_ok(), "{kind}");
        }
        assert!(of_kind("remark", "{}").is_err());
    }
}

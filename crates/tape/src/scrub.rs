//! Keeping secrets off the tape.

use pintle_contract::Redact;
use serde_json::{Map, Value};

use crate::record::{Body, Record};

/// What the format itself puts into a record: numbers and digests, never anything that somebody sent.
const FRAME: [&str; 4] = ["seq", "at_ms", "prev", "kind"];

/// The line and its record without the secrets in them; `None` when there are none.
///
/// Texts are looked through as they are, text that is JSON among them. The line is not taken apart unless something in it
/// looks like a secret.
pub(crate) fn line(secrets: &dyn Redact, line: &str) -> Option<(String, Record<'static>)> {
    if !secrets.suspects(line) {
        return None;
    }
    let fields: Map<String, Value> = serde_json::from_str(line).ok()?;
    let (frame, body): (Map<String, Value>, Map<String, Value>) =
        fields.into_iter().partition(|(name, _)| FRAME.contains(&name.as_str()));
    let body = secrets.redact_fields(&body)?;
    let clean = Value::Object(frame.into_iter().chain(body).collect()).to_string();
    let record = Record::from_line(clean.as_bytes()).unwrap_or_else(|_| unreadable());
    Some((clean, record))
}

/// What a follower sees of a record that means nothing without its secrets.
fn unreadable() -> Record<'static> {
    let body = Body::Unknown { kind: String::from("redacted"), fields: Map::new() };
    Record { seq: 0, at_ms: 0, prev: None, body }
}

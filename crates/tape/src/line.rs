//! One record as one line, and back.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::record::{Body, FORMAT, Noted, Record};

/// How deep a line may nest before its body is packed. JSON readers commonly stop at 128.
const DEEPEST: usize = 100;

/// SHA-256 in hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    text
}

impl Record<'_> {
    /// The record as a line of JSON, without the line's end.
    ///
    /// # Errors
    /// Never for records made of JSON values; serde's contract has the error.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let body = self.body.to_fields()?;
        let head = |text: &str| serde_json::to_string(text);
        let prev = self.prev.as_deref().map_or_else(|| Ok(String::from("null")), head)?;
        let kind = head(self.body.kind())?;
        let (seq, at_ms) = (self.seq, self.at_ms);
        let mut line = format!("{{\"seq\":{seq},\"at_ms\":{at_ms},\"prev\":{prev},\"kind\":{kind}");
        if depth(&body) > DEEPEST {
            line.push_str(",\"packed\":");
            line.push_str(&head(&body)?);
            line.push('}');
        } else {
            // The body is an object of its own: its first brace becomes the comma.
            let fields = body.strip_prefix('{').unwrap_or("}");
            if fields != "}" {
                line.push(',');
            }
            line.push_str(fields);
        }
        Ok(line)
    }

    /// Reads a line.
    ///
    /// # Errors
    /// When the line is no record, in words for people.
    pub fn from_line(line: &[u8]) -> Result<Record<'static>, String> {
        let value: Value = serde_json::from_slice(line).map_err(|fault| not_json(&fault))?;
        let Value::Object(mut fields) = value else {
            return Err(String::from("a record must be a JSON object"));
        };
        let seq = whole_number(&mut fields, "seq")?;
        let at_ms = whole_number(&mut fields, "at_ms")?;
        let prev = match fields.shift_remove("prev") {
            Some(Value::String(text)) => Some(text),
            Some(Value::Null) => None,
            _ => return Err(String::from("`prev` must be text or null")),
        };
        let Some(Value::String(kind)) = fields.shift_remove("kind") else {
            return Err(String::from("`kind` must be text"));
        };
        if let Some(Value::String(text)) = fields.get("packed") {
            match serde_json::from_str(text) {
                Ok(Value::Object(unpacked)) => fields = unpacked,
                // Too deep to be followed here too: the text is kept, and nothing is lost.
                Err(fault) if fault.is_syntax() => {
                    return Ok(Record { seq, at_ms, prev, body: Body::Unknown { kind, fields } });
                }
                _ => return Err(String::from("`packed` must be the text of a JSON object")),
            }
        }
        Ok(Record { seq, at_ms, prev, body: Body::from_fields(kind, fields)? })
    }
}

impl Body<'_> {
    fn to_fields(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Data<'a> {
            data: &'a Value,
        }
        match self {
            Self::Header(header) => serde_json::to_string(header),
            Self::Hooks(loaded) => serde_json::to_string(loaded),
            Self::Event(fired) => serde_json::to_string(fired),
            Self::Call(asked) => serde_json::to_string(asked),
            Self::Effect(effected) => serde_json::to_string(effected),
            Self::Return(answered) => serde_json::to_string(answered),
            Self::Warning(warned) => serde_json::to_string(warned),
            Self::Outcome(decided) => serde_json::to_string(decided),
            Self::Note(note) => serde_json::to_string(&Data { data: &note.data }),
            Self::Unknown { fields, .. } => serde_json::to_string(fields),
        }
    }

    fn from_fields(kind: String, fields: Map<String, Value>) -> Result<Body<'static>, String> {
        fn read<T: DeserializeOwned>(kind: &str, fields: Map<String, Value>) -> Result<T, String> {
            serde_json::from_value(Value::Object(fields)).map_err(|fault| format!("bad `{kind}` record: {fault}"))
        }
        Ok(match kind.as_str() {
            // Only its own program knows the fields of a later format.
            "header" if fields.get("format").and_then(Value::as_u64) > Some(u64::from(FORMAT)) => {
                Body::Unknown { kind, fields }
            }
            "header" => Body::Header(read(&kind, fields)?),
            "hooks" => Body::Hooks(read(&kind, fields)?),
            "event" => Body::Event(read(&kind, fields)?),
            "call" => Body::Call(read(&kind, fields)?),
            "effect" => Body::Effect(read(&kind, fields)?),
            "return" => Body::Return(read(&kind, fields)?),
            "warning" => Body::Warning(read(&kind, fields)?),
            "outcome" => Body::Outcome(read(&kind, fields)?),
            _ => match one_value(fields) {
                Ok(data) => Body::Note(Noted { kind: Cow::Owned(kind), data: Cow::Owned(data) }),
                Err(fields) => Body::Unknown { kind, fields },
            },
        })
    }
}

/// The `data` of a note: a record of an unknown kind whose only field is that.
fn one_value(mut fields: Map<String, Value>) -> Result<Value, Map<String, Value>> {
    match fields.len() {
        1 => fields.shift_remove("data").ok_or(fields),
        _ => Err(fields),
    }
}

fn whole_number(fields: &mut Map<String, Value>, name: &str) -> Result<u64, String> {
    let number = fields.shift_remove(name);
    number.as_ref().and_then(Value::as_u64).ok_or_else(|| format!("`{name}` must be a whole number"))
}

/// The text of a JSON fault without serde's `at line 1`, which would be taken for the tape's line.
fn not_json(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("not JSON: {what} (column {})", fault.column())
}

/// How deep brackets nest in JSON text.
fn depth(json: &str) -> usize {
    let (mut deepest, mut here) = (0_usize, 0_usize);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                here += 1;
                deepest = deepest.max(here);
            }
            b'}' | b']' if !in_text => here = here.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn note(data: Value) -> Record<'static> {
        let body = Body::Note(Noted { kind: Cow::Borrowed("turn"), data: Cow::Owned(data) });
        Record { seq: 1, at_ms: 2, prev: Some(String::from("ab")), body }
    }

    #[test]
    fn digests_are_hex() {
        assert_eq!(digest(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn deep_values_are_packed_and_come_back_whole_or_as_text() {
        let nested = |levels: usize| (0..levels).fold(json!(null), |inner, _| json!([inner]));
        let flat = note(nested(90));
        assert!(!flat.to_line().unwrap().contains("packed"));
        assert_eq!(Record::from_line(flat.to_line().unwrap().as_bytes()), Ok(flat));

        let deep = note(nested(120));
        let line = deep.to_line().unwrap();
        assert!(line.contains("packed"));
        assert_eq!(Record::from_line(line.as_bytes()), Ok(deep));

        let deeper = note(nested(400)).to_line().unwrap();
        let read = Record::from_line(deeper.as_bytes()).unwrap();
        assert!(matches!(read.body, Body::Unknown { .. }));
        assert_eq!(read.to_line().unwrap(), deeper);
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let cases: [(&[u8], &str); 7] = [
            (b"", "not JSON: EOF while parsing a value (column 0)"),
            (b"{\"seq\":1,", "not JSON: EOF while parsing a value (column 9)"),
            (b"3", "a record must be a JSON object"),
            (b"{\"seq\":-1}", "`seq` must be a whole number"),
            (b"{\"seq\":1,\"at_ms\":1,\"prev\":4}", "`prev` must be text or null"),
            (b"{\"seq\":1,\"at_ms\":1,\"prev\":null,\"kind\":[]}", "`kind` must be text"),
            (
                b"{\"seq\":1,\"at_ms\":1,\"prev\":null,\"kind\":\"warning\",\"hook\":[]}",
                "bad `warning` record: invalid type: sequence, expected a string",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(Record::from_line(line).unwrap_err(), expected);
        }
    }
}

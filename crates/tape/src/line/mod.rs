//! Encodes a record as one line, and decodes it.

mod body;
mod canonical;
mod head;
mod text;

use std::convert::Infallible;

use crate::blobs;
use crate::error::RecordError;
use crate::record::{Record, RecordBody};

pub(crate) use body::{
    FieldSource, PLACEHOLDER, encode_fields, encode_fields_without, encode_origin, from_fields, parse_typed, payload_of,
};
pub(crate) use canonical::is_canonical;
pub(crate) use head::{
    LineText, RecordHead, SharedFields, deserialize_raw, is_closing, make_closing_record, push_position, push_shared,
    push_tail,
};
pub(crate) use text::{
    DEEPEST, DigestBytes, digest_bytes, digest_hex, digest_parts, is_deep, json_error_text, parse_hex, string_bytes,
    value_depth,
};

impl Record<'_> {
    /// The record as a line of JSON, without the line end. It is complete: nothing in it refers to another record.
    ///
    /// # Errors
    /// Never for records made of JSON values; the error is required by serde.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let mut line = Vec::new();
        let body = pack_if_deep(encode_fields(&self.body)?)?.text;
        push_position(&mut line, self.seq, self.at_ms, self.prev.as_deref());
        push_shared(&mut line, encode_origin(&self.body)?.as_deref(), [], |_, blob: Infallible| match blob {});
        push_tail(&mut line, self.body.kind(), &body);
        String::from_utf8(line).map_err(serde::ser::Error::custom)
    }

    /// Parses a line that refers to no other one.
    ///
    /// # Errors
    /// When the line is not a record.
    pub fn from_line(line: &[u8]) -> Result<Record<'static>, RecordError> {
        Self::from_stored(&LineText::new(line), &blobs::BlobStore::default(), None).map_err(RecordError::new)
    }

    /// Parses a line of a tape. `origin` is the last one up to this line.
    pub(crate) fn from_stored(
        line: &LineText<'_>,
        blobs: &blobs::BlobStore<'_>,
        origin: Option<&str>,
    ) -> Result<Record<'static>, String> {
        Self::from_stored_with(line, blobs, origin, /*is_abridged*/ false).map(|(record, _)| record)
    }

    /// Parses a line of a tape. In an abridged record, the messages of a long request stay a reference. Returns whether
    /// there are any.
    pub(crate) fn from_stored_with(
        line: &LineText<'_>,
        blobs: &blobs::BlobStore<'_>,
        origin: Option<&str>,
        is_abridged: bool,
    ) -> Result<(Record<'static>, bool), String> {
        if let Some((head, rest)) = &line.canonical
            && !blobs::may_contain_reference(rest)
            && let Some(body) = parse_typed(head.kind, rest, head.origin.or(origin))
        {
            return Ok((head.to_record(body), false));
        }
        let (head, mut fields) = line.parse_fields()?;
        let messages = if is_abridged { blobs.take_messages(&head.kind, &mut fields) } else { None };
        let mut fields = blobs.resolve_fields(fields)?;
        let has_reference = messages.is_some();
        if let Some(messages) = messages {
            let payload = fields.iter_mut().find(|(name, _)| matches!(name.as_str(), "payload" | "value"));
            if let Some(place) = payload.and_then(|(_, payload)| payload.get_mut("messages")) {
                *place = messages;
            }
        }
        let body = from_fields(&head.kind, fields, head.origin.as_deref().or(origin))?;
        Ok((Record { seq: head.seq, at_ms: head.at_ms, prev: head.prev, body }, has_reference))
    }
}

/// The fields of a record as JSON text, in the form in which they are written.
pub(crate) struct PackedFields {
    pub(crate) text: Vec<u8>,
    /// Whether they were nested too deep, so that the text has one field, `packed`.
    pub(crate) is_packed: bool,
}

/// Packs fields that are nested deeper than JSON readers allow.
pub(crate) fn pack_if_deep(text: Vec<u8>) -> Result<PackedFields, serde_json::Error> {
    if !is_deep(&text, 0) {
        return Ok(PackedFields { text, is_packed: false });
    }
    let whole = std::str::from_utf8(&text).map_err(serde::ser::Error::custom)?;
    let mut packed = b"{\"packed\":".to_vec();
    serde_json::to_writer(&mut packed, whole)?;
    packed.push(b'}');
    Ok(PackedFields { text: packed, is_packed: true })
}

/// Parses fields in their written form that refer to no blob.
pub(crate) fn parse_body(kind: &str, fields: &[u8], origin: Option<&str>) -> Result<RecordBody<'static>, String> {
    let fields = serde_json::from_slice(fields).map_err(|error| json_error_text(&error))?;
    from_fields(kind, fields, origin)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::{Value, json};

    use super::*;
    use crate::record::NoteRecord;

    fn note(data: Value) -> Record<'static> {
        let body = RecordBody::Note(NoteRecord { kind: Cow::Borrowed("remark"), data: Cow::Owned(data) });
        Record { seq: 1, at_ms: 2, prev: Some(String::from("ab")), body }
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
        assert!(matches!(read.body, RecordBody::Unknown { .. }));
        assert_eq!(read.to_line().unwrap(), deeper);
    }

    #[test]
    fn other_spellings_of_a_line_are_read_too() {
        let canonical = note(json!({"a": [1.5, "\u{fc}"]}));
        let line = canonical.to_line().unwrap();
        let others = [
            line.replace("\"seq\":1", "\"seq\": 1"),
            line.replace("\u{fc}", "\\u00fc"),
            line.replace("remark", "\\u0072emark"),
            String::from(r#"{"data":{"a":[1.5,"ü"]},"kind":"remark","prev":"ab","at_ms":2,"seq":1}"#),
        ];
        for other in others {
            assert_eq!(Record::from_line(other.as_bytes()).as_ref(), Ok(&canonical), "{other}");
        }
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let cases: [(&[u8], &str); 8] = [
            (b"", "not JSON: EOF while parsing a value (column 0)"),
            (b"{\"seq\":1,", "not JSON: EOF while parsing a value (column 9)"),
            (b"3", "a record must be a JSON object"),
            (b"{\"seq\":-1}", "`seq` must be a non-negative integer"),
            (b"{\"seq\":1,\"at_ms\":1,\"prev\":4}", "`prev` must be a string or null"),
            (b"{\"seq\":1,\"at_ms\":1,\"prev\":null,\"kind\":[]}", "`kind` must be a string"),
            (
                b"{\"seq\":1,\"at_ms\":1,\"prev\":null,\"kind\":\"warning\",\"hook\":[]}",
                "invalid `warning` record: invalid type: sequence, expected a string",
            ),
            (
                b"{\"seq\":1,\"at_ms\":1,\"prev\":null,\"kind\":\"warning\",\"hook\":\"h\",\"message\":\"m\",\"x\":1}",
                "invalid `warning` record: unknown field `x`, expected one of `dispatch`, `hook`, `message`",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(Record::from_line(line).unwrap_err().to_string(), expected);
        }
    }
}

//! Records without the values that a replay copies unchanged.
//!
//! Most of a tape is values that the engine does not read: conversations, tool results, payloads that no hook rewrote.
//! Replay only checks that such a value has the writer's encoding, which its text shows without parsing. It parses and
//! encodes the rest of the record as usual, with a short placeholder for the value.

use crate::blobs::{BlobStore, FieldScanner, JsonKind};
use crate::record::{CopiedValue, copied_fields};

impl CopiedValue {
    /// The placeholder for a value of this kind; `None` if the field may not hold such a value.
    fn placeholder_for(self, kind: JsonKind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Any, _) => Some("0"),
            (Self::Text, JsonKind::Text) => Some("\"\""),
            (Self::List, JsonKind::List) => Some("[]"),
            (Self::Text | Self::List, _) => None,
        }
    }
}

/// The text after the kind, with placeholders for the values that need not be parsed. `None` if the kind has no such
/// fields, or if a value does not have the writer's encoding.
pub(super) fn without_values(kind: &str, rest: &str, blobs: &BlobStore<'_>) -> Option<String> {
    let copied = copied_fields(kind);
    if copied.is_empty() {
        return None;
    }
    let mut scan = FieldScanner::new(blobs, rest);
    let mut short = String::with_capacity(rest.len().min(256));
    while !scan.consume(b'}') {
        let start = scan.index();
        scan.consume(b',').then_some(())?;
        let name = scan.scan_name()?;
        scan.consume(b':').then_some(())?;
        let value = scan.index();
        let found = scan.scan_field()?;
        match copied.iter().find(|(field, _)| *field == name) {
            Some((_, allowed)) => {
                short.push_str(rest.get(start..value)?);
                short.push_str(allowed.placeholder_for(found)?);
            }
            None => short.push_str(rest.get(start..scan.index())?),
        }
    }
    short.push('}');
    (scan.index() == rest.len()).then_some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_values_are_replaced_and_the_rest_is_kept() {
        let cases = [
            ("message", r#","origin":{"a":1},"message":{"role":"user"}}"#, Some(r#","origin":{"a":1},"message":0}"#)),
            (
                "messages",
                r#","replaced_by":"clear","messages":[1,{}]}"#,
                Some(r#","replaced_by":"clear","messages":[]}"#),
            ),
            ("tool_result", r#","content":"x","is_error":false}"#, Some(r#","content":"","is_error":false}"#)),
            ("turn", r#","phase":"start"}"#, Some(r#","phase":"start"}"#)),
            ("user_message", r#","text":1}"#, None),
            ("messages", r#","messages":{}}"#, None),
            ("message", r#","message": 1}"#, None),
            ("message", r#","message":1} "#, None),
            ("message", r#","message":1"#, None),
            ("hook_returned", r#","verdict":{"kind":"pass"}}"#, None),
        ];
        for (kind, rest, expected) in cases {
            assert_eq!(without_values(kind, rest, &BlobStore::default()).as_deref(), expected, "{kind}: {rest}");
        }
    }
}

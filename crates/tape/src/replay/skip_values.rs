//! Records without the values that a replay takes over as they are.
//!
//! Most of a tape are values that the engine does not look at: conversations, results of tools, payloads that no hook
//! rewrote. Of such a value only one thing matters, that it stands as the writer writes it, and that is told from its
//! text. The rest of the record, in which something short stands for the value, is read and spelled as ever.

use crate::blobs::{BlobShapes, FieldScanner, JsonKind};

/// What a field may hold that need not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SkippableValue {
    /// Any value at all.
    Any,
    /// A text.
    Text,
    /// A list of any values.
    List,
}

impl SkippableValue {
    /// What stands for a value of this kind; `None` where it may not stand there.
    fn placeholder_for(self, kind: JsonKind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Any, _) => Some("0"),
            (Self::Text, JsonKind::Text) => Some("\"\""),
            (Self::List, JsonKind::List) => Some("[]"),
            (Self::Text | Self::List, _) => None,
        }
    }
}

/// The fields of a kind of record that need not be read.
fn skippable_fields(kind: &str) -> &'static [(&'static str, SkippableValue)] {
    match kind {
        "event" | "model_request" => &[("payload", SkippableValue::Any)],
        "hook_call" | "outcome" => &[("value", SkippableValue::Any)],
        "message" => &[("message", SkippableValue::Any)],
        "messages" => &[("messages", SkippableValue::List)],
        "model_reply" => &[("reply", SkippableValue::Any)],
        "said" => &[("text", SkippableValue::Text)],
        "session" | "resumed" => &[("opened", SkippableValue::Any)],
        "tool_call" => &[("args", SkippableValue::Any)],
        "tool_result" => &[("content", SkippableValue::Text), ("result", SkippableValue::Any)],
        "turn" => &[("usage", SkippableValue::Any)],
        _ => &[],
    }
}

/// What follows the kind in a line, without the values that need not be read; `None` where all have to be, or one does not
/// stand as the writer writes it.
pub(super) fn without_values(kind: &str, rest: &str, shapes: &BlobShapes<'_>) -> Option<String> {
    let unread = skippable_fields(kind);
    if unread.is_empty() {
        return None;
    }
    let mut scan = FieldScanner::new(shapes, rest);
    let mut bare = String::with_capacity(rest.len().min(256));
    while !scan.consume(b'}') {
        let start = scan.index();
        scan.consume(b',').then_some(())?;
        let name = scan.scan_name()?;
        scan.consume(b':').then_some(())?;
        let value = scan.index();
        let found = scan.scan_field()?;
        match unread.iter().find(|(field, _)| *field == name) {
            Some((_, holds)) => {
                bare.push_str(rest.get(start..value)?);
                bare.push_str(holds.placeholder_for(found)?);
            }
            None => bare.push_str(rest.get(start..scan.index())?),
        }
    }
    bare.push('}');
    (scan.index() == rest.len()).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_need_not_be_read_is_left_out_and_the_rest_stays() {
        let cases = [
            ("message", r#","origin":{"a":1},"message":{"role":"user"}}"#, Some(r#","origin":{"a":1},"message":0}"#)),
            ("messages", r#","why":"clear","messages":[1,{}]}"#, Some(r#","why":"clear","messages":[]}"#)),
            ("tool_result", r#","content":"x","is_error":false}"#, Some(r#","content":"","is_error":false}"#)),
            ("turn", r#","stage":"start"}"#, Some(r#","stage":"start"}"#)),
            ("said", r#","text":1}"#, None),
            ("messages", r#","messages":{}}"#, None),
            ("message", r#","message": 1}"#, None),
            ("message", r#","message":1} "#, None),
            ("message", r#","message":1"#, None),
            ("hook_returned", r#","said":{"verdict":"pass"}}"#, None),
        ];
        for (kind, rest, expected) in cases {
            assert_eq!(without_values(kind, rest, &BlobShapes::default()).as_deref(), expected, "{kind}: {rest}");
        }
    }
}

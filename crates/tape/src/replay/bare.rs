//! Records without the values that a replay takes over as they are.
//!
//! Most of a tape are values that the engine does not look at: conversations, results of tools, payloads that no hook
//! rewrote. Of such a value only one thing matters, that it stands as the writer writes it, and that is told from its
//! text. The rest of the record, in which something short stands for the value, is read and spelled as ever.

use crate::blobs::{Kind, Scan, Shapes};

/// What a field may hold that need not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Any value at all.
    Any,
    /// A text.
    Text,
    /// A list of any values.
    List,
}

impl Holds {
    /// What stands for a value of this kind; `None` where it may not stand there.
    fn instead(self, kind: Kind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Any, _) => Some("0"),
            (Self::Text, Kind::Text) => Some("\"\""),
            (Self::List, Kind::List) => Some("[]"),
            (Self::Text | Self::List, _) => None,
        }
    }
}

/// The fields of a kind of record that need not be read.
fn unread(kind: &str) -> &'static [(&'static str, Holds)] {
    match kind {
        "event" | "model_request" => &[("payload", Holds::Any)],
        "hook_call" | "outcome" => &[("value", Holds::Any)],
        "message" => &[("message", Holds::Any)],
        "messages" => &[("messages", Holds::List)],
        "model_reply" => &[("reply", Holds::Any)],
        "said" => &[("text", Holds::Text)],
        "session" | "resumed" => &[("opened", Holds::Any)],
        "tool_call" => &[("args", Holds::Any)],
        "tool_result" => &[("content", Holds::Text), ("result", Holds::Any)],
        "turn" => &[("usage", Holds::Any)],
        _ => &[],
    }
}

/// What follows the kind in a line, without the values that need not be read; `None` where all have to be, or one does not
/// stand as the writer writes it.
pub(super) fn without_values(kind: &str, rest: &str, shapes: &Shapes<'_>) -> Option<String> {
    let unread = unread(kind);
    if unread.is_empty() {
        return None;
    }
    let mut scan = Scan::new(shapes, rest);
    let mut bare = String::with_capacity(rest.len().min(256));
    while !scan.eat(b'}') {
        let start = scan.at();
        scan.eat(b',').then_some(())?;
        let name = scan.name()?;
        scan.eat(b':').then_some(())?;
        let value = scan.at();
        let found = scan.field()?;
        match unread.iter().find(|(field, _)| *field == name) {
            Some((_, holds)) => {
                bare.push_str(rest.get(start..value)?);
                bare.push_str(holds.instead(found)?);
            }
            None => bare.push_str(rest.get(start..scan.at())?),
        }
    }
    bare.push('}');
    (scan.at() == rest.len()).then_some(bare)
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
            assert_eq!(without_values(kind, rest, &Shapes::default()).as_deref(), expected, "{kind}: {rest}");
        }
    }
}

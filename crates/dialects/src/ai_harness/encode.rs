//! Encodes events for the hooks of this dialect.

use pintle_contract::{Event, EventKind};
use serde_json::Value;

/// The payload that a hook receives, if it differs from the canonical one.
///
/// The canonical payloads of the documented events already contain both the documented and the fired event aliases, so
/// nothing is copied during dispatch. The only difference: session events have no payload in this dialect.
pub(super) fn encode(event: &Event) -> Option<Value> {
    match event.name.kind() {
        EventKind::SessionStart | EventKind::SessionEnd => Some(Value::Null),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::event::CATALOGUE;
    use pintle_contract::{EventName, Origin};

    use super::*;

    #[test]
    fn sessions_have_no_payload_and_nothing_else_is_copied() {
        for def in CATALOGUE {
            let name = def.family().map_or(def.name.to_owned(), |prefix| format!("{prefix}x"));
            let event = Event::new(EventName::parse(&name).unwrap(), def.example(), Arc::new(Origin::default()));
            let wanted = ["session.start", "session.end"].contains(&def.name).then_some(Value::Null);
            assert_eq!(encode(&event), wanted, "{name}");
        }
    }

    /// Every key that the reference or its implementation names, in the catalogue's example payload.
    #[test]
    fn payloads_hold_the_documented_and_the_fired_spellings() {
        for (name, pointers) in [
            ("tool.pre", &["/id", "/name", "/arguments", "/args/command"][..]),
            ("tool.post", &["/call_id", "/name", "/content", "/is_error", "/result/stdout"]),
            (
                "turn.end",
                &[
                    "/text",
                    "/Response",
                    "/tool_calls/0/name",
                    "/tool_calls/0/args",
                    "/ToolCalls/0/arguments",
                    "/ToolResults/0/content",
                    "/usage/input_tokens",
                    "/usage/output_tokens",
                    "/Usage/prompt_tokens",
                    "/Usage/completion_tokens",
                    "/Usage/total_tokens",
                    "/logs",
                ],
            ),
            ("completion.pre", &["/model", "/messages", "/tools"]),
            ("completion.post", &["/choices", "/usage/prompt_tokens", "/usage/input_tokens", "/finish_reason"]),
            ("delegation.pre", &["/agent", "/prompt", "/task", "/depth"]),
            ("delegation.post", &["/agent", "/result", "/response", "/depth"]),
            ("delegation.post_verify", &["/agent", "/result", "/response", "/depth", "/attempt"]),
            ("agent.stop", &["/response", "/finish_reason", "/iteration", "/Response", "/Usage"]),
        ] {
            let def = CATALOGUE.iter().find(|def| def.name == name).unwrap();
            let example = def.example();
            for pointer in pointers {
                assert!(example.pointer(pointer).is_some(), "{name}{pointer}");
            }
        }
        let turn = CATALOGUE.iter().find(|def| def.name == "turn.start").unwrap();
        assert!(turn.example().is_string());
    }
}

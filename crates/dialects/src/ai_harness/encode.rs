//! Encodes events for the hooks of this dialect.

use pintle_contract::{Event, EventKind};
use serde_json::Value;

/// The payload that a hook receives, if it differs from the canonical one.
///
/// Session events have no payload in this dialect. Events whose fields have other names here, such as `Response`, get
/// both: scripts use the documented names or those of the reference's implementation.
pub(super) fn encode(event: &Event) -> Option<Value> {
    if matches!(event.name.kind(), EventKind::SessionStart | EventKind::SessionEnd) {
        return Some(Value::Null);
    }
    let aliases = event.name.def().aliases;
    let mut fields = event.payload.value().as_object().filter(|_| !aliases.is_empty())?.clone();
    for (name, alias) in aliases {
        if let Some(value) = fields.get(*name).cloned() {
            fields.insert((*alias).to_owned(), value);
        }
    }
    Some(Value::Object(fields))
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
            if def.aliases.is_empty() {
                let wanted = ["session.start", "session.end"].contains(&def.name).then_some(Value::Null);
                assert_eq!(encode(&event), wanted, "{name}");
            }
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
            let event = Event::new(EventName::parse(name).unwrap(), def.example(), Arc::new(Origin::default()));
            let encoded = encode(&event).unwrap_or_else(|| def.example());
            for pointer in pointers {
                assert!(encoded.pointer(pointer).is_some(), "{name}{pointer}");
            }
        }
        let turn = CATALOGUE.iter().find(|def| def.name == "turn.start").unwrap();
        assert!(turn.example().is_string());
    }
}

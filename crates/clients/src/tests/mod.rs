//! What hook output means, and what matchers match.

mod answers;
mod wanted;

use std::sync::Arc;

use pintle_contract::{Event, EventKind, Origin};
use pintle_tools::{HookVocabulary, VOCABULARIES, heard_events};
use serde_json::json;

use crate::host::{HostEvent, HostEventData};
use crate::{CLIENTS, ClientEventDef};

/// An event as hooks of a client hear it.
fn heard_event(def: &ClientEventDef, event: &Event) -> Event {
    heard_events(event, &HookVocabulary::Fixed(def.style.tools)).remove(0)
}

#[test]
fn every_client_has_a_vocabulary_of_the_list_and_one_row_an_event() {
    for client in CLIENTS {
        assert!(VOCABULARIES.iter().any(|words| words.name == client.tools.name), "{}", client.name);
        for def in client.events {
            assert_eq!(client.events.iter().filter(|other| other.name == def.name).count(), 1, "{}", def.name);
            assert!(
                def.canonical.is_some() || def.fired_events().next().is_some(),
                "{} {} is no event",
                client.name,
                def.name
            );
        }
    }
}

#[test]
fn the_payload_of_a_call_reads_back_as_that_call() {
    for client in CLIENTS {
        let def = client.call_event().unwrap();
        let words = def.tools.unwrap_or(client.tools);
        for (tool, args) in [("shell", json!({"command": "ls -la"})), ("read", json!({"path": "a.txt"}))] {
            let call = words.to_native(tool, &args);
            let origin = Origin { session: String::from("s"), cwd: String::from("/project"), ..Origin::default() };
            let fields = json!({"id": "call_1", "name": call.name, "args": call.input, "arguments": ""});
            let payload = def.call_payload(&Event::new(EventKind::ToolPre, fields, Arc::new(origin)));
            let HostEvent { context, data: HostEventData::BeforeTool(read) } = def.read(&payload).unwrap() else {
                panic!("{}: {payload}", client.name);
            };
            assert_eq!((context.session.as_str(), context.cwd.as_str()), ("s", "/project"), "{}", client.name);
            assert_eq!(words.to_canonical(&read.name, &read.input)[0].name, tool, "{}: {payload}", client.name);
            assert_eq!(words.to_canonical(&read.name, &read.input)[0].args, args, "{}: {payload}", client.name);
        }
    }
}

//! What hook output means, and what matchers match.

mod answers;
mod wanted;

use std::sync::Arc;

use pintle_contract::{Event, EventName, Origin};
use pintle_tools::{HookVocabulary, VOCABULARIES, heard_events};
use serde_json::Value;

use crate::{CLIENTS, ClientEventDef};

/// The event of a catalogue definition.
fn example_event(name: &str, payload: Value) -> Event {
    let origin = Origin {
        session: String::from("s1"),
        turn: 2,
        agent: String::from("root"),
        cwd: String::from("/home/dev/project"),
        ..Origin::default()
    };
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(origin))
}

/// An event as hooks of a client hear it.
fn heard_event(def: &ClientEventDef, event: &Event) -> Event {
    heard_events(event, &HookVocabulary::Fixed(def.style.tools)).remove(0)
}

/// A directory of cases below this one.
fn read_cases(dir: &str, ending: &str) -> Vec<(String, String)> {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests").join(dir);
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    let read = |path: &std::path::PathBuf| {
        (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}

#[test]
fn every_client_has_a_vocabulary_of_the_list_and_one_row_an_event() {
    for client in CLIENTS {
        assert!(VOCABULARIES.iter().any(|words| words.name == client.tools.name), "{}", client.name);
        for def in client.events {
            assert_eq!(client.events.iter().filter(|other| other.name == def.name).count(), 1, "{}", def.name);
            assert!(!def.canonical.is_empty() || !def.fires.is_empty(), "{} {} is no event", client.name, def.name);
        }
    }
}

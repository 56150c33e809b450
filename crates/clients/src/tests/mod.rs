//! What hook output means, and what matchers match.

mod answers;
mod wanted;

use pintle_contract::Event;
use pintle_tools::{HookVocabulary, VOCABULARIES, heard_events};

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

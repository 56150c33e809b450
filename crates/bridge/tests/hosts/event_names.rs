//! Converts payloads to canonical events.

use std::fmt::Write;
use std::fs;

use pintle_host::tools::{HookVocabulary, WantedNames, heard_events};

use crate::fixture::{data_dir, event_of_file, listening_hooks, recorded_hosts, respond};

#[test]
fn every_payload_that_was_captured_becomes_canonical_events() {
    // Those of a hook without conditions.
    let own_words = HookVocabulary::by_names(WantedNames::default(), &[], &[]);
    for (host, files) in recorded_hosts() {
        let mut text = String::new();
        for file in files {
            let def = event_of_file(host, &file);
            let (hooks, heard) = listening_hooks(def);
            respond(host, def, &fs::read(&file).unwrap(), hooks);
            writeln!(text, "== {}", file.file_name().unwrap().display()).unwrap();
            let heard = heard.lock().unwrap();
            assert!(!heard.is_empty(), "{} tells nothing", file.display());
            for event in heard.iter().flat_map(|event| heard_events(event, &own_words)) {
                writeln!(text, "{} {}", event.name, event.payload.value()).unwrap();
            }
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(data_dir(host));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("events", text));
    }
}

#[test]
fn every_row_of_every_host_fires_events_that_there_are() {
    for host in pintle_bridge::HOSTS {
        for def in host.host_events() {
            let listed = def.fires.len() + usize::from(def.custom.is_some());
            assert_eq!(def.fired_events().count(), listed, "{} {}: {:?}", host.name, def.name, def.custom);
            assert_eq!(host.host_events().filter(|other| other.name == def.name).count(), 1, "{}", def.name);
        }
    }
}

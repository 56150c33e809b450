//! Converts payloads to canonical events.

use std::fmt::Write;
use std::fs;

use crate::fixture::{data_dir, event_of_file, listening_hooks, recorded_hosts, respond};

#[test]
fn every_payload_that_was_captured_becomes_canonical_events() {
    for (host, files) in recorded_hosts() {
        let mut text = String::new();
        for file in files {
            let row = event_of_file(host, &file);
            let (hooks, heard) = listening_hooks(row);
            respond(host, row, &fs::read(&file).unwrap(), hooks);
            writeln!(text, "== {}", file.file_name().unwrap().display()).unwrap();
            let heard = heard.lock().unwrap();
            assert!(!heard.is_empty(), "{} tells nothing", file.display());
            for (event, payload) in heard.iter() {
                writeln!(text, "{event} {payload}").unwrap();
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
        for row in host.events {
            assert!(!row.fires.is_empty(), "{} {} fires nothing", host.name, row.name);
            for event in row.fires {
                assert!(pintle::EventName::parse(event).is_ok(), "{} {}: {event}", host.name, row.name);
            }
            assert_eq!(host.events.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        }
    }
}

//! Recognises which host sent a payload, for payloads that a user captured.

use std::path::Path;

use pintle_host::tape::{HostRecord, LoadedTape, Record, RecordBody, TapeReader};
use serde_json::Value;

use crate::session::HOST_NOTE;
use crate::{HOSTS, HostDef, HostEventDef};

/// The hosts that can have sent a payload, each with the event; several if nothing in the payload tells them apart, none
/// if it is not a payload of a host.
#[must_use]
pub fn recognise_payload(payload: &Value) -> Vec<(&'static HostDef, &'static HostEventDef)> {
    let by_host = |host: &'static HostDef| Some((host, host.find_event((host.recognise)(payload)?)?));
    HOSTS.iter().copied().filter_map(by_host).collect()
}

/// The hosts that can read a payload as one of the named event, for a payload that does not name its event.
#[must_use]
pub fn hosts_reading(payload: &Value, event: &str) -> Vec<(&'static HostDef, &'static HostEventDef)> {
    let by_host = |host: &'static HostDef| {
        let def = host.find_event(event)?;
        let told = def.read(payload).ok()?;
        (!told.context.session.is_empty()).then_some((host, def))
    };
    HOSTS.iter().copied().filter_map(by_host).collect()
}

/// The host whose session is on a tape; `None` if it is not a tape of `pintle hook`.
#[must_use]
pub fn host_of_tape(tape: &LoadedTape) -> Option<&'static HostDef> {
    tape.records.iter().find_map(host_of_record)
}

/// The host whose session is on the tape in a file, which is read only as far as that takes. `None` if it is not a tape
/// of `pintle hook`, or cannot be read.
#[must_use]
pub fn host_of_tape_file(path: &Path) -> Option<&'static HostDef> {
    let records = TapeReader::open(path).ok()?.abridged().map_while(Result::ok).map(|line| line.record);
    // A session of Pintle's own loop begins with such a record.
    let mut records = records.take_while(|record| !matches!(record.body, RecordBody::Host(HostRecord::Session(_))));
    records.find_map(|record| host_of_record(&record))
}

fn host_of_record(record: &Record<'_>) -> Option<&'static HostDef> {
    match &record.body {
        RecordBody::Note(note) if note.kind == HOST_NOTE => HostDef::by_name(note.data.get("host")?.as_str()?).ok(),
        _ => None,
    }
}

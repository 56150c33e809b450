//! Events as the hooks of this dialect receive them (Harn behaviour, sections 1.2 to 1.4).

mod given;
pub(super) mod keys;

use pintle_contract::Event;
use serde_json::{Map, Value};

pub(super) use self::given::{Get, Given, Key, to_value};

use super::row;

/// The payload of an event. `spelling` is the event's name for an event that Harn does not have.
pub(super) fn encode(event: &Event, spelling: &str) -> Value {
    let row = row::of_event(event);
    let own: &[Key] = row.map_or(&[], |row| row.keys);
    let mut fields = Map::with_capacity(1 + keys::EVERYWHERE.len() + own.len());
    fields.insert(String::from("event"), Value::from(row.map_or(spelling, |row| row.name)));
    given::fill(&mut fields, keys::EVERYWHERE.iter().chain(own), event);
    Value::Object(fields)
}

#[cfg(test)]
mod tests;

//! Checks the payloads that the reference shows against the catalogue.

use pintle_host::EventName;
use pintle_host::event::EventDef;
use serde_json::Value;

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::{leading_name, payloads, table};
use crate::seeds::fixture::{ProjectFixture, handler_file};
use crate::seeds::literal;
use crate::seeds::tally::{CheckTally, expect};

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let shown = payloads(&documents.reference);
    tally.check_count("payloads", shown.len(), 4);
    for (name, text) in shown {
        let agrees = literal::read(&text).and_then(|shape| {
            let example = find_event_def(name)?.example();
            let faults = find_differences(&shape, &example, name);
            expect(faults.is_empty(), || faults.join("; "))
        });
        tally.check(format!("the payload of `{name}` is as shown"), agrees);
        tally.check(format!("the payload of `{name}` as shown can be fired"), check_payload(name, &text));
    }
    for cells in table(&documents.reference, "Event | Fires when |") {
        let (Some(name), Some(payload)) = (cells.first(), cells.get(2)) else { continue };
        for field in listed_fields(payload) {
            let known = find_event_def(name).and_then(|def| {
                let schema = def.schema();
                let known = schema.get("properties").is_some_and(|properties| properties.get(field).is_some());
                expect(known, || String::from("the catalogue does not have it"))
            });
            tally.check(format!("`{name}` has the field `{field}`"), known);
        }
    }
    let counts = find_event_def("delegation.post_verify").and_then(|def| {
        let example = def.example();
        expect(example.get("attempt").is_some_and(Value::is_number), || example.to_string())
    });
    tally.check("`delegation.post_verify` counts attempts", counts);
}

/// Checks that a host may fire the documented payload: missing fields are filled in, and a hook can read every field.
fn check_payload(name: &str, text: &str) -> Result<(), String> {
    let shape = literal::read(text)?;
    let event = EventName::parse(name).map_err(|error| error.to_string())?;
    let mut payload = shape.clone();
    event.complete(&mut payload).map_err(|error| error.to_string())?;
    let fields = shape.as_object().into_iter().flat_map(|fields| fields.keys());
    let reads: String = fields.map(|field| format!("metrics.set(\"{field}\", payload[\"{field}\"])\n")).collect();
    let fixture = ProjectFixture::open_clean(&[("reading", &handler_file(name, &format!("{reads}return allow()")))])?;
    let outcome = fixture.fire(name, payload)?;
    expect(outcome.is_allowed() && outcome.failures.is_empty(), || format!("{outcome:?}"))
}

fn find_event_def(name: &str) -> Result<&'static EventDef, String> {
    EventName::parse(name).map(|name| name.def()).map_err(|error| error.to_string())
}

/// The fields that a cell of the table lists in brackets or braces.
fn listed_fields(cell: &str) -> Vec<&str> {
    let listed = cell.split(['{', '(']).nth(1).and_then(|rest| rest.split(['}', ')']).next()).unwrap_or_default();
    let plain = |name: &&str| !name.is_empty() && leading_name(name) == *name && *name != "...";
    listed.split(", ").filter(plain).collect()
}

/// Where a payload lacks a documented field, or has another type there.
fn find_differences(shown: &Value, have: &Value, path: &str) -> Vec<String> {
    match (shown, have) {
        (Value::Object(shown), Value::Object(have)) => {
            let field = |(key, inner): (&String, &Value)| match have.get(key) {
                Some(value) => find_differences(inner, value, &format!("{path}.{key}")),
                // The content of a result or of the arguments depends on the tool.
                None if path.ends_with(".args") || path.ends_with(".result") => Vec::new(),
                None => vec![format!("{path} lacks `{key}`")],
            };
            shown.iter().flat_map(field).collect()
        }
        (Value::Array(shown), Value::Array(have)) => match (shown.first(), have.first()) {
            (Some(shown), Some(have)) => find_differences(shown, have, &format!("{path}[]")),
            _ => Vec::new(),
        },
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_)) => Vec::new(),
        _ => vec![format!("{path} is {have}, shown is {shown}")],
    }
}

//! `schemas/`: the JSON Schema of each event's payload.

use pintle_contract::event::{CATALOGUE, EventDef};
use serde_json::{Value, json};

use super::Pages;

/// One file an event.
pub(super) fn pages() -> Pages {
    CATALOGUE.iter().map(|row| (file(row), format!("{:#}\n", schema(row)))).collect()
}

/// Where the schema of an event lies; that of a family under the family's name.
pub(super) fn file(row: &EventDef) -> String {
    format!("schemas/{}.json", row.name.trim_end_matches(".*"))
}

/// The schema, titled by the event.
fn schema(row: &EventDef) -> Value {
    let mut written = json!({"$schema": null, "title": row.name, "description": null});
    if let (Some(fields), Value::Object(known)) = (written.as_object_mut(), (row.schema)()) {
        fields.extend(known.into_iter().filter(|(name, _)| name != "title"));
    }
    written
}

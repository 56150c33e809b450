//! `schemas/`: the JSON Schema of each event's payload.

use pintle_contract::event::{CATALOGUE, EventDef};
use serde_json::{Value, json};

use super::GeneratedPages;

/// One file an event.
pub(super) fn render_pages() -> GeneratedPages {
    CATALOGUE.iter().map(|row| (schema_path(row), format!("{:#}\n", titled_schema(row)))).collect()
}

/// Where the schema of an event lies; that of a family under the family's name.
pub(super) fn schema_path(row: &EventDef) -> String {
    format!("schemas/{}.json", row.name.trim_end_matches(".*"))
}

/// The schema, titled by the event.
fn titled_schema(row: &EventDef) -> Value {
    let mut written = json!({"$schema": null, "title": row.name, "description": null});
    if let (Some(fields), Value::Object(known)) = (written.as_object_mut(), (row.schema)()) {
        fields.extend(known.into_iter().filter(|(name, _)| name != "title"));
    }
    written
}

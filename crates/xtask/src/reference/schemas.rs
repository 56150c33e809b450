//! `schemas/`: the JSON Schema of each event's payload.

use pintle_contract::event::{CATALOGUE, EventDef};
use serde_json::{Value, json};

use super::GeneratedPages;

/// Renders one file per event.
pub(super) fn render_pages() -> GeneratedPages {
    CATALOGUE.iter().map(|def| (schema_path(def), format!("{:#}\n", titled_schema(def)))).collect()
}

/// The path of an event's schema; the events of a family share one.
pub(super) fn schema_path(def: &EventDef) -> String {
    format!("schemas/{}.json", def.name.trim_end_matches(".*"))
}

/// The schema, titled by the event.
fn titled_schema(def: &EventDef) -> Value {
    let mut written = json!({"$schema": null, "title": def.name, "description": null});
    if let (Some(fields), Value::Object(known)) = (written.as_object_mut(), (def.schema)()) {
        fields.extend(known.into_iter().filter(|(name, _)| name != "title"));
    }
    written
}

//! `schemas/`: the JSON Schema of each event's payload, of the files that users write, of the
//! protocol of `pintle serve`, and of what `pintle validate`, `pintle test` and `pintle replay --with` report.

use pintle_bridge::serving::protocol::generate_protocol_schema;
use pintle_contract::event::{EventDef, EventKind};
use serde_json::{Map, Value, json};

use super::GeneratedPages;

/// The schemas that the program carries.
const EMBEDDED: &str = "crates/contract/src/event/schemas.json";
const EMBEDDED_PROTOCOL: &str = "crates/bridge/src/serving/schema.json";

/// The schema of the protocol.
const PROTOCOL: &str = "schemas/serve.json";

/// The schemas of what commands report, which the program's tests compare with their output.
const REPORTS: [(&str, &str); 3] = [
    ("schemas/validate.json", include_str!("../../../cli/src/commands/validate/schema.json")),
    ("schemas/test.json", include_str!("../../../cli/src/commands/test/schema.json")),
    ("schemas/redecide.json", include_str!("../../../cli/src/commands/replay/redecide/schema.json")),
];

/// Renders one file per event, that of the protocol and those of the reports, and the files that the program carries.
pub(super) fn render_pages() -> GeneratedPages {
    let generated = EventKind::ALL.iter().map(|kind| (kind.def(), kind.generate_schema()));
    let by_event: Map<String, Value> = generated.clone().map(|(def, schema)| (def.name.to_owned(), schema)).collect();
    let files = generated.map(|(def, schema)| (schema_path(def), format!("{:#}\n", titled_schema(def, schema))));
    let protocol = generate_protocol_schema();
    let others = [
        (EMBEDDED.to_owned(), format!("{}\n", Value::Object(by_event))),
        (EMBEDDED_PROTOCOL.to_owned(), format!("{protocol}\n")),
        (PROTOCOL.to_owned(), format!("{protocol:#}\n")),
    ];
    let reports = REPORTS.map(|(path, schema)| (path.to_owned(), schema.to_owned()));
    let written = pintle_dialects::file_schemas();
    let written = written.into_iter().map(|file| (file_schema_path(&file.name), format!("{:#}\n", file.schema)));
    files.chain(others).chain(reports).chain(written).collect()
}

/// The path of the schema of files that users write.
fn file_schema_path(name: &str) -> String {
    format!("schemas/{name}.json")
}

/// The path of an event's schema; the events of a family share one.
pub(super) fn schema_path(def: &EventDef) -> String {
    format!("schemas/{}.json", def.name.trim_end_matches(".*"))
}

/// The schema, titled by the event.
fn titled_schema(def: &EventDef, schema: Value) -> Value {
    let mut written = json!({"$schema": null, "title": def.name, "description": null});
    if let (Some(fields), Value::Object(known)) = (written.as_object_mut(), schema) {
        fields.extend(known.into_iter().filter(|(name, _)| name != "title"));
    }
    written
}

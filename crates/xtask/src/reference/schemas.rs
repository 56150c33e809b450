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
    let embedded = embed_schemas(generated.clone());
    let files = generated.map(|(def, schema)| (schema_path(def), format!("{:#}\n", titled_schema(def, schema))));
    let protocol = generate_protocol_schema();
    let others = [
        (EMBEDDED.to_owned(), format!("{embedded}\n")),
        (EMBEDDED_PROTOCOL.to_owned(), format!("{protocol}\n")),
        (PROTOCOL.to_owned(), format!("{protocol:#}\n")),
    ];
    let reports = REPORTS.map(|(path, schema)| (path.to_owned(), schema.to_owned()));
    let written = pintle_dialects::file_schemas();
    let written = written.into_iter().map(|file| (file_schema_path(&file.name), format!("{:#}\n", file.schema)));
    files.chain(others).chain(reports).chain(written).collect()
}

/// The schemas of the events as the program carries them: what several define is there once, and their `$defs` list its
/// name. A test of this page compares them with what the program makes of it.
fn embed_schemas(generated: impl Iterator<Item = (&'static EventDef, Value)>) -> Value {
    let (mut definitions, mut events) = (Map::new(), Map::new());
    for (def, mut schema) in generated {
        if let Some(own) = schema.get_mut("$defs") {
            let names = own.as_object().into_iter().flatten().map(|(name, definition)| {
                definitions.insert(name.clone(), definition.clone());
                Value::from(name.as_str())
            });
            *own = names.collect();
        }
        events.insert(def.name.to_owned(), schema);
    }
    json!({"definitions": definitions, "events": events})
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_has_each_schema_as_it_is_generated() {
        for kind in EventKind::ALL {
            let (has, generated) = (kind.def().schema(), kind.generate_schema());
            // With the order of their keys.
            assert_eq!(has.to_string(), generated.to_string(), "{}", kind.def().name);
        }
    }
}

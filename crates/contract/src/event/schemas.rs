//! The JSON Schemas of the payloads.
//!
//! They are generated from the payload types, and kept in a file so that programs do not carry the generator.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

/// The schemas by the event's name. `cargo xtask reference` writes the file, and its `--check` compares it.
static SCHEMAS: LazyLock<HashMap<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("schemas.json")).unwrap_or_default());

/// The schema of an event of the catalogue.
pub(super) fn find_schema(event: &str) -> &'static Value {
    SCHEMAS.get(event).unwrap_or(&Value::Null)
}

/// Generates the JSON Schema of a payload type as hooks receive it: a field that is always sent is required.
#[cfg(feature = "schema")]
pub(super) fn generate_schema<T: schemars::JsonSchema>() -> Value {
    use schemars::Schema;
    use schemars::generate::SchemaSettings;
    use schemars::transform::RecursiveTransform;

    let no_defaults = RecursiveTransform(|schema: &mut Schema| {
        schema.remove("default");
    });
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(no_defaults);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use crate::event::CATALOGUE;

    #[test]
    fn each_event_has_a_schema() {
        for def in CATALOGUE {
            assert!(def.schema().is_object(), "{}", def.name);
        }
    }
}

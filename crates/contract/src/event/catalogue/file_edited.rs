//! `file.edited`.

use std::path::Path;

use super::prelude::*;

/// The event definition of `file.edited`.
pub static ROW: EventDef = EventDef {
    fires_when: "A tool or the host changed a file.",
    subject: Some("path"),
    context: ContextScope::Turn,
    ..EventDef::observe("file.edited")
};

/// The payload of `file.edited`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FileEdited {
    /// The absolute path of the file.
    pub path: String,
    /// What was done: `write`, `append`, `edit`, `create`, `delete`, `copy` or `move`, or the host's own name for it.
    pub operation: String,
    /// The size of the file afterwards, in bytes; absent if the file no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The absolute path of the original; absent unless the file was moved or copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The tool that changed the file; absent if the host did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The ID of the tool call that changed the file; absent if the host did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Additional data from the source of the event; absent if empty.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

impl FileEdited {
    /// A change that a host or a script reports. The operation (default `write`) and the size (default: the file's own)
    /// come from the entries `operation` and `bytes` of the metadata.
    pub fn reported(path: &Path, metadata: Map<String, Value>, size: impl FnOnce() -> Option<u64>) -> Self {
        Self {
            operation: metadata.get("operation").and_then(Value::as_str).unwrap_or("write").to_owned(),
            size_bytes: metadata.get("bytes").and_then(Value::as_u64).or_else(size),
            path: path.display().to_string(),
            metadata,
            ..Self::default()
        }
    }

    /// Parses the metadata that a script reports a change with: a map, or null for none.
    ///
    /// # Errors
    ///
    /// The value is something else.
    pub fn parse_metadata(value: Value) -> Result<Map<String, Value>, String> {
        match value {
            Value::Object(metadata) => Ok(metadata),
            Value::Null => Ok(Map::new()),
            _ => Err(String::from("metadata must be a dict")),
        }
    }
}

//! Creates and removes directories: `create_directory` and `remove_directory`.

use serde_json::{Value, json};

use super::parts::docker_agent_parts;
use crate::tools::{ToolAccess, ToolDef, text_argument};
use crate::turn_context::ToolContext;

pub(crate) const CREATE_DIRECTORY: ToolDef = ToolDef {
    name: "create_directory",
    description: "Creates directories, with missing parent directories.",
    required: &["paths"],
    properties: paths_properties,
    access: ToolAccess::Reported,
    call: |_, arguments, at| for_each_path(arguments, at, "created", |at, path| at.files().make_dir(path)),
};

pub(crate) const REMOVE_DIRECTORY: ToolDef = ToolDef {
    name: "remove_directory",
    description: "Removes empty directories.",
    call: |_, arguments, at| {
        for_each_path(arguments, at, "removed", |at, path| {
            // A link to a directory is none.
            let found = at.workspace().run_at(path, |dir, path| dir.symlink_metadata(path));
            if found.map_err(|error| error.to_string())?.is_dir() {
                at.files().remove(path)
            } else {
                Err(format!("`{path}` is not a directory"))
            }
        })
    },
    ..CREATE_DIRECTORY
};

fn paths_properties() -> Value {
    json!({
        "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "The directories."},
    })
}

/// Does the same with each path, and stops at the first failure.
fn for_each_path(
    arguments: &Value,
    context: &ToolContext<'_>,
    done: &str,
    act: impl Fn(&ToolContext<'_>, &str) -> Result<(), String>,
) -> Result<Value, String> {
    let mut lines = Vec::new();
    for part in docker_agent_parts(arguments, context) {
        let path = text_argument(&part, "path");
        act(context, path).map_err(|reason| {
            if lines.is_empty() { reason.clone() } else { format!("{}; then: {reason}", lines.join("; ")) }
        })?;
        lines.push(format!("Directory {done} successfully: {path}"));
    }
    Ok(Value::String(lines.join("\n")))
}

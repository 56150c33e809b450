//! `list_directory`, `create_directory` and `remove_directory`.

use serde_json::{Value, json};

use super::{HIDDEN, MAX_ENTRIES, text_list_argument};
use crate::tools::{ToolAccess, ToolDef, dir_argument};
use crate::turn_context::ToolContext;

pub(super) const LIST: ToolDef = ToolDef {
    name: "list_directory",
    description: "Lists the files and directories in a directory, one per line: `FILE name` or `DIR  name`.",
    required: &["path"],
    properties: one_path_properties,
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let path = dir_argument(arguments, "path");
        let mut lines = String::new();
        let listed = at.workspace().list(path)?;
        let shown = listed.iter().filter(|entry| entry.name != HIDDEN);
        for (index, entry) in shown.enumerate() {
            if index == MAX_ENTRIES {
                lines.push_str("...output truncated due to file limit...\n");
                break;
            }
            lines.push_str(&format!("{} {}\n", if entry.is_dir { "DIR " } else { "FILE" }, entry.name));
        }
        // An empty result would look like a failure.
        Ok(Value::String(if lines.is_empty() { format!("Directory is empty: {path}\n") } else { lines }))
    },
};

pub(super) const CREATE: ToolDef = ToolDef {
    name: "create_directory",
    description: "Creates directories, with missing parent directories.",
    required: &["paths"],
    properties: paths_properties,
    access: ToolAccess::Reported,
    call: |_, arguments, at| for_each_path(arguments, at, "created", |at, path| at.files().make_dir(path)),
};

pub(super) const REMOVE: ToolDef = ToolDef {
    name: "remove_directory",
    description: "Removes empty directories.",
    required: &["paths"],
    properties: paths_properties,
    access: ToolAccess::Reported,
    call: |_, arguments, at| {
        for_each_path(arguments, at, "removed", |at, path| {
            if at.workspace().stat(path)?.is_dir {
                at.files().remove(path)
            } else {
                Err(format!("`{path}` is not a directory"))
            }
        })
    },
};

/// The arguments of a tool for one directory.
pub(super) fn one_path_properties() -> Value {
    json!({"path": {"type": "string", "description": "The directory; `.` is the working directory."}})
}

fn paths_properties() -> Value {
    json!({
        "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "The directories."},
    })
}

/// Does the same with each path, and stops at the first failure.
fn for_each_path(
    arguments: &Value,
    at: &ToolContext<'_>,
    done: &str,
    act: impl Fn(&ToolContext<'_>, &str) -> Result<(), String>,
) -> Result<Value, String> {
    let mut lines = Vec::new();
    for path in text_list_argument(arguments, "paths") {
        act(at, path).map_err(|reason| {
            if lines.is_empty() { reason.clone() } else { format!("{}; then: {reason}", lines.join("; ")) }
        })?;
        lines.push(format!("Directory {done} successfully: {path}"));
    }
    Ok(Value::String(lines.join("\n")))
}

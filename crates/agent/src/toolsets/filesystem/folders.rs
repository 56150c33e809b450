//! `list_directory`, `create_directory` and `remove_directory`.

use serde_json::{Value, json};

use super::{HIDDEN, MAX_ENTRIES, Nothing, texts};
use crate::tools::{ToolUse, folder};
use crate::toolsets::set::Row;

pub(super) const LIST: Row<Nothing> = Row {
    name: "list_directory",
    description: "Lists the files and folders of a folder, one a line: `FILE name` or `DIR  name`.",
    parameters: one_folder,
    is_read_only: true,
    call: |_, arguments, at| {
        let path = folder(arguments, "path");
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
        // An empty result looks like a failure.
        Ok(Value::String(if lines.is_empty() { format!("Directory is empty: {path}\n") } else { lines }))
    },
};

pub(super) const CREATE: Row<Nothing> = Row {
    name: "create_directory",
    description: "Makes folders, with those above them that are missing.",
    parameters: paths,
    is_read_only: false,
    call: |_, arguments, at| each(arguments, at, "created", |at, path| at.files().make_folder(path)),
};

pub(super) const REMOVE: Row<Nothing> = Row {
    name: "remove_directory",
    description: "Removes folders that are empty.",
    parameters: paths,
    is_read_only: false,
    call: |_, arguments, at| {
        each(arguments, at, "removed", |at, path| {
            if at.workspace().stat(path)?.is_dir {
                at.files().remove(path)
            } else {
                Err(format!("`{path}` is not a folder"))
            }
        })
    },
};

/// What a tool for one folder takes.
pub(super) fn one_folder() -> Value {
    json!({
        "type": "object",
        "properties": {"path": {"type": "string", "description": "The folder; `.` is the working directory."}},
        "required": ["path"],
    })
}

fn paths() -> Value {
    json!({
        "type": "object",
        "properties": {
            "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "The folders."},
        },
        "required": ["paths"],
    })
}

/// Does the same with each path, and stops at the first that fails.
fn each(
    arguments: &Value,
    at: &ToolUse<'_>,
    done: &str,
    act: impl Fn(&ToolUse<'_>, &str) -> Result<(), String>,
) -> Result<Value, String> {
    let mut lines = Vec::new();
    for path in texts(arguments, "paths") {
        act(at, path)
            .map_err(|why| if lines.is_empty() { why.clone() } else { format!("{}; then: {why}", lines.join("; ")) })?;
        lines.push(format!("Directory {done} successfully: {path}"));
    }
    Ok(Value::String(lines.join("\n")))
}

//! `edit_file`.

use serde_json::{Value, json};

use super::Nothing;
use crate::tools::text;
use crate::toolsets::set::Row;
use crate::workspace::replace_one;

pub(super) const TOOL: Row<Nothing> = Row {
    name: "edit_file",
    description: "Replaces texts in a file, one after the other. Each `oldText` must be there exactly once by then. One that is not leaves the file as it was.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file."},
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "description": "The edits, in order.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "oldText": {"type": "string", "description": "The text to replace, exactly as it stands in the file."},
                            "newText": {"type": "string", "description": "What to put in its place."},
                        },
                        "required": ["oldText", "newText"],
                    },
                },
            },
            "required": ["path", "edits"],
        })
    },
    is_read_only: false,
    call: |_, arguments, at| {
        let path = text(arguments, "path");
        let mut content = at.workspace().read(path)?;
        let mut changes = Vec::new();
        let edits = arguments.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (index, edit) in edits.iter().enumerate() {
            let old = text(edit, "oldText");
            content = replace_one(&content, old, text(edit, "newText"))
                .map_err(|why| format!("Edit {} failed: {why}; nothing was changed", index + 1))?;
            changes.push(format!("Replaced {} characters", old.len()));
        }
        at.files().edit(path, &content)?;
        Ok(Value::String(match changes.as_slice() {
            [change] => format!("File edited successfully. {change}"),
            _ => {
                let lines: Vec<String> =
                    changes.iter().enumerate().map(|(index, change)| format!("Edit {}: {change}", index + 1)).collect();
                format!("File edited successfully. Changes:\n{}", lines.join("\n"))
            }
        }))
    },
};

//! `edit_file`.

use serde_json::{Value, json};

use super::NoFilesystemState;
use crate::tools::text_argument;
use crate::toolsets::set::ToolDef;
use crate::workspace::replace_one;

pub(super) const TOOL: ToolDef<NoFilesystemState> = ToolDef {
    name: "edit_file",
    description: "Replaces texts in a file, one after the other. Each `oldText` must then occur exactly once. If one does not, the file stays unchanged.",
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
                            "oldText": {"type": "string", "description": "The text to replace, exactly as it is in the file."},
                            "newText": {"type": "string", "description": "The replacement."},
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
        let path = text_argument(arguments, "path");
        let mut content = at.workspace().read(path)?;
        let mut changes = Vec::new();
        let edits = arguments.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (index, edit) in edits.iter().enumerate() {
            let old = text_argument(edit, "oldText");
            content = replace_one(&content, old, text_argument(edit, "newText"))
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

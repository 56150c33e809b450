//! `edit_file`.

use serde_json::{Value, json};

use crate::tools::{TextEdit, ToolAccess, ToolDef, edit_file, text_argument};

pub(super) const TOOL: ToolDef = ToolDef {
    name: "edit_file",
    description: "Replaces texts in a file, one after the other. Each `oldText` must then occur exactly once. If one does not, the file stays unchanged.",
    required: &["path", "edits"],
    properties: || {
        json!({
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
        })
    },
    access: ToolAccess::Reported,
    call: |_, arguments, at| {
        let path = text_argument(arguments, "path");
        let edits: Vec<TextEdit<'_>> = arguments
            .get("edits")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|edit| TextEdit {
                old: text_argument(edit, "oldText"),
                new: text_argument(edit, "newText"),
                all: false,
            })
            .collect();
        edit_file(at, path, &edits, |index, why| format!("Edit {} failed: {why}; nothing was changed", index + 1))?;
        let changes: Vec<String> = edits.iter().map(|edit| format!("Replaced {} characters", edit.old.len())).collect();
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

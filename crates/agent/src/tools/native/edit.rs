//! Replaces texts in files: `edit` and `edit_file`.

use serde_json::{Value, json};

use super::parts::docker_agent_parts;
use crate::tools::{ToolAccess, ToolDef, flag_argument, text_argument};
use crate::turn_context::ToolContext;
use crate::workspace::{replace_all, replace_one};

pub(super) const EDIT: ToolDef = ToolDef {
    name: "edit",
    description: "Replaces a text in a file of the workspace. The text must occur exactly once, unless `all` is true.",
    required: &["path", "old", "new"],
    properties: || {
        json!({
            "path": {"type": "string", "description": "The file."},
            "old": {"type": "string", "description": "The text to replace, exactly as it is in the file."},
            "new": {"type": "string", "description": "The replacement."},
            "all": {"type": "boolean", "description": "Whether to replace every occurrence. Default false."},
        })
    },
    access: ToolAccess::Reported,
    call: |_, arguments, at| {
        let path = text_argument(arguments, "path");
        let (edits, all) = (std::slice::from_ref(arguments), flag_argument(arguments, "all"));
        let count = edit(at, path, edits, all, |_, reason| reason)?;
        let places = if count == 1 { "1 place" } else { "every place" };
        Ok(json!({"message": format!("changed {places} in {path}"), "replacements": count}))
    },
};

pub(crate) const EDIT_FILE: ToolDef = ToolDef {
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
        let edits = docker_agent_parts(arguments, at);
        let failed = |index: usize, reason| format!("Edit {} failed: {reason}; nothing was changed", index + 1);
        edit(at, text_argument(arguments, "path"), &edits, false, failed)?;
        let change = |edit| format!("Replaced {} characters", text_argument(edit, "old").len());
        Ok(Value::String(match edits.as_slice() {
            [only] => format!("File edited successfully. {}", change(only)),
            several => {
                let numbered = several.iter().enumerate();
                let lines = numbered.map(|(index, edit)| format!("\nEdit {}: {}", index + 1, change(edit)));
                format!("File edited successfully. Changes:{}", lines.collect::<String>())
            }
        }))
    },
};

/// Replaces the `old` text of each edit by its `new` one, one edit after the other, and returns how many places changed.
/// A text must occur exactly once, or with `all` at least once. If one cannot be replaced, the file stays unchanged;
/// `explain` gets the index of that edit and the reason.
fn edit(
    context: &ToolContext<'_>,
    path: &str,
    edits: &[Value],
    all: bool,
    explain: fn(usize, String) -> String,
) -> Result<usize, String> {
    let mut content = context.workspace().read(path).map_err(|error| error.to_string())?;
    let mut places = 0;
    for (index, edit) in edits.iter().enumerate() {
        let (old, new) = (text_argument(edit, "old"), text_argument(edit, "new"));
        let replaced = match all {
            true => replace_all(&content, old, new),
            false => replace_one(&content, old, new).map(|content| (content, 1)),
        };
        let (next, count) = replaced.map_err(|reason| explain(index, reason))?;
        (content, places) = (next, places + count);
    }
    context.files().edit(path, &content)?;
    Ok(places)
}

//! `edit`: replaces text in a file.

use serde_json::{Value, json};

use crate::tools::{TextEdit, ToolAccess, ToolDef, edit_file, flag_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
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
    call,
};

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let path = text_argument(arguments, "path");
    let (old, new) = (text_argument(arguments, "old"), text_argument(arguments, "new"));
    let edit = TextEdit { old, new, all: flag_argument(arguments, "all") };
    let count = edit_file(at, path, &[edit], |_, reason| reason)?;
    let places = if count == 1 { "1 place" } else { "every place" };
    Ok(json!({"message": format!("changed {places} in {path}"), "replacements": count}))
}

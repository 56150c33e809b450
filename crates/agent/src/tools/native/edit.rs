//! `edit`: replaces text in a file.

use serde_json::{Value, json};

use super::def::{NativeToolDef, ToolOffer};
use crate::tools::{flag_argument, text_argument};
use crate::turn_context::ToolContext;
use crate::workspace::{replace_all, replace_one};

pub(super) const TOOL: NativeToolDef = NativeToolDef {
    name: "edit",
    offer: ToolOffer::Always,
    description: "Replaces a text in a file of the workspace. The text must occur exactly once, unless `all` is true.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file."},
                "old": {"type": "string", "description": "The text to replace, exactly as it is in the file."},
                "new": {"type": "string", "description": "The replacement."},
                "all": {"type": "boolean", "description": "Whether to replace every occurrence. Default false."},
            },
            "required": ["path", "old", "new"],
        })
    },
    call,
};

fn call(arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let (path, old, new) =
        (text_argument(arguments, "path"), text_argument(arguments, "old"), text_argument(arguments, "new"));
    let content = at.workspace().read(path)?;
    let (content, count) = if flag_argument(arguments, "all") {
        replace_all(&content, old, new)?
    } else {
        (replace_one(&content, old, new)?, 1)
    };
    at.files().edit(path, &content)?;
    let places = if count == 1 { "1 place" } else { "every place" };
    Ok(json!({"message": format!("changed {places} in {path}"), "replacements": count}))
}

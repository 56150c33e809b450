//! `edit`: a part of a file.

use serde_json::{Value, json};

use super::{Native, Offer};
use crate::tools::{ToolUse, flag, text};
use crate::workspace::{replace_all, replace_one};

pub(super) const TOOL: Native = Native {
    name: "edit",
    offer: Offer::Always,
    alias: Some("fs.edit"),
    description: "Replaces a text in a file of the workspace. The text must be there exactly once, unless `all` is true.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file."},
                "old": {"type": "string", "description": "The text to replace, exactly as it stands in the file."},
                "new": {"type": "string", "description": "What to put in its place."},
                "all": {"type": "boolean", "description": "Replace it everywhere. Default false."},
            },
            "required": ["path", "old", "new"],
        })
    },
    call,
};

fn call(arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
    let (path, old, new) = (text(arguments, "path"), text(arguments, "old"), text(arguments, "new"));
    let content = at.workspace().read(path)?;
    let (content, count) =
        if flag(arguments, "all") { replace_all(&content, old, new)? } else { (replace_one(&content, old, new)?, 1) };
    at.files().edit(path, &content)?;
    let places = if count == 1 { "1 place" } else { "every place" };
    Ok(json!({"message": format!("changed {places} in {path}"), "replacements": count}))
}

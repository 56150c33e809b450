//! `write`: the whole text of a file.

use serde_json::{Value, json};

use super::{Native, Offer};
use crate::tools::{ToolUse, text};

pub(super) const TOOL: Native = Native {
    name: "write",
    offer: Offer::Always,
    alias: Some("fs.write"),
    description: "Writes a text file of the workspace, replacing what was in it and making its folders.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file."},
                "content": {"type": "string", "description": "The whole text."},
            },
            "required": ["path", "content"],
        })
    },
    call,
};

fn call(arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
    let (path, content) = (text(arguments, "path"), text(arguments, "content"));
    at.files().write(path, content)?;
    Ok(Value::String(format!("wrote {} bytes to {path}", content.len())))
}

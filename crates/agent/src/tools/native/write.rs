//! `write`: writes a file.

use serde_json::{Value, json};

use crate::tools::{ToolAccess, ToolDef, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "write",
    description: "Writes a text file of the workspace. Replaces its content, and creates missing directories.",
    required: &["path", "content"],
    properties: || {
        json!({
            "path": {"type": "string", "description": "The file."},
            "content": {"type": "string", "description": "The whole text."},
        })
    },
    access: ToolAccess::Reported,
    call,
};

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let (path, content) = (text_argument(arguments, "path"), text_argument(arguments, "content"));
    at.files().write(path, content)?;
    Ok(Value::String(format!("wrote {} bytes to {path}", content.len())))
}

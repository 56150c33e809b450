//! Writes files: `write` and `write_file`.

use serde_json::{Value, json};

use super::parts::docker_agent_call;
use crate::tools::{ToolAccess, ToolDef, text_argument};
use crate::turn_context::ToolContext;

pub(super) const WRITE: ToolDef = ToolDef {
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
    call: |_, arguments, at| write(arguments, at, |path, bytes| format!("wrote {bytes} bytes to {path}")),
};

pub(crate) const WRITE_FILE: ToolDef = ToolDef {
    name: "write_file",
    description: "Writes a file. Creates it or replaces its content, and creates missing directories.",
    properties: || {
        json!({
            "path": {"type": "string", "description": "The file."},
            "content": {"type": "string", "description": "The whole new text."},
        })
    },
    call: |_, arguments, at| {
        let told = |path: &str, bytes| format!("File written successfully: {path} ({bytes} bytes)");
        write(&docker_agent_call(arguments, at), at, told)
    },
    ..WRITE
};

/// Writes a file; `describe` describes the path and the number of bytes.
fn write(call: &Value, context: &ToolContext<'_>, describe: fn(&str, usize) -> String) -> Result<Value, String> {
    let (path, content) = (text_argument(call, "path"), text_argument(call, "content"));
    context.files().write(path, content)?;
    Ok(Value::String(describe(path, content.len())))
}

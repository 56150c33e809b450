//! `list`: what is in a folder.

use serde_json::{Value, json};

use super::Native;
use crate::tools::{ToolUse, text};

pub(super) const TOOL: Native = Native {
    name: "list",
    alias: Some("fs.list"),
    description: "Lists a folder of the workspace. Folders end in `/`.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {"path": {"type": "string", "default": ".", "description": "The folder. Default: the workspace."}},
        })
    },
    call,
};

fn call(arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
    let found = at.workspace().list(text(arguments, "path"))?;
    let names = found.into_iter().map(|stat| if stat.is_dir { format!("{}/", stat.name) } else { stat.name });
    Ok(names.map(Value::String).collect())
}

//! `list`: what is in a folder.

use serde_json::{Value, json};

use super::{Native, Offer};
use crate::tools::{ToolUse, folder};

pub(super) const TOOL: Native = Native {
    name: "list",
    offer: Offer::Always,
    alias: Some("fs.list"),
    description: "Lists a folder of the workspace. Folders end in `/`.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "The folder. Default: the workspace."}},
        })
    },
    call,
};

fn call(arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
    let found = at.workspace().list(folder(arguments, "path"))?;
    let names = found.into_iter().map(|stat| if stat.is_dir { format!("{}/", stat.name) } else { stat.name });
    Ok(names.map(Value::String).collect())
}

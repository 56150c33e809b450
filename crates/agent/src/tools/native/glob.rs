//! `glob`: files by name.

use serde_json::{Value, json};

use super::{Native, Offer};
use crate::tools::{ToolUse, folder, text};

pub(super) const TOOL: Native = Native {
    name: "glob",
    offer: Offer::Always,
    alias: Some("fs.glob"),
    description: "Finds files of the workspace by a glob such as `src/**/*.rs`. A pattern without `/` looks in every folder.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "The glob."},
                "path": {"type": "string", "description": "The folder to look in. Default: the workspace."},
            },
            "required": ["pattern"],
        })
    },
    call,
};

/// The most paths in one result.
const MAX_PATHS: usize = 1_000;

fn call(arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
    let walk = at.workspace().glob(text(arguments, "pattern"), folder(arguments, "path"), at.cancel())?;
    let is_cut = walk.is_truncated || walk.paths.len() > MAX_PATHS;
    let paths: Vec<String> = walk.paths.into_iter().take(MAX_PATHS).collect();
    if is_cut { Ok(json!({"paths": paths, "truncated": true})) } else { Ok(json!(paths)) }
}

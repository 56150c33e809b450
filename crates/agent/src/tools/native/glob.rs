//! `glob`: finds files by name.

use serde_json::{Value, json};

use crate::tools::{ToolAccess, ToolDef, dir_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "glob",
    description: "Finds files of the workspace by a glob such as `src/**/*.rs`. A pattern without `/` matches in every directory.",
    required: &["pattern"],
    properties: || {
        json!({
            "pattern": {"type": "string", "description": "The glob."},
            "path": {"type": "string", "description": "The directory to search. Default: the workspace."},
        })
    },
    access: ToolAccess::Reported,
    call,
};

/// The maximum number of paths in one result.
const MAX_PATHS: usize = 1_000;

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let walk =
        at.workspace().glob(text_argument(arguments, "pattern"), dir_argument(arguments, "path"), at.cancel())?;
    let is_cut = walk.is_truncated || walk.paths.len() > MAX_PATHS;
    let paths: Vec<String> = walk.paths.into_iter().take(MAX_PATHS).collect();
    if is_cut { Ok(json!({"paths": paths, "truncated": true})) } else { Ok(json!(paths)) }
}

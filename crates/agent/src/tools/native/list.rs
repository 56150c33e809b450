//! `list`: lists a directory.

use serde_json::{Value, json};

use crate::tools::{ToolAccess, ToolDef, dir_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "list",
    description: "Lists a directory of the workspace. Directories end in `/`.",
    required: &[],
    properties: || json!({"path": {"type": "string", "description": "The directory. Default: the workspace."}}),
    access: ToolAccess::Reported,
    call,
};

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let found = at.workspace().list(dir_argument(arguments, "path"))?;
    let names = found.into_iter().map(|stat| if stat.is_dir { format!("{}/", stat.name) } else { stat.name });
    Ok(names.map(Value::String).collect())
}

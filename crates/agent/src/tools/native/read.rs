//! `read`: reads a file.

use pintle::jail::LineView;
use serde_json::{Value, json};

use crate::tools::{ToolAccess, ToolDef, number_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "read",
    description: "Reads a text file of the workspace. With `offset` or `limit` it returns those lines, numbered.",
    required: &["path"],
    properties: || {
        json!({
            "path": {"type": "string", "description": "The file."},
            "offset": {"type": "integer", "minimum": 1, "description": "The first line, from 1."},
            "limit": {"type": "integer", "minimum": 1, "description": "The maximum number of lines."},
        })
    },
    access: ToolAccess::Reported,
    call,
};

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let content = at.read_file(text_argument(arguments, "path"))?;
    let (offset, limit) = (number_argument(arguments, "offset"), number_argument(arguments, "limit"));
    if offset.is_none() && limit.is_none() {
        return Ok(Value::String(content));
    }
    let lines = LineView::new(&content);
    let first = offset.unwrap_or(1);
    if first > lines.count().max(1) {
        return Err(format!("line {first} is not in the file, which has {} lines", lines.count()));
    }
    let last = limit.map_or(usize::MAX - 1, |limit| first.saturating_add(limit - 1).min(usize::MAX - 1));
    lines.numbered_range(first, last).map(Value::String)
}

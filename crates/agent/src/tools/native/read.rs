//! Reads files: `read`, `read_file` and `read_multiple_files`.

use pintle_host::jail::LineView;
use serde_json::{Value, json};

use super::parts::{call_each_part, docker_agent_call};
use crate::tools::{ToolAccess, ToolDef, flag_argument, number_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const READ: ToolDef = ToolDef {
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
    call: |_, arguments, at| read(arguments, at, numbered_lines).map(Value::String),
};

pub(crate) const READ_FILE: ToolDef = ToolDef {
    name: "read_file",
    description: "Returns the text of a file, or at most `limit` lines starting at `line`.",
    properties: || {
        json!({
            "path": {"type": "string", "description": "The file."},
            "line": {"type": "integer", "minimum": 1, "description": "The first line, from 1."},
            "limit": {"type": "integer", "minimum": 1, "description": "The maximum number of lines."},
        })
    },
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| read(&docker_agent_call(arguments, at), at, plain_lines).map(Value::String),
    ..READ
};

pub(crate) const READ_MULTIPLE_FILES: ToolDef = ToolDef {
    name: "read_multiple_files",
    description: "Returns the texts of several files. For a file that cannot be read it returns the reason instead.",
    required: &["paths"],
    properties: || {
        json!({
            "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "The files."},
            "json": {"type": "boolean", "description": "Whether the result is a JSON list of `path` and `content`. Default false."},
        })
    },
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let files = call_each_part(arguments, at, |part| {
            let content = read(part, at, plain_lines).unwrap_or_else(|reason| reason);
            (content.len(), (text_argument(part, "path").to_owned(), content))
        })?;
        if flag_argument(arguments, "json") {
            let file = |(path, content)| json!({"path": path, "content": content});
            return Ok(Value::String(files.into_iter().map(file).collect::<Value>().to_string()));
        }
        Ok(Value::String(files.iter().map(|(path, content)| format!("=== {path} ===\n{content}\n\n")).collect()))
    },
};

/// The form of some lines of a text, from a first to a last one.
type ShowLines = fn(&str, usize, usize) -> Result<String, String>;

/// The text of a file, or the lines of it that the call names.
fn read(call: &Value, context: &ToolContext<'_>, show: ShowLines) -> Result<String, String> {
    let text = context.read_file(text_argument(call, "path"))?;
    let (offset, limit) = (number_argument(call, "offset"), number_argument(call, "limit"));
    if offset.is_none() && limit.is_none() {
        return Ok(text);
    }
    let (first, count) = (offset.unwrap_or(1).max(1), LineView::new(&text).count());
    if first > count.max(1) {
        return Err(format!("line {first} is not in the file, which has {count} lines"));
    }
    show(&text, first, limit.map_or(count, |limit| count.min((first - 1).saturating_add(limit))))
}

fn numbered_lines(text: &str, first: usize, last: usize) -> Result<String, String> {
    LineView::new(text).numbered_range(first, last).map_err(|error| error.to_string())
}

fn plain_lines(text: &str, first: usize, last: usize) -> Result<String, String> {
    Ok(text.split_inclusive('\n').take(last).skip(first - 1).collect())
}

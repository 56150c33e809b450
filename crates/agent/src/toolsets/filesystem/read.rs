//! `read_file` and `read_multiple_files`.

use serde_json::{Value, json};

use super::{check_cancelled, text_list_argument};
use crate::tools::{ToolAccess, ToolDef, flag_argument, number_argument, text_argument};

pub(super) const ONE: ToolDef = ToolDef {
    name: "read_file",
    description: "Returns the text of a file, or at most `limit` lines starting at `line`.",
    required: &["path"],
    properties: || {
        json!({
            "path": {"type": "string", "description": "The file."},
            "line": {"type": "integer", "minimum": 1, "description": "The first line, from 1."},
            "limit": {"type": "integer", "minimum": 1, "description": "The maximum number of lines."},
        })
    },
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let content = at.read_file(text_argument(arguments, "path"))?;
        let (line, limit) = (number_argument(arguments, "line"), number_argument(arguments, "limit"));
        if line.is_none() && limit.is_none() {
            return Ok(Value::String(content));
        }
        let before = line.unwrap_or(1).saturating_sub(1);
        let lines = content.split_inclusive('\n').skip(before).take(limit.unwrap_or(usize::MAX));
        Ok(Value::String(lines.collect()))
    },
};

/// The maximum total size of the files of one call, so that the result fits into a message.
const MAX_BYTES: usize = 16 << 20;

pub(super) const MANY: ToolDef = ToolDef {
    name: "read_multiple_files",
    description: "Returns the texts of several files. For a file that cannot be read it returns the reason instead.",
    required: &["paths"],
    properties: || {
        json!({
            "paths": {"type": "array", "items": {"type": "string"}, "description": "The files."},
            "json": {"type": "boolean", "description": "Whether the result is a JSON list of `path` and `content`. Default false."},
        })
    },
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let mut files = Vec::new();
        let mut bytes = 0;
        for path in text_list_argument(arguments, "paths") {
            check_cancelled(at)?;
            let content = at.read_file(path).unwrap_or_else(|why| why);
            bytes += content.len();
            if bytes > MAX_BYTES {
                return Err(format!("the files are larger than {} MiB together; read fewer at once", MAX_BYTES >> 20));
            }
            files.push((path, content));
        }
        if flag_argument(arguments, "json") {
            let files: Vec<Value> =
                files.into_iter().map(|(path, content)| json!({"path": path, "content": content})).collect();
            return Ok(Value::String(Value::Array(files).to_string()));
        }
        Ok(Value::String(files.iter().map(|(path, content)| format!("=== {path} ===\n{content}\n\n")).collect()))
    },
};

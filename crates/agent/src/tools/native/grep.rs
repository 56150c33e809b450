//! `grep`: finds lines by content.

use std::ops::ControlFlow;
use std::path::Path;

use pintle::jail::glob_matcher;
use serde_json::{Value, json};

use crate::tools::{ToolAccess, ToolDef, dir_argument, flag_argument, search, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "grep",
    description: "Finds the lines of the workspace's text files that match a regular expression.",
    required: &["pattern"],
    properties: || {
        json!({
            "pattern": {"type": "string", "description": "The regular expression."},
            "path": {"type": "string", "description": "The file or directory to search. Default: the workspace."},
            "glob": {"type": "string", "description": "Search only files whose name matches this glob, such as `*.rs`."},
            "ignore_case": {"type": "boolean", "description": "Whether to ignore case. Default false."},
        })
    },
    access: ToolAccess::Reported,
    call,
};

/// The maximum number of lines in one result.
const MAX_LINES: usize = 500;

/// The maximum length of a line that is shown in full, in characters.
const MAX_CHARS: usize = 400;

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let written = text_argument(arguments, "pattern");
    let case = if flag_argument(arguments, "ignore_case") { "(?i)" } else { "" };
    let pattern = search::compile_pattern(&format!("{case}{written}"), written)?;
    let wanted = match text_argument(arguments, "glob") {
        "" => None,
        glob => Some(glob_matcher(glob)?),
    };
    let is_wanted = |file: &Path| wanted.as_ref().is_none_or(|wanted| wanted.is_match(file));
    let mut lines = Vec::new();
    search::search_tree(at, dir_argument(arguments, "path"), is_wanted, &pattern, |hit| {
        if lines.len() == MAX_LINES {
            lines.push(format!("more than {MAX_LINES} lines match; narrow the search"));
            return ControlFlow::Break(());
        }
        let shown: String = hit.line.chars().take(MAX_CHARS).collect();
        lines.push(format!("{}:{}:{shown}", hit.path, hit.number));
        ControlFlow::Continue(())
    })?;
    if lines.is_empty() {
        return Ok(Value::String(String::from("no line matches")));
    }
    Ok(Value::String(lines.join("\n")))
}

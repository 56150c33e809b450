//! `grep`: lines by content.

use std::path::Path;

use regex::RegexBuilder;
use serde_json::{Value, json};

use super::{Native, Offer};
use crate::tools::{ToolUse, flag, folder, text};
use crate::workspace::glob_matcher;

pub(super) const TOOL: Native = Native {
    name: "grep",
    offer: Offer::Always,
    alias: Some("fs.grep"),
    description: "Finds the lines of the workspace's text files that match a regular expression.",
    parameters: || {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "The regular expression."},
                "path": {"type": "string", "description": "The file or folder to look in. Default: the workspace."},
                "glob": {"type": "string", "description": "Look only in files with such a name, as in `*.rs`."},
                "ignore_case": {"type": "boolean", "description": "Whether case does not count. Default false."},
            },
            "required": ["pattern"],
        })
    },
    call,
};

/// The most lines in one result.
const MAX_LINES: usize = 500;

/// The longest line that is shown whole.
const MAX_CHARS: usize = 400;

fn call(arguments: &Value, at: &ToolUse<'_>) -> Result<Value, String> {
    let pattern = text(arguments, "pattern");
    let regex = RegexBuilder::new(pattern).case_insensitive(flag(arguments, "ignore_case")).size_limit(1 << 20).build();
    let regex =
        regex.map_err(|fault| format!("`{pattern}` is not a regular expression: {}", one_line(&fault.to_string())))?;
    let workspace = at.workspace();
    let path = folder(arguments, "path");
    let paths = if workspace.stat(path)?.is_dir {
        let wanted = match text(arguments, "glob") {
            "" => None,
            glob => Some(glob_matcher(glob)?),
        };
        workspace.walk(path, |file: &Path| wanted.as_ref().is_none_or(|wanted| wanted.is_match(file)))?.paths
    } else {
        vec![path.to_owned()]
    };
    let mut lines = Vec::new();
    for path in paths {
        if at.cancel().is_cancelled() {
            return Err(String::from("cancelled"));
        }
        // What is not text, or too large, has no lines to show.
        let Ok(content) = workspace.read(&path) else { continue };
        for (index, line) in content.lines().enumerate().filter(|(_, line)| regex.is_match(line)) {
            if lines.len() == MAX_LINES {
                lines.push(format!("more than {MAX_LINES} lines match; narrow the search"));
                return Ok(Value::String(lines.join("\n")));
            }
            let shown: String = line.chars().take(MAX_CHARS).collect();
            lines.push(format!("{path}:{}:{shown}", index + 1));
        }
    }
    if lines.is_empty() {
        return Ok(Value::String(String::from("no line matches")));
    }
    Ok(Value::String(lines.join("\n")))
}

fn one_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

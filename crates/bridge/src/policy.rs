//! Prevents an agent from editing its own policy: calls that would change policy files are denied.
//!
//! Every host's calls are checked here after the hooks ran, even without hooks. File tools are judged by their paths,
//! shell commands by the words that evidently name written files; reading is never denied. Effects that are not visible
//! in the words (of a script that the command runs, or a variable that it sets) are not detected.

use std::path::PathBuf;

use pintle::ToolKind;
use pintle::loader::{PolicyPaths, judge_command, quote_word};
use pintle::tools::CanonicalCall;
use serde_json::Value;

use crate::HostDef;

/// Parts of the names of tools that only read.
const READING: [&str; 12] =
    ["read", "list", "get", "search", "find", "view", "grep", "glob", "tree", "info", "stat", "exists"];

/// Parts of the names of tools that change something, which take precedence.
const WRITING: [&str; 15] = [
    "write", "edit", "create", "delete", "remove", "move", "rename", "copy", "patch", "replace", "insert", "append",
    "set", "update", "save",
];

/// The deepest level of unknown tools' arguments that is examined.
const MAX_DEPTH: usize = 8;

/// A description of the policy that a call would change.
pub(crate) fn find_policy_change(paths: &PolicyPaths<'_>, parts: &[CanonicalCall]) -> Option<String> {
    parts.iter().find_map(|part| find_changed_policy(paths, part, parts))
}

/// The reason to deny a call that would change policy.
pub(crate) fn denial_text(changed: &str, host: &HostDef) -> String {
    let title = host.title;
    format!(
        "this would change {changed}, and an agent must not change its own policy; leave it unchanged, or ask the user \
         to edit it outside {title}, or to run `pintle pause` in a terminal of their own"
    )
}

/// A description of the policy that a part of a call would change.
fn find_changed_policy(paths: &PolicyPaths<'_>, part: &CanonicalCall, parts: &[CanonicalCall]) -> Option<String> {
    let file = |path: &PathBuf| format!("`{}`, a policy file", path.display());
    match part.kind {
        ToolKind::Shell => {
            let text = part.args.get("command").or_else(|| part.args.get("cmd")).map(command_text)?;
            let directory = part.args.get("directory").and_then(Value::as_str);
            let base = paths.with_working_dir(directory);
            let judged = judge_command(&base, &text);
            // The files of a patch in a command are resolved relative to every directory that the command enters.
            let patched = || {
                let files = parts.iter().filter(|other| other.kind.category() == "filesystem");
                let names: Vec<&str> = files.filter_map(|file| file.args.get("path")?.as_str()).collect();
                judged.visited_dirs.iter().find_map(|dir| names.iter().find_map(|name| dir.policy_changed_at(name)))
            };
            judged.changed_policy.clone().or_else(|| patched().as_ref().map(file))
        }
        ToolKind::Read | ToolKind::List | ToolKind::Search | ToolKind::Fetch | ToolKind::WebSearch => None,
        ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            collect_path_texts(&part.args, 0).iter().find_map(|path| paths.policy_changed_at(path)).as_ref().map(file)
        }
        ToolKind::Mcp | ToolKind::Other if !is_read_only_tool(&part.name) => {
            collect_path_texts(&part.args, 0).iter().find_map(|path| paths.policy_changed_at(path)).as_ref().map(file)
        }
        _ => None,
    }
}

/// Whether an unknown tool only reads, judged by its name.
fn is_read_only_tool(name: &str) -> bool {
    let name = name.rsplit("__").next().unwrap_or(name).to_lowercase();
    READING.iter().any(|word| name.contains(word)) && !WRITING.iter().any(|word| name.contains(word))
}

/// The strings among arguments that can be paths: one line, and not a URL.
fn collect_path_texts(args: &Value, depth: usize) -> Vec<&str> {
    match args {
        _ if depth > MAX_DEPTH => Vec::new(),
        Value::String(text) => Some(text.trim()).filter(|text| can_be_path(text)).into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(|item| collect_path_texts(item, depth + 1)).collect(),
        Value::Object(fields) => {
            // The content of a file is not its path.
            let is_text = |name: &str| ["content", "old", "new", "prompt", "description"].contains(&name);
            fields
                .iter()
                .filter(|(name, _)| !is_text(name))
                .flat_map(|(_, value)| collect_path_texts(value, depth + 1))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn can_be_path(text: &str) -> bool {
    let is_address = text.contains("://") && !text.starts_with("file://");
    !text.is_empty() && text.len() < 4096 && !text.contains(['\n', '\0']) && !is_address
}

/// A command as one text: some tools take a list of words.
fn command_text(command: &Value) -> String {
    match command {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            // A shell with its script as a separate word is that script.
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;

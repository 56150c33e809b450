//! Policy is not edited by whom it guards: calls that would change the files that hold policy are denied.
//!
//! Every host's calls are judged here after the hooks had their say, whether there are hooks or not. File tools are judged
//! by their paths, shell commands by the words in which they plainly write; reading is never denied. What a command does
//! beyond its words (a script that it runs, a variable that it fills) is not seen here.

use std::env;
use std::path::{Path, PathBuf};

use pintle::dialects::tools::CanonicalCall;
use pintle::loader::{PolicyFiles, PolicyPaths, judge_command, quote_word};
use serde_json::Value;

use crate::install::{InstallEnvironment, InstallScope};
use crate::{HOSTS, HostDef};

/// The canonical tools that only look.
const READERS: [&str; 6] = ["read", "list", "glob", "grep", "fetch", "search"];

/// What the name of a tool that only looks has in it.
const READING: [&str; 12] =
    ["read", "list", "get", "search", "find", "view", "grep", "glob", "tree", "info", "stat", "exists"];

/// What the name of a tool that changes something has in it, whatever else it has.
const WRITING: [&str; 15] = [
    "write", "edit", "create", "delete", "remove", "move", "rename", "copy", "patch", "replace", "insert", "append",
    "set", "update", "save",
];

/// The deepest that arguments of unknown tools are looked through.
const MAX_DEPTH: usize = 8;

/// Adds what this machine has besides the files that were loaded: the state directory, the settings of host agents, and
/// this program.
pub(crate) fn with_machine_policy(loaded: PolicyFiles, state: Option<&Path>, project: &Path) -> PolicyFiles {
    let settings = InstallEnvironment::from_env(project).map(|site| {
        let places = HOSTS
            .iter()
            .flat_map(|host| InstallScope::ALL.map(|scope| site.settings_path(scope, host.install.location(scope))));
        places.collect::<Vec<_>>()
    });
    loaded
        .with_paths(state.map(Path::to_owned))
        .with_paths(settings.unwrap_or_default())
        .with_paths(env::current_exe().ok())
}

/// Why a call is denied, when it would change policy.
pub(crate) fn policy_denial(paths: &PolicyPaths<'_>, host: &HostDef, parts: &[CanonicalCall]) -> Option<String> {
    let changed = parts.iter().find_map(|part| find_changed_policy(paths, part, parts))?;
    let title = host.title;
    Some(format!(
        "this would change {changed}, and an agent must not change its own policy; leave it unchanged, or ask the user \
         to edit it outside {title}"
    ))
}

/// What a part of a call would change, in words.
fn find_changed_policy(paths: &PolicyPaths<'_>, part: &CanonicalCall, parts: &[CanonicalCall]) -> Option<String> {
    let file = |path: &PathBuf| format!("`{}`, a policy file", path.display());
    match (part.name.as_str(), part.category) {
        ("shell", _) => {
            let text = part.args.get("command").or_else(|| part.args.get("cmd")).map(command_text)?;
            let directory = part.args.get("directory").and_then(Value::as_str);
            let base = paths.with_working_dir(directory);
            let judged = judge_command(&base, &text);
            // Files of a patch in a command are seen from every folder that the command goes to.
            let patched = || {
                let files = parts.iter().filter(|other| other.name != "shell" && other.category == Some("filesystem"));
                let names: Vec<&str> = files.filter_map(|file| file.args.get("path")?.as_str()).collect();
                judged
                    .visited_dirs
                    .iter()
                    .find_map(|folder| names.iter().find_map(|name| folder.policy_changed_at(name)))
            };
            judged.changed_policy.clone().or_else(|| patched().as_ref().map(file))
        }
        (name, _) if READERS.contains(&name) => None,
        (_, Some("filesystem")) => {
            collect_path_texts(&part.args, 0).iter().find_map(|path| paths.policy_changed_at(path)).as_ref().map(file)
        }
        (name, Some("mcp" | "other") | None) if !is_read_only_tool(name) => {
            collect_path_texts(&part.args, 0).iter().find_map(|path| paths.policy_changed_at(path)).as_ref().map(file)
        }
        _ => None,
    }
}

/// Whether a tool that no table knows only looks, by its name.
fn is_read_only_tool(name: &str) -> bool {
    let name = name.rsplit("__").next().unwrap_or(name).to_lowercase();
    READING.iter().any(|word| name.contains(word)) && !WRITING.iter().any(|word| name.contains(word))
}

/// The texts among arguments that can be paths: one line, and not an address on the network.
fn collect_path_texts(args: &Value, depth: usize) -> Vec<&str> {
    match args {
        _ if depth > MAX_DEPTH => Vec::new(),
        Value::String(text) => Some(text.trim()).filter(|text| can_be_path(text)).into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(|item| collect_path_texts(item, depth + 1)).collect(),
        Value::Object(fields) => {
            // The texts of a file are not where it is.
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
            // A shell with its script as a word of its own is that script.
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

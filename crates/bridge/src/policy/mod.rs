//! Prevents an agent from editing its own policy: calls that would change policy files are denied.
//!
//! Every host's calls are checked here after the hooks ran, even without hooks. File tools are judged by their paths,
//! command lines by what they and the scripts that they run plainly do to files, whichever tool gets them; reading is never
//! denied, but for the private key of this machine. What cannot be seen, such as what a program does that it runs, is not detected.

use std::path::{Path, PathBuf};

use pintle_host::contract::ToolKind;
use pintle_host::loader::{PolicyPaths, judge_command};
use pintle_host::shell::{is_reading_tool, possible_paths, tool_commands};
use pintle_host::tools::CanonicalCall;
use serde_json::{Value, json};

use crate::HostDef;

/// What a call would do to what guards the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GuardedAccess {
    /// It would read the private key of this machine by this path.
    ReadsKey(PathBuf),
    /// It would change the policy with this description.
    ChangesPolicy(String),
}

/// What a call would do to what guards the agent. `tool` is the host's own name of the tool, which says in which language a
/// command line is.
pub(crate) fn find_guarded_access(
    paths: &PolicyPaths<'_>,
    tool: &str,
    parts: &[CanonicalCall],
) -> Option<GuardedAccess> {
    parts.iter().find_map(|part| find_access(paths, tool, part, parts))
}

/// The reason to deny a call that would read the private key of this machine.
pub(crate) fn key_denial_text(key: &Path) -> String {
    format!(
        "this would read `{}`, the key with which this machine signs tapes, which is only for Pintle; leave it alone \
         (`pintle tape key` prints the public key)",
        key.display()
    )
}

/// The reason to deny a call that would change policy.
pub(crate) fn denial_text(changed: &str, host: &HostDef) -> String {
    let title = host.title;
    format!(
        "this would change {changed}, and an agent must not change its own policy; leave it unchanged, or ask the user \
         to edit it outside {title}, or to run `pintle pause` in a terminal of their own"
    )
}

/// What a part of a call would do.
fn find_access(
    paths: &PolicyPaths<'_>,
    tool: &str,
    call: &CanonicalCall,
    parts: &[CanonicalCall],
) -> Option<GuardedAccess> {
    let changed = match call.kind {
        ToolKind::Shell => {
            let directory = call.args.get("directory").and_then(Value::as_str);
            let base = paths.with_working_dir(directory);
            let judged = judge_command(&base, tool, &call.args);
            if let Some(key) = judged.read_key {
                return Some(GuardedAccess::ReadsKey(key));
            }
            // The files of a patch in a command are resolved relative to every directory that the command enters.
            let patched = || {
                let files = parts.iter().filter(|other| other.kind.category() == "filesystem");
                let names: Vec<&str> = files.filter_map(|file| file.args.get("path")?.as_str()).collect();
                judged.visited_dirs.iter().find_map(|dir| names.iter().find_map(|name| dir.policy_changed_at(name)))
            };
            judged.changed_policy.clone().or_else(|| patched().as_deref().map(describe_file))
        }
        // The names of files are no secret.
        ToolKind::Search if call.name == "glob" => None,
        ToolKind::Read | ToolKind::Search | ToolKind::Fetch => return find_named_key(paths, call),
        ToolKind::List | ToolKind::WebSearch => None,
        ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::Move => possible_paths(&call.name, &call.args)
            .iter()
            .find_map(|path| paths.policy_changed_at(path))
            .as_deref()
            .map(describe_file),
        ToolKind::Mcp | ToolKind::Other => return find_access_by_other_tool(paths, call),
        _ => None,
    };
    changed.map(GuardedAccess::ChangesPolicy)
}

/// Whether a call names the private key of this machine.
fn find_named_key(paths: &PolicyPaths<'_>, call: &CanonicalCall) -> Option<GuardedAccess> {
    let named = possible_paths(&call.name, &call.args);
    named.iter().find_map(|path| paths.key_read_at(path)).map(GuardedAccess::ReadsKey)
}

/// What a tool does that Pintle does not know: by a command line that it gets, or a file that it names.
fn find_access_by_other_tool(paths: &PolicyPaths<'_>, call: &CanonicalCall) -> Option<GuardedAccess> {
    let by_command = tool_commands(&call.name, &call.args).into_iter().find_map(|command| {
        let base =
            command.directories.iter().fold(paths.clone(), |base, dir| base.with_working_dir(Some(dir.as_str())));
        let judged = judge_command(&base, &call.name, &json!({"command": command.line}));
        let key = judged.read_key.map(GuardedAccess::ReadsKey);
        key.or_else(|| judged.changed_policy.map(GuardedAccess::ChangesPolicy))
    });
    let named = || {
        let texts = if is_reading_tool(&call.name) { Vec::new() } else { possible_paths(&call.name, &call.args) };
        texts.into_iter().find_map(|path| paths.policy_changed_at(path))
    };
    let changed = || named().as_deref().map(describe_file).map(GuardedAccess::ChangesPolicy);
    by_command.or_else(|| find_named_key(paths, call)).or_else(changed)
}

fn describe_file(path: &Path) -> String {
    format!("`{}`, a policy file", path.display())
}

#[cfg(test)]
mod tests;

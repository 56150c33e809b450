//! Prevents an agent from editing its own policy: calls that would change policy files are denied.
//!
//! Every host's calls are checked here after the hooks ran, even without hooks. File tools are judged by their paths,
//! command lines by what they and the scripts that they run plainly do to files, whichever tool gets them; reading is never
//! denied. What cannot be seen, such as what a program does that it runs, is not detected.

use std::path::Path;

use pintle_host::contract::ToolKind;
use pintle_host::loader::{PolicyPaths, judge_command};
use pintle_host::shell::{is_reading_tool, possible_paths, tool_commands};
use pintle_host::tools::CanonicalCall;
use serde_json::{Value, json};

use crate::HostDef;

/// A description of the policy that a call would change. `tool` is the host's own name of the tool, which says in which
/// language a command line is.
pub(crate) fn find_policy_change(paths: &PolicyPaths<'_>, tool: &str, parts: &[CanonicalCall]) -> Option<String> {
    parts.iter().find_map(|part| find_changed_policy(paths, tool, part, parts))
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
fn find_changed_policy(
    paths: &PolicyPaths<'_>,
    tool: &str,
    call: &CanonicalCall,
    parts: &[CanonicalCall],
) -> Option<String> {
    match call.kind {
        ToolKind::Shell => {
            let directory = call.args.get("directory").and_then(Value::as_str);
            let base = paths.with_working_dir(directory);
            let judged = judge_command(&base, tool, &call.args);
            // The files of a patch in a command are resolved relative to every directory that the command enters.
            let patched = || {
                let files = parts.iter().filter(|other| other.kind.category() == "filesystem");
                let names: Vec<&str> = files.filter_map(|file| file.args.get("path")?.as_str()).collect();
                judged.visited_dirs.iter().find_map(|dir| names.iter().find_map(|name| dir.policy_changed_at(name)))
            };
            judged.changed_policy.clone().or_else(|| patched().as_deref().map(describe_file))
        }
        ToolKind::Read | ToolKind::List | ToolKind::Search | ToolKind::Fetch | ToolKind::WebSearch => None,
        ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::Move => possible_paths(&call.name, &call.args)
            .iter()
            .find_map(|path| paths.policy_changed_at(path))
            .as_deref()
            .map(describe_file),
        ToolKind::Mcp | ToolKind::Other => find_change_by_other_tool(paths, call),
        _ => None,
    }
}

/// What a tool changes that Pintle does not know: by a command line that it gets, or a file that it names.
fn find_change_by_other_tool(paths: &PolicyPaths<'_>, call: &CanonicalCall) -> Option<String> {
    let by_command = tool_commands(&call.name, &call.args).into_iter().find_map(|command| {
        let base =
            command.directories.iter().fold(paths.clone(), |base, dir| base.with_working_dir(Some(dir.as_str())));
        judge_command(&base, &call.name, &json!({"command": command.line})).changed_policy
    });
    let named = || {
        let texts = if is_reading_tool(&call.name) { Vec::new() } else { possible_paths(&call.name, &call.args) };
        texts.into_iter().find_map(|path| paths.policy_changed_at(path))
    };
    by_command.or_else(|| named().as_deref().map(describe_file))
}

fn describe_file(path: &Path) -> String {
    format!("`{}`, a policy file", path.display())
}

#[cfg(test)]
mod tests;

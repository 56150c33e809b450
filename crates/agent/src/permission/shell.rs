//! Shell commands of calls: which tools run them, and how safe one is.

use std::path::Path;

use pintle_host::files::resolve_links;
use pintle_host::{CommandSafety, classify_command};
use serde_json::Value;

/// The tool that runs a shell command and waits for it.
const TOOL: &str = "shell";

/// The tools that run shell commands. Rules that deny or ask about calls of `shell` are for the others as well.
const BACKGROUND_TOOL: &str = "run_background_job";

/// The argument names that hold a shell command.
pub(super) const ARGUMENTS: [&str; 2] = ["cmd", "command"];

/// The argument names that hold the directory of a command.
const DIRECTORIES: [&str; 2] = ["cwd", "directory"];

/// The other name by which a rule that denies or asks covers a tool.
pub(super) fn covering_name(tool: &str) -> Option<&'static str> {
    (tool == BACKGROUND_TOOL).then_some(TOOL)
}

/// The safety of a shell call; `None` for any other tool. A call with two commands has unknown safety.
pub(super) fn command_safety(tool: &str, args: &Value, workspace: &Path) -> Option<CommandSafety> {
    if tool != TOOL {
        return None;
    }
    let mut commands = ARGUMENTS.iter().filter_map(|name| args.get(*name));
    match (commands.next().and_then(Value::as_str), commands.next()) {
        (Some(command), None) => {
            let workspace = resolve_links(workspace);
            let directory = DIRECTORIES.iter().find_map(|name| args.get(*name)?.as_str()).unwrap_or_default();
            let cwd = resolve_links(&workspace.join(directory));
            Some(classify_command(command, &cwd, &workspace))
        }
        _ => Some(CommandSafety::Unknown),
    }
}

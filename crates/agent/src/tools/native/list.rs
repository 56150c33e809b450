//! Lists directories: `list`, `list_directory` and `directory_tree`.

use std::path::Path;

use pintle_host::jail::EntryStat;
use serde_json::{Value, json};

use super::parts::{check_cancelled, docker_agent_call};
use crate::tools::{ToolAccess, ToolDef, dir_argument};
use crate::turn_context::ToolContext;

/// The maximum number of entries of one listing or tree, as in docker-agent.
const MAX_ENTRIES: usize = 100;

/// The maximum number of paths in a result of the first family.
const MAX_PATHS: usize = 1_000;

/// The maximum depth of a tree; deeper directories are shown without their content.
const MAX_DEPTH: usize = 64;

/// The directory of version control, which is not listed.
const HIDDEN: &str = ".git";

pub(super) const LIST: ToolDef = ToolDef {
    name: "list",
    description: "Lists a directory of the workspace. Directories end in `/`.",
    required: &[],
    properties: || json!({"path": {"type": "string", "description": "The directory. Default: the workspace."}}),
    access: ToolAccess::Reported,
    call: |_, arguments, at| {
        let name = |entry: EntryStat| if entry.is_dir { format!("{}/", entry.name) } else { entry.name };
        Ok(path_list(list(at, dir_argument(arguments, "path"))?.into_iter().map(name), false))
    },
};

pub(crate) const LIST_DIRECTORY: ToolDef = ToolDef {
    name: "list_directory",
    description: "Lists the files and directories in a directory, one per line: `FILE name` or `DIR  name`.",
    required: &["path"],
    properties: one_path_properties,
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let call = docker_agent_call(arguments, at);
        let path = dir_argument(&call, "path");
        let mut listed = list(at, path)?.into_iter();
        let line = |entry: EntryStat| format!("{} {}\n", if entry.is_dir { "DIR " } else { "FILE" }, entry.name);
        let mut lines: String = listed.by_ref().take(MAX_ENTRIES).map(line).collect();
        if listed.next().is_some() {
            lines.push_str("...output truncated due to file limit...\n");
        }
        // An empty result would look like a failure.
        Ok(Value::String(if lines.is_empty() { format!("Directory is empty: {path}\n") } else { lines }))
    },
};

pub(crate) const DIRECTORY_TREE: ToolDef = ToolDef {
    name: "directory_tree",
    description: "Returns a directory and everything in it as JSON: `name`, `type` (`file` or `directory`) and `children`. Stops after 100 entries.",
    call: |_, arguments, at| {
        let call = docker_agent_call(arguments, at);
        let path = dir_argument(&call, "path");
        let entries = list(at, path)?;
        let name = at.workspace().stat(path).map_err(|error| error.to_string())?.name;
        let mut left = MAX_ENTRIES;
        build_tree(at, Path::new(path), &name, entries, 0, &mut left).map(|tree| Value::String(tree.to_string()))
    },
    ..LIST_DIRECTORY
};

fn one_path_properties() -> Value {
    json!({"path": {"type": "string", "description": "The directory; `.` is the working directory."}})
}

/// The result of a native tool that finds files.
pub(super) fn path_list(mut paths: impl Iterator<Item = String>, is_cut: bool) -> Value {
    let shown: Vec<String> = paths.by_ref().take(MAX_PATHS).collect();
    if is_cut || paths.next().is_some() { json!({"paths": shown, "truncated": true}) } else { json!(shown) }
}

/// The entries of a directory, ordered by name.
fn list(context: &ToolContext<'_>, path: &str) -> Result<Vec<EntryStat>, String> {
    let mut entries = context.workspace().list(path).map_err(|error| error.to_string())?;
    entries.retain(|entry| entry.name != HIDDEN);
    Ok(entries)
}

/// A directory with these entries and everything in them, until none of the maximum number is left.
fn build_tree(
    context: &ToolContext<'_>,
    path: &Path,
    name: &str,
    entries: Vec<EntryStat>,
    depth: usize,
    left: &mut usize,
) -> Result<Value, String> {
    check_cancelled(context)?;
    let mut children = Vec::new();
    for entry in entries {
        if *left == 0 {
            break;
        }
        *left -= 1;
        children.push(if entry.is_dir {
            let within = path.join(&entry.name);
            // A directory that cannot be listed is shown without its content.
            let below =
                list(context, &within.to_string_lossy()).ok().filter(|_| depth + 1 < MAX_DEPTH).unwrap_or_default();
            build_tree(context, &within, &entry.name, below, depth + 1, left)?
        } else {
            json!({"name": entry.name, "type": "file"})
        });
    }
    Ok(json!({"name": name, "type": "directory", "children": children}))
}

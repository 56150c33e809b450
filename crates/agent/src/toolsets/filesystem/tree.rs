//! `directory_tree`.

use std::path::Path;

use serde_json::{Value, json};

use super::folders::one_path_properties;
use super::{HIDDEN, MAX_ENTRIES, check_cancelled};
use crate::tools::{ToolAccess, ToolDef, dir_argument};
use crate::turn_context::ToolContext;

/// The maximum depth; deeper directories are shown without their content.
const MAX_DEPTH: usize = 64;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "directory_tree",
    description: "Returns a directory and everything in it as JSON: `name`, `type` (`file` or `directory`) and `children`. Stops after 100 entries.",
    required: &["path"],
    properties: one_path_properties,
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let path = dir_argument(arguments, "path");
        let mut left = MAX_ENTRIES;
        let stat = at.workspace().stat(path)?;
        if !stat.is_dir {
            return Err(format!("`{path}` is not a directory"));
        }
        let tree = build_tree(at, Path::new(path), &stat.name, 0, &mut left)?;
        Ok(Value::String(tree.to_string()))
    },
};

fn build_tree(at: &ToolContext<'_>, path: &Path, name: &str, depth: usize, left: &mut usize) -> Result<Value, String> {
    check_cancelled(at)?;
    let mut children = Vec::new();
    if depth < MAX_DEPTH {
        // A directory that cannot be listed is shown without its content.
        for entry in at.workspace().list(&path.to_string_lossy()).unwrap_or_default() {
            if *left == 0 {
                break;
            }
            if entry.name == HIDDEN {
                continue;
            }
            *left -= 1;
            children.push(if entry.is_dir {
                build_tree(at, &path.join(&entry.name), &entry.name, depth + 1, left)?
            } else {
                json!({"name": entry.name, "type": "file"})
            });
        }
    }
    Ok(json!({"name": name, "type": "directory", "children": children}))
}

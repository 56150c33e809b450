//! `filesystem`: files of the workspace.
//!
//! Names, arguments and result texts are docker-agent's. Unlike there, no path can leave the workspace, and protected
//! files cannot be changed: every tool goes through [`crate::workspace`].

mod edit;
mod folders;
mod read;
mod search;
mod tree;

use serde_json::{Value, json};

use super::set::Toolset;
use crate::tools::{ToolAccess, ToolDef, build_tools, text_argument};
use crate::turn_context::ToolContext;
use crate::workspace::Workspace;

/// The maximum number of entries of one listing or tree, as in docker-agent.
const MAX_ENTRIES: usize = 100;

/// The directory of version control, which is not listed.
const HIDDEN: &str = ".git";

static TOOLS: [ToolDef; 9] = [
    tree::TOOL,
    edit::TOOL,
    folders::LIST,
    read::ONE,
    read::MANY,
    search::TOOL,
    ToolDef {
        name: "write_file",
        description: "Writes a file. Creates it or replaces its content, and creates missing directories.",
        required: &["path", "content"],
        properties: || {
            json!({
                "path": {"type": "string", "description": "The file."},
                "content": {"type": "string", "description": "The whole new text."},
            })
        },
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            let (path, content) = (text_argument(arguments, "path"), text_argument(arguments, "content"));
            at.files().write(path, content)?;
            Ok(Value::String(format!("File written successfully: {path} ({} bytes)", content.len())))
        },
    },
    folders::CREATE,
    folders::REMOVE,
];

pub(super) fn open(workspace: &Workspace) -> Toolset {
    Toolset {
        tools: build_tools("filesystem", &TOOLS, ()),
        instruction: format!(
            "Files: the working directory is {:?} and relative paths start there; nothing outside it can be reached. \
             Read several files with one `read_multiple_files`. Find text with `search_files_content`.",
            workspace.root()
        ),
        ..Toolset::default()
    }
}

/// A list of strings among the arguments; empty if it is missing.
fn text_list_argument<'a>(arguments: &'a Value, name: &str) -> Vec<&'a str> {
    arguments.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn check_cancelled(at: &ToolContext<'_>) -> Result<(), String> {
    if at.cancel().is_cancelled() { Err(String::from("cancelled")) } else { Ok(()) }
}

//! `filesystem`: files of the workspace (docker-agent, filesystem tool).
//!
//! Names, arguments and the words of results are docker-agent's. Unlike there no path leaves the workspace, and what is
//! protected stays so: every tool goes through [`crate::workspace`].

mod edit;
mod folders;
mod read;
mod search;
mod tree;

use std::sync::Arc;

use serde_json::{Value, json};

use super::set::{self, ToolDef, Toolset};
use crate::tools::{ToolContext, text_argument};
use crate::workspace::Workspace;

/// The most entries of one listing or tree (docker-agent, filesystem tool).
const MAX_ENTRIES: usize = 100;

/// What tells a folder of version control, which is no part of the work.
const HIDDEN: &str = ".git";

/// The tools share nothing: all they need is in their use.
#[derive(Debug)]
struct NoFilesystemState;

static TOOLS: [ToolDef<NoFilesystemState>; 9] = [
    tree::TOOL,
    edit::TOOL,
    folders::LIST,
    read::ONE,
    read::MANY,
    search::TOOL,
    ToolDef {
        name: "write_file",
        description: "Writes a file: makes it, or replaces all that is in it. Missing folders are made.",
        parameters: || {
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The file."},
                    "content": {"type": "string", "description": "The whole new text."},
                },
                "required": ["path", "content"],
            })
        },
        is_read_only: false,
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
        tools: set::build_tools("filesystem", &TOOLS, Arc::new(NoFilesystemState)),
        instruction: format!(
            "Files: the working directory is {:?} and relative paths begin there; nothing outside it can be reached. \
             Read several files with one `read_multiple_files`. Find text with `search_files_content`.",
            workspace.root()
        ),
        ..Toolset::default()
    }
}

/// A list of texts among the arguments; empty when it is absent.
fn text_list_argument<'a>(arguments: &'a Value, name: &str) -> Vec<&'a str> {
    arguments.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn check_cancelled(at: &ToolContext<'_>) -> Result<(), String> {
    if at.cancel().is_cancelled() { Err(String::from("cancelled")) } else { Ok(()) }
}

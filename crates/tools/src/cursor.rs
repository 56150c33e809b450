//! The tool vocabulary of Cursor.

use super::input_shape::InputShape;
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of Cursor.
pub static CURSOR: ToolVocabulary = ToolVocabulary {
    name: "cursor",
    mcp: McpNames::Colon,
    tools: &[
        ToolMapping::new(&["Shell", "run_terminal_cmd"], "shell").fields(&[
            ("cwd", "directory"),
            ("working_directory", "directory"),
            ("timeout", "timeout_ms"),
        ]),
        ToolMapping::new(&["Read", "ReadFile", "read_file"], "read")
            .fields(&[("file_path", "path"), ("target_file", "path")]),
        ToolMapping::new(&["Write"], "write").fields(&[("file_path", "path"), ("contents", "content")]),
        ToolMapping::new(&["StrReplace", "Edit", "search_replace"], "edit").fields(&[
            ("file_path", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
            ("replace_all", "all"),
        ]),
        ToolMapping::new(&["EditNotebook"], "edit").fields(&[
            ("target_notebook", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
        ]),
        ToolMapping::new(&["edit_file"], "edit").fields(&[("target_file", "path"), ("code_edit", "new")]),
        ToolMapping::new(&["ApplyPatch", "apply_patch"], "patch").shape(InputShape::Patch(&["patch", "input"])),
        ToolMapping::new(&["Delete", "delete_file"], "delete")
            .fields(&[("file_path", "path"), ("target_file", "path")]),
        ToolMapping::new(&["LS"], "list").fields(&[("target_directory", "path")]),
        ToolMapping::new(&["Glob"], "glob").fields(&[("glob_pattern", "pattern"), ("target_directory", "path")]),
        ToolMapping::new(&["Grep"], "grep").fields(&[("-i", "ignore_case")]),
        ToolMapping::new(&["WebFetch"], "fetch"),
        ToolMapping::new(&["WebSearch"], "search").fields(&[("search_term", "query")]),
        ToolMapping::new(&["Task"], "agent").fields(&[("task", "prompt"), ("subagent_type", "agent")]),
        ToolMapping::new(&["TodoWrite"], "todo"),
        ToolMapping::new(&["AskQuestion"], "ask_user"),
    ],
};

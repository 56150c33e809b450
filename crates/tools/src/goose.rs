//! The tool vocabulary of goose.

use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of goose.
pub static GOOSE: ToolVocabulary = ToolVocabulary {
    name: "goose",
    mcp: McpNames::Bare,
    tools: &[
        ToolMapping::new(&["developer__shell", "shell"], "shell"),
        ToolMapping::new(&["developer__write", "write"], "write"),
        ToolMapping::new(&["developer__edit", "edit"], "edit").fields(&[("before", "old"), ("after", "new")]),
        ToolMapping::new(&["developer__text_editor"], "edit")
            .requires("new_str")
            .fields(&[("old_str", "old"), ("new_str", "new")]),
        ToolMapping::new(&["developer__text_editor"], "write")
            .requires("file_text")
            .fields(&[("file_text", "content")]),
        ToolMapping::new(&["developer__text_editor"], "read"),
        ToolMapping::new(&["developer__tree"], "list"),
    ],
};

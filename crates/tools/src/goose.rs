//! The tool vocabulary of goose.

use super::{InputShape, McpNames, ToolMapping, ToolVocabulary};

/// The tool vocabulary of goose.
pub static GOOSE: ToolVocabulary = ToolVocabulary {
    name: "goose",
    mcp: McpNames::Bare,
    tools: &[
        ToolMapping {
            native_names: &["developer__shell", "shell"],
            required_field: None,
            canonical: "shell",
            category: "shell",
            fields: &[],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["developer__write", "write"],
            required_field: None,
            canonical: "write",
            category: "filesystem",
            fields: &[],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["developer__edit", "edit"],
            required_field: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("before", "old"), ("after", "new")],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["developer__text_editor"],
            required_field: Some("new_str"),
            canonical: "edit",
            category: "filesystem",
            fields: &[("old_str", "old"), ("new_str", "new")],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["developer__text_editor"],
            required_field: Some("file_text"),
            canonical: "write",
            category: "filesystem",
            fields: &[("file_text", "content")],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["developer__text_editor"],
            required_field: None,
            canonical: "read",
            category: "filesystem",
            fields: &[],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["developer__tree"],
            required_field: None,
            canonical: "list",
            category: "filesystem",
            fields: &[],
            form: InputShape::Plain,
        },
    ],
};

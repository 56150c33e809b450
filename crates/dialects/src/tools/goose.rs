//! The tools of goose.

use super::{Form, McpNames, Tool, Vocabulary};

/// The tools of goose.
pub static GOOSE: Vocabulary = Vocabulary {
    name: "goose",
    mcp: McpNames::Bare,
    tools: &[
        Tool {
            host: &["developer__shell", "shell"],
            when: None,
            canonical: "shell",
            category: "shell",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["developer__write", "write"],
            when: None,
            canonical: "write",
            category: "filesystem",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["developer__edit", "edit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("before", "old"), ("after", "new")],
            form: Form::Plain,
        },
        Tool {
            host: &["developer__text_editor"],
            when: Some("new_str"),
            canonical: "edit",
            category: "filesystem",
            fields: &[("old_str", "old"), ("new_str", "new")],
            form: Form::Plain,
        },
        Tool {
            host: &["developer__text_editor"],
            when: Some("file_text"),
            canonical: "write",
            category: "filesystem",
            fields: &[("file_text", "content")],
            form: Form::Plain,
        },
        Tool {
            host: &["developer__text_editor"],
            when: None,
            canonical: "read",
            category: "filesystem",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["developer__tree"],
            when: None,
            canonical: "list",
            category: "filesystem",
            fields: &[],
            form: Form::Plain,
        },
    ],
};

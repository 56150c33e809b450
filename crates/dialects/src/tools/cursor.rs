//! The tools of Cursor.

use super::{Form, McpNames, Tool, Vocabulary};

/// The tools of Cursor.
pub static CURSOR: Vocabulary = Vocabulary {
    name: "cursor",
    mcp: McpNames::Colon,
    tools: &[
        Tool {
            host: &["Shell"],
            when: None,
            canonical: "shell",
            category: "shell",
            fields: &[("cwd", "directory"), ("working_directory", "directory"), ("timeout", "timeout_ms")],
            form: Form::Plain,
        },
        Tool {
            host: &["Read", "ReadFile"],
            when: None,
            canonical: "read",
            category: "filesystem",
            fields: &[("file_path", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["Write"],
            when: None,
            canonical: "write",
            category: "filesystem",
            fields: &[("file_path", "path"), ("contents", "content")],
            form: Form::Plain,
        },
        Tool {
            host: &["StrReplace", "Edit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")],
            form: Form::Plain,
        },
        Tool {
            host: &["Delete"],
            when: None,
            canonical: "delete",
            category: "filesystem",
            fields: &[("file_path", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["LS"],
            when: None,
            canonical: "list",
            category: "filesystem",
            fields: &[("target_directory", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["Glob"],
            when: None,
            canonical: "glob",
            category: "filesystem",
            fields: &[("glob_pattern", "pattern"), ("target_directory", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["Grep"],
            when: None,
            canonical: "grep",
            category: "filesystem",
            fields: &[("-i", "ignore_case")],
            form: Form::Plain,
        },
        Tool {
            host: &["WebFetch"],
            when: None,
            canonical: "fetch",
            category: "network",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["WebSearch"],
            when: None,
            canonical: "search",
            category: "network",
            fields: &[("search_term", "query")],
            form: Form::Plain,
        },
        Tool {
            host: &["Task"],
            when: None,
            canonical: "agent",
            category: "agent",
            fields: &[("task", "prompt"), ("subagent_type", "agent")],
            form: Form::Plain,
        },
    ],
};

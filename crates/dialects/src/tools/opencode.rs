//! The tools of OpenCode.

use super::{Element, Form, McpNames, Tool, Vocabulary};

/// The tools of OpenCode.
pub static OPENCODE: Vocabulary = Vocabulary {
    name: "opencode",
    mcp: McpNames::Unmarked,
    tools: &[
        Tool {
            host: &["bash"],
            when: None,
            canonical: "shell",
            category: "shell",
            fields: &[("timeout", "timeout_ms"), ("workdir", "directory")],
            form: Form::Plain,
        },
        Tool {
            host: &["read"],
            when: None,
            canonical: "read",
            category: "filesystem",
            fields: &[("filePath", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["write"],
            when: None,
            canonical: "write",
            category: "filesystem",
            fields: &[("filePath", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["edit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("filePath", "path"), ("oldString", "old"), ("newString", "new"), ("replaceAll", "all")],
            form: Form::Plain,
        },
        Tool {
            host: &["multiedit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("oldString", "old"), ("newString", "new"), ("replaceAll", "all")],
            form: Form::List { key: "edits", element: Element::Object("new"), shared: &[("filePath", "path")] },
        },
        Tool {
            host: &["patch", "apply_patch"],
            when: None,
            canonical: "patch",
            category: "filesystem",
            fields: &[],
            form: Form::Patch(&["patchText", "patch", "input"]),
        },
        Tool { host: &["list"], when: None, canonical: "list", category: "filesystem", fields: &[], form: Form::Plain },
        Tool { host: &["glob"], when: None, canonical: "glob", category: "filesystem", fields: &[], form: Form::Plain },
        Tool {
            host: &["grep"],
            when: None,
            canonical: "grep",
            category: "filesystem",
            fields: &[("include", "glob")],
            form: Form::Plain,
        },
        Tool {
            host: &["webfetch"],
            when: None,
            canonical: "fetch",
            category: "network",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["websearch"],
            when: None,
            canonical: "search",
            category: "network",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["task"],
            when: None,
            canonical: "agent",
            category: "agent",
            fields: &[("subagent_type", "agent")],
            form: Form::Plain,
        },
    ],
};

//! The tool vocabularies of GitHub Copilot CLI.

use super::input_shape::{InputShape, ListElement};
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of Copilot CLI, for hooks in its own form.
pub static COPILOT: ToolVocabulary = ToolVocabulary {
    name: "copilot",
    mcp: McpNames::Dash,
    tools: &[
        ToolMapping::new(&["bash", "powershell"], "shell").fields(&[("timeout", "timeout_ms"), ("cwd", "directory")]),
        ToolMapping::new(&["write_bash", "write_powershell"], "shell").fields(&[("input", "command")]),
        ToolMapping::new(&["view", "show_file"], "read"),
        ToolMapping::new(&["create"], "write").fields(&[("file_text", "content")]),
        ToolMapping::new(&["edit"], "edit").fields(&[("old_str", "old"), ("new_str", "new")]),
        ToolMapping::new(&["str_replace_editor"], "write").requires("file_text").fields(&[("file_text", "content")]),
        ToolMapping::new(&["str_replace_editor"], "edit")
            .requires("new_str")
            .fields(&[("old_str", "old"), ("new_str", "new")]),
        ToolMapping::new(&["str_replace_editor"], "read"),
        ToolMapping::new(&["apply_patch", "git_apply_patch"], "patch")
            .shape(InputShape::Patch(&["patch", "input", "command"])),
        ToolMapping::new(&["glob"], "glob").requires("paths").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[("pattern", "pattern")],
        }),
        ToolMapping::new(&["grep", "rg"], "grep").requires("paths").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[("pattern", "pattern"), ("glob", "glob"), ("-i", "ignore_case")],
        }),
        ToolMapping::new(&["glob"], "glob"),
        ToolMapping::new(&["grep", "rg"], "grep").fields(&[("-i", "ignore_case")]),
        ToolMapping::new(&["web_fetch", "fetch"], "fetch"),
        ToolMapping::new(&["web_search"], "search"),
        ToolMapping::new(&["task"], "agent").fields(&[("agent_type", "agent"), ("subagent_type", "agent")]),
    ],
};

/// The tool vocabulary for hooks in Claude Code's form: Claude's tool names with Copilot CLI's argument names.
pub static COPILOT_AS_CLAUDE: ToolVocabulary = ToolVocabulary {
    name: "copilot_as_claude",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&["Bash", "PowerShell", "bash", "powershell"], "shell")
            .fields(&[("timeout", "timeout_ms"), ("cwd", "directory")]),
        ToolMapping::new(&["write_bash", "write_powershell"], "shell").fields(&[("input", "command")]),
        ToolMapping::new(&["Read", "view", "show_file"], "read").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Write", "create"], "write").fields(&[("file_text", "content"), ("file_path", "path")]),
        ToolMapping::new(&["Edit", "edit"], "edit").fields(&[
            ("old_str", "old"),
            ("new_str", "new"),
            ("old_string", "old"),
            ("new_string", "new"),
            ("file_path", "path"),
            ("replace_all", "all"),
        ]),
        ToolMapping::new(&["apply_patch", "git_apply_patch"], "patch")
            .shape(InputShape::Patch(&["patch", "input", "command"])),
        ToolMapping::new(&["Glob", "glob"], "glob").requires("paths").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[("pattern", "pattern")],
        }),
        ToolMapping::new(&["Glob", "glob"], "glob"),
        ToolMapping::new(&["Grep", "grep", "rg"], "grep").requires("paths").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[("pattern", "pattern"), ("glob", "glob"), ("-i", "ignore_case")],
        }),
        ToolMapping::new(&["Grep", "grep", "rg"], "grep").fields(&[("-i", "ignore_case")]),
        ToolMapping::new(&["WebFetch", "web_fetch", "fetch"], "fetch"),
        ToolMapping::new(&["WebSearch", "web_search"], "search"),
        ToolMapping::new(&["Task", "Agent", "task"], "agent")
            .fields(&[("agent_type", "agent"), ("subagent_type", "agent")]),
    ],
};

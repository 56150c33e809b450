//! The tools of Codex.

use super::{Form, McpNames, Tool, Vocabulary};

/// The tools of Codex. It carries out patches that stand in a shell command itself.
pub static CODEX: Vocabulary = Vocabulary {
    name: "codex",
    mcp: McpNames::Doubled,
    tools: &[
        Tool {
            host: &["Bash", "shell", "local_shell", "shell_command"],
            when: None,
            canonical: "shell",
            category: "shell",
            fields: &[("workdir", "directory")],
            form: Form::MayPatch("command"),
        },
        Tool {
            host: &["exec_command"],
            when: None,
            canonical: "shell",
            category: "shell",
            fields: &[("cmd", "command"), ("workdir", "directory")],
            form: Form::MayPatch("cmd"),
        },
        Tool {
            host: &["apply_patch"],
            when: None,
            canonical: "patch",
            category: "filesystem",
            fields: &[],
            form: Form::Patch(&["command", "input", "patch"]),
        },
        Tool {
            host: &["Read", "read_file"],
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
            fields: &[("file_path", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["Edit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")],
            form: Form::Plain,
        },
        Tool {
            host: &["view_image"],
            when: None,
            canonical: "read",
            category: "filesystem",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["list_dir"],
            when: None,
            canonical: "list",
            category: "filesystem",
            fields: &[("dir_path", "path")],
            form: Form::Plain,
        },
        Tool {
            host: &["grep_files"],
            when: None,
            canonical: "grep",
            category: "filesystem",
            fields: &[("include", "glob")],
            form: Form::Plain,
        },
        Tool {
            host: &["web_search"],
            when: None,
            canonical: "search",
            category: "network",
            fields: &[],
            form: Form::Plain,
        },
        Tool {
            host: &["spawn_agent"],
            when: None,
            canonical: "agent",
            category: "agent",
            fields: &[("message", "prompt"), ("agent_type", "agent")],
            form: Form::Plain,
        },
    ],
};

//! The tool vocabulary of Codex.

use super::input_shape::InputShape;
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of Codex. It applies patches in a shell command itself.
pub static CODEX: ToolVocabulary = ToolVocabulary {
    name: "codex",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&["Bash", "shell", "local_shell", "shell_command"], "shell")
            .fields(&[("workdir", "directory")])
            .shape(InputShape::MayPatch("command")),
        ToolMapping::new(&["exec_command", "container.exec"], "shell")
            .fields(&[("cmd", "command"), ("workdir", "directory")])
            .shape(InputShape::MayPatch("cmd")),
        ToolMapping::new(&["unified_exec"], "shell")
            .fields(&[("cmd", "command"), ("input", "command"), ("workdir", "directory")])
            .shape(InputShape::MayPatch("cmd")),
        ToolMapping::new(&["write_stdin"], "shell").fields(&[("chars", "command"), ("input", "command")]),
        ToolMapping::new(&["js_repl"], "shell").fields(&[("code", "command")]),
        ToolMapping::new(&["apply_patch"], "patch").shape(InputShape::Patch(&["command", "input", "patch"])),
        ToolMapping::new(&["Read", "read_file"], "read").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Write"], "write").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Edit"], "edit").fields(&[
            ("file_path", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
            ("replace_all", "all"),
        ]),
        ToolMapping::new(&["view_image"], "read"),
        ToolMapping::new(&["list_dir"], "list").fields(&[("dir_path", "path")]),
        ToolMapping::new(&["grep_files"], "grep").fields(&[("include", "glob")]),
        ToolMapping::new(&["web_search"], "search"),
        ToolMapping::new(&["spawn_agent", "multi_agent_v1spawn_agent"], "agent")
            .fields(&[("message", "prompt"), ("agent_type", "agent")]),
        ToolMapping::new(&["update_plan"], "todo"),
        ToolMapping::new(&["request_user_input"], "ask_user"),
    ],
};

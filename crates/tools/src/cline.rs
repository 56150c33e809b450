//! The tool vocabulary of Cline, which accepts several commands or files in one call.

use super::input_shape::{InputShape, ListElement};
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of Cline, including older names.
pub static CLINE: ToolVocabulary = ToolVocabulary {
    name: "cline",
    mcp: McpNames::Bare,
    tools: &[
        ToolMapping::new(&["run_commands"], "shell").fields(&[("cwd", "directory")]).shape(InputShape::List {
            key: "commands",
            element: ListElement::Text("command"),
            shared: &[("cwd", "directory")],
        }),
        ToolMapping::new(&["execute_command"], "shell"),
        ToolMapping::new(&["read_files"], "read").shape(InputShape::List {
            key: "files",
            element: ListElement::Object("path"),
            shared: &[],
        }),
        ToolMapping::new(&["read_file"], "read"),
        ToolMapping::new(&["editor"], "edit").requires("old_text").fields(&[("old_text", "old"), ("new_text", "new")]),
        ToolMapping::new(&["editor"], "write").fields(&[("new_text", "content")]),
        ToolMapping::new(&["write_to_file"], "write"),
        ToolMapping::new(&["replace_in_file"], "edit").fields(&[("diff", "new")]),
        ToolMapping::new(&["delete_file"], "delete"),
        ToolMapping::new(&["apply_patch"], "patch").shape(InputShape::Patch(&["input", "patch", "command"])),
        ToolMapping::new(&["list_files"], "list"),
        ToolMapping::new(&["search_codebase"], "grep")
            .requires("queries")
            .fields(&[("regex", "pattern"), ("query", "pattern"), ("file_pattern", "glob")])
            .shape(InputShape::List {
                key: "queries",
                element: ListElement::Text("pattern"),
                shared: &[("path", "path")],
            }),
        ToolMapping::new(&["search_files", "search_codebase"], "grep")
            .fields(&[("regex", "pattern"), ("file_pattern", "glob")]),
        ToolMapping::new(&["fetch_web_content"], "fetch").requires("requests").shape(InputShape::List {
            key: "requests",
            element: ListElement::Object("url"),
            shared: &[],
        }),
        ToolMapping::new(&["fetch_web_content", "web_fetch"], "fetch"),
        ToolMapping::new(&["web_search"], "search"),
        ToolMapping::new(&["spawn_agent"], "agent").fields(&[("task", "prompt"), ("systemPrompt", "agent")]),
        ToolMapping::new(&["team_run_task"], "agent").fields(&[("task", "prompt"), ("agentId", "agent")]),
        ToolMapping::new(&["team_spawn_teammate"], "agent").fields(&[("rolePrompt", "prompt"), ("agentId", "agent")]),
        ToolMapping::new(&["new_task"], "agent").fields(&[("context", "prompt")]),
        ToolMapping::new(&["ask_followup_question", "ask_question"], "ask_user"),
    ],
};

//! The tool vocabulary of Claude Code, and of Copilot if its hooks use Claude's form.

use super::input_shape::{InputShape, ListElement};
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of Claude Code.
pub static CLAUDE: ToolVocabulary = ToolVocabulary {
    name: "claude",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&["Bash", "PowerShell", "Monitor"], "shell").fields(&[("timeout", "timeout_ms")]),
        ToolMapping::new(&["Read"], "read").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Write"], "write").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Edit"], "edit").fields(&[
            ("file_path", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
            ("replace_all", "all"),
        ]),
        ToolMapping::new(&["MultiEdit"], "edit")
            .fields(&[("old_string", "old"), ("new_string", "new"), ("replace_all", "all")])
            .shape(InputShape::List {
                key: "edits",
                element: ListElement::Object("new"),
                shared: &[("file_path", "path")],
            }),
        ToolMapping::new(&["NotebookEdit"], "edit").fields(&[("notebook_path", "path"), ("new_source", "new")]),
        ToolMapping::new(&["NotebookRead"], "read").fields(&[("notebook_path", "path")]),
        ToolMapping::new(&["LS"], "list"),
        ToolMapping::new(&["Glob"], "glob"),
        ToolMapping::new(&["Grep"], "grep").fields(&[("-i", "ignore_case")]),
        ToolMapping::new(&["WebFetch"], "fetch"),
        ToolMapping::new(&["WebSearch"], "search"),
        ToolMapping::new(&["Agent", "Task"], "agent").fields(&[("subagent_type", "agent")]),
        ToolMapping::new(&["TodoWrite", "TaskCreate", "TaskUpdate"], "todo"),
        ToolMapping::new(&["AskUserQuestion"], "ask_user"),
    ],
};

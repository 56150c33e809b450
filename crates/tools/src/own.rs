//! The tool vocabularies of Pintle's own agent loop: Pintle's canonical names, those of AI Harness projects, those of
//! docker-agent's toolsets, and Harn's.

use super::input_shape::{InputShape, ListElement};
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// Pintle's own names, the canonical ones.
pub static PINTLE: ToolVocabulary = ToolVocabulary {
    name: "pintle",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&["shell"], "shell"),
        ToolMapping::new(&["read"], "read"),
        ToolMapping::new(&["write"], "write"),
        ToolMapping::new(&["create_directory"], "create_directory"),
        ToolMapping::new(&["edit"], "edit"),
        ToolMapping::new(&["patch"], "patch").shape(InputShape::Patch(&["patch"])),
        ToolMapping::new(&["delete"], "delete"),
        ToolMapping::new(&["move"], "move"),
        ToolMapping::new(&["list"], "list"),
        ToolMapping::new(&["glob"], "glob"),
        ToolMapping::new(&["grep"], "grep"),
        ToolMapping::new(&["fetch"], "fetch"),
        ToolMapping::new(&["search"], "search"),
        ToolMapping::new(&["agent"], "agent"),
        ToolMapping::new(&["todo"], "todo"),
        ToolMapping::new(&["ask_user"], "ask_user"),
    ],
};

/// The shell of AI Harness projects, which define it themselves.
pub(crate) const PROJECT_SHELL: &str = "run_command";

/// The names of AI Harness projects. Arguments have their canonical names.
pub static AI_HARNESS: ToolVocabulary = ToolVocabulary {
    name: "ai_harness",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&[PROJECT_SHELL], "shell"),
        ToolMapping::new(&["fs.read"], "read"),
        ToolMapping::new(&["fs.write"], "write"),
        ToolMapping::new(&["fs.edit"], "edit"),
        ToolMapping::new(&["fs.list"], "list"),
        ToolMapping::new(&["fs.glob"], "glob"),
        ToolMapping::new(&["fs.grep"], "grep"),
        ToolMapping::new(&["fs.remove"], "delete"),
        ToolMapping::new(&["fs.move"], "move"),
    ],
};

const COMMAND: &[(&str, &str)] = &[("cmd", "command"), ("cwd", "directory")];

/// The names of docker-agent's toolsets.
pub static DOCKER_AGENT: ToolVocabulary = ToolVocabulary {
    name: "docker_agent",
    mcp: McpNames::Single,
    tools: &[
        ToolMapping::new(&["shell", "run_background_job"], "shell").fields(COMMAND),
        ToolMapping::new(&["read_file"], "read").fields(&[("line", "offset")]),
        ToolMapping::new(&["read_multiple_files"], "read").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[],
        }),
        ToolMapping::new(&["write_file"], "write"),
        ToolMapping::new(&["edit_file"], "edit")
            .fields(&[("oldText", "old"), ("newText", "new")])
            .shape(InputShape::List { key: "edits", element: ListElement::Object("new"), shared: &[("path", "path")] }),
        ToolMapping::new(&["list_directory", "directory_tree"], "list"),
        ToolMapping::new(&["create_directory"], "create_directory").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[],
        }),
        ToolMapping::new(&["remove_directory"], "delete").shape(InputShape::List {
            key: "paths",
            element: ListElement::Text("path"),
            shared: &[],
        }),
        ToolMapping::new(&["search_files_content"], "grep").fields(&[("query", "pattern")]),
        ToolMapping::new(&["fetch"], "fetch").shape(InputShape::List {
            key: "urls",
            element: ListElement::Text("url"),
            shared: &[],
        }),
        ToolMapping::new(&["transfer_task", "run_background_agent"], "agent").fields(&[("task", "prompt")]),
        ToolMapping::new(&["update_todos", "create_todos", "create_todo"], "todo"),
    ],
};

/// The names in Harn's documents.
pub static HARN: ToolVocabulary = ToolVocabulary {
    name: "harn",
    mcp: McpNames::Bare,
    tools: &[
        ToolMapping::new(&["exec"], "shell"),
        ToolMapping::new(&["read_file"], "read"),
        ToolMapping::new(&["write_file"], "write"),
        ToolMapping::new(&["edit_file"], "edit"),
    ],
};

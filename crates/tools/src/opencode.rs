//! The tool vocabulary of OpenCode.

use super::input_shape::{InputShape, ListElement};
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

/// The tool vocabulary of OpenCode.
pub static OPENCODE: ToolVocabulary = ToolVocabulary {
    name: "opencode",
    mcp: McpNames::Joined,
    tools: &[
        ToolMapping::new(&["bash"], "shell").fields(&[("timeout", "timeout_ms"), ("workdir", "directory")]),
        ToolMapping::new(&["read"], "read").fields(&[("filePath", "path")]),
        ToolMapping::new(&["write"], "write").fields(&[("filePath", "path")]),
        ToolMapping::new(&["edit"], "edit").fields(&[
            ("filePath", "path"),
            ("oldString", "old"),
            ("newString", "new"),
            ("replaceAll", "all"),
        ]),
        ToolMapping::new(&["multiedit"], "edit")
            .fields(&[("oldString", "old"), ("newString", "new"), ("replaceAll", "all")])
            .shape(InputShape::List {
                key: "edits",
                element: ListElement::Object("new"),
                shared: &[("filePath", "path")],
            }),
        ToolMapping::new(&["patch", "apply_patch"], "patch").shape(InputShape::Patch(&["patchText", "patch", "input"])),
        ToolMapping::new(&["list"], "list"),
        ToolMapping::new(&["glob"], "glob"),
        ToolMapping::new(&["grep"], "grep").fields(&[("include", "glob")]),
        ToolMapping::new(&["webfetch"], "fetch"),
        ToolMapping::new(&["websearch"], "search"),
        ToolMapping::new(&["task"], "agent").fields(&[("subagent_type", "agent")]),
        ToolMapping::new(&["todowrite"], "todo"),
        ToolMapping::new(&["question"], "ask_user"),
    ],
};

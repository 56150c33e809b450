//! The tool vocabularies of Gemini CLI and of its fork Qwen Code.

use super::input_shape::{InputShape, ListElement};
use super::mcp::McpNames;
use super::vocabulary::{ToolMapping, ToolVocabulary};

// Mappings that both have.

const SHELL: ToolMapping = ToolMapping::new(&["run_shell_command", "Shell", "ShellTool", "Bash"], "shell")
    .fields(&[("dir_path", "directory"), ("timeout", "timeout_ms")]);

const READ: ToolMapping = ToolMapping::new(&["read_file", "ReadFile", "Read"], "read")
    .fields(&[("file_path", "path"), ("absolute_path", "path")]);

const READ_MANY_INCLUDED: ToolMapping = ToolMapping::new(&["read_many_files"], "read")
    .requires("include")
    .shape(InputShape::List { key: "include", element: ListElement::Text("path"), shared: &[] });

const READ_MANY: ToolMapping = ToolMapping::new(&["read_many_files"], "read").shape(InputShape::List {
    key: "paths",
    element: ListElement::Text("path"),
    shared: &[],
});

const WRITE: ToolMapping =
    ToolMapping::new(&["write_file", "WriteFile", "Write"], "write").fields(&[("file_path", "path")]);

const LIST: ToolMapping =
    ToolMapping::new(&["list_directory", "ListFiles", "LS"], "list").fields(&[("dir_path", "path")]);

const GLOB: ToolMapping = ToolMapping::new(&["glob", "Glob", "FindFiles"], "glob").fields(&[("dir_path", "path")]);

const GREP: ToolMapping = ToolMapping::new(&["grep_search", "search_file_content", "Grep", "SearchText"], "grep")
    .fields(&[("dir_path", "path"), ("include_pattern", "glob"), ("include", "glob")]);

/// Gemini CLI fetches every address in the prompt.
const FETCH_PROMPT: ToolMapping =
    ToolMapping::new(&["web_fetch", "WebFetch"], "fetch").shape(InputShape::Addresses("prompt"));

const FETCH: ToolMapping = ToolMapping::new(&["web_fetch", "WebFetch"], "fetch");

const SEARCH: ToolMapping = ToolMapping::new(&["google_web_search", "web_search", "WebSearch"], "search");

/// The tool vocabulary of Gemini CLI, including older names.
pub static GEMINI: ToolVocabulary = ToolVocabulary {
    name: "gemini",
    mcp: McpNames::Single,
    tools: &[
        SHELL,
        READ,
        READ_MANY_INCLUDED,
        READ_MANY,
        WRITE,
        ToolMapping::new(&["replace", "edit", "Edit"], "edit").fields(&[
            ("file_path", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
            ("replace_all", "all"),
        ]),
        LIST,
        GLOB,
        GREP,
        FETCH_PROMPT,
        SEARCH,
        ToolMapping::new(&["invoke_agent", "delegate_to_agent", "agent", "Task", "Agent"], "agent")
            .fields(&[("agent_name", "agent"), ("subagent_type", "agent")]),
        ToolMapping::new(&["write_todos"], "todo"),
        ToolMapping::new(&["ask_user"], "ask_user"),
    ],
};

/// The tool vocabulary of Qwen Code, including Claude's names.
pub static QWEN: ToolVocabulary = ToolVocabulary {
    name: "qwen",
    mcp: McpNames::Doubled,
    tools: &[
        SHELL,
        ToolMapping::new(&["monitor", "Monitor"], "shell")
            .fields(&[("timeout", "timeout_ms"), ("dir_path", "directory")]),
        READ,
        READ_MANY_INCLUDED,
        READ_MANY,
        WRITE,
        ToolMapping::new(&["edit", "replace", "Edit"], "edit").fields(&[
            ("file_path", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
            ("replace_all", "all"),
        ]),
        ToolMapping::new(&["notebook_edit", "NotebookEdit"], "edit")
            .fields(&[("notebook_path", "path"), ("new_source", "new")]),
        LIST,
        GLOB,
        GREP,
        FETCH,
        SEARCH,
        ToolMapping::new(&["agent", "task", "invoke_agent", "Task", "Agent"], "agent")
            .fields(&[("subagent_type", "agent"), ("agent_name", "agent")]),
        ToolMapping::new(&["todo_write", "TodoWrite"], "todo"),
        ToolMapping::new(&["ask_user_question"], "ask_user"),
    ],
};

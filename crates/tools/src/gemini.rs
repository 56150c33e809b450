//! The tool vocabularies of Gemini CLI and of its fork Qwen Code.

use super::{InputShape, ListElement, McpNames, ToolMapping, ToolVocabulary};

// Mappings that both have.

const SHELL: ToolMapping = ToolMapping {
    native_names: &["run_shell_command", "Shell", "ShellTool", "Bash"],
    required_field: None,
    canonical: "shell",
    category: "shell",
    fields: &[("dir_path", "directory"), ("timeout", "timeout_ms")],
    form: InputShape::Plain,
};

const READ: ToolMapping = ToolMapping {
    native_names: &["read_file", "ReadFile", "Read"],
    required_field: None,
    canonical: "read",
    category: "filesystem",
    fields: &[("file_path", "path"), ("absolute_path", "path")],
    form: InputShape::Plain,
};

const READ_MANY_INCLUDED: ToolMapping = ToolMapping {
    native_names: &["read_many_files"],
    required_field: Some("include"),
    canonical: "read",
    category: "filesystem",
    fields: &[],
    form: InputShape::List { key: "include", element: ListElement::Text("path"), shared: &[] },
};

const READ_MANY: ToolMapping = ToolMapping {
    native_names: &["read_many_files"],
    required_field: None,
    canonical: "read",
    category: "filesystem",
    fields: &[],
    form: InputShape::List { key: "paths", element: ListElement::Text("path"), shared: &[] },
};

const WRITE: ToolMapping = ToolMapping {
    native_names: &["write_file", "WriteFile", "Write"],
    required_field: None,
    canonical: "write",
    category: "filesystem",
    fields: &[("file_path", "path")],
    form: InputShape::Plain,
};

const LIST: ToolMapping = ToolMapping {
    native_names: &["list_directory", "ListFiles", "LS"],
    required_field: None,
    canonical: "list",
    category: "filesystem",
    fields: &[("dir_path", "path")],
    form: InputShape::Plain,
};

const GLOB: ToolMapping = ToolMapping {
    native_names: &["glob", "Glob", "FindFiles"],
    required_field: None,
    canonical: "glob",
    category: "filesystem",
    fields: &[("dir_path", "path")],
    form: InputShape::Plain,
};

const GREP: ToolMapping = ToolMapping {
    native_names: &["grep_search", "search_file_content", "Grep", "SearchText"],
    required_field: None,
    canonical: "grep",
    category: "filesystem",
    fields: &[("dir_path", "path"), ("include_pattern", "glob"), ("include", "glob")],
    form: InputShape::Plain,
};

/// Gemini CLI fetches every address in the prompt.
const FETCH_PROMPT: ToolMapping = ToolMapping {
    native_names: &["web_fetch", "WebFetch"],
    required_field: None,
    canonical: "fetch",
    category: "network",
    fields: &[],
    form: InputShape::Addresses("prompt"),
};

const FETCH: ToolMapping = ToolMapping { form: InputShape::Plain, ..FETCH_PROMPT };

const SEARCH: ToolMapping = ToolMapping {
    native_names: &["google_web_search", "web_search", "WebSearch"],
    required_field: None,
    canonical: "search",
    category: "network",
    fields: &[],
    form: InputShape::Plain,
};

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
        ToolMapping {
            native_names: &["replace", "edit", "Edit"],
            required_field: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")],
            form: InputShape::Plain,
        },
        LIST,
        GLOB,
        GREP,
        FETCH_PROMPT,
        SEARCH,
        ToolMapping {
            native_names: &["invoke_agent", "delegate_to_agent", "agent", "Task", "Agent"],
            required_field: None,
            canonical: "agent",
            category: "agent",
            fields: &[("agent_name", "agent"), ("subagent_type", "agent")],
            form: InputShape::Plain,
        },
    ],
};

/// The tool vocabulary of Qwen Code, including Claude's names.
pub static QWEN: ToolVocabulary = ToolVocabulary {
    name: "qwen",
    mcp: McpNames::Doubled,
    tools: &[
        SHELL,
        ToolMapping {
            native_names: &["monitor", "Monitor"],
            required_field: None,
            canonical: "shell",
            category: "shell",
            fields: &[("timeout", "timeout_ms"), ("dir_path", "directory")],
            form: InputShape::Plain,
        },
        READ,
        READ_MANY_INCLUDED,
        READ_MANY,
        WRITE,
        ToolMapping {
            native_names: &["edit", "replace", "Edit"],
            required_field: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")],
            form: InputShape::Plain,
        },
        ToolMapping {
            native_names: &["notebook_edit", "NotebookEdit"],
            required_field: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("notebook_path", "path"), ("new_source", "new")],
            form: InputShape::Plain,
        },
        LIST,
        GLOB,
        GREP,
        FETCH,
        SEARCH,
        ToolMapping {
            native_names: &["agent", "task", "invoke_agent", "Task", "Agent"],
            required_field: None,
            canonical: "agent",
            category: "agent",
            fields: &[("subagent_type", "agent"), ("agent_name", "agent")],
            form: InputShape::Plain,
        },
    ],
};

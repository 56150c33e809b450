//! The tools of Gemini CLI and of Qwen Code, which came from it.

use super::{Element, Form, McpNames, Tool, Vocabulary};

// What both have alike.

const SHELL: Tool = Tool {
    host: &["run_shell_command", "Shell", "ShellTool", "Bash"],
    when: None,
    canonical: "shell",
    category: "shell",
    fields: &[("dir_path", "directory"), ("timeout", "timeout_ms")],
    form: Form::Plain,
};

const READ: Tool = Tool {
    host: &["read_file", "ReadFile", "Read"],
    when: None,
    canonical: "read",
    category: "filesystem",
    fields: &[("file_path", "path"), ("absolute_path", "path")],
    form: Form::Plain,
};

const READ_MANY_INCLUDED: Tool = Tool {
    host: &["read_many_files"],
    when: Some("include"),
    canonical: "read",
    category: "filesystem",
    fields: &[],
    form: Form::List { key: "include", element: Element::Text("path"), shared: &[] },
};

const READ_MANY: Tool = Tool {
    host: &["read_many_files"],
    when: None,
    canonical: "read",
    category: "filesystem",
    fields: &[],
    form: Form::List { key: "paths", element: Element::Text("path"), shared: &[] },
};

const WRITE: Tool = Tool {
    host: &["write_file", "WriteFile", "Write"],
    when: None,
    canonical: "write",
    category: "filesystem",
    fields: &[("file_path", "path")],
    form: Form::Plain,
};

const LIST: Tool = Tool {
    host: &["list_directory", "ListFiles", "LS"],
    when: None,
    canonical: "list",
    category: "filesystem",
    fields: &[("dir_path", "path")],
    form: Form::Plain,
};

const GLOB: Tool = Tool {
    host: &["glob", "Glob", "FindFiles"],
    when: None,
    canonical: "glob",
    category: "filesystem",
    fields: &[("dir_path", "path")],
    form: Form::Plain,
};

const GREP: Tool = Tool {
    host: &["grep_search", "search_file_content", "Grep", "SearchText"],
    when: None,
    canonical: "grep",
    category: "filesystem",
    fields: &[("dir_path", "path"), ("include_pattern", "glob"), ("include", "glob")],
    form: Form::Plain,
};

/// Gemini CLI fetches every address that stands in the prompt.
const FETCH_PROMPT: Tool = Tool {
    host: &["web_fetch", "WebFetch"],
    when: None,
    canonical: "fetch",
    category: "network",
    fields: &[],
    form: Form::Addresses("prompt"),
};

const FETCH: Tool = Tool { form: Form::Plain, ..FETCH_PROMPT };

const SEARCH: Tool = Tool {
    host: &["google_web_search", "web_search", "WebSearch"],
    when: None,
    canonical: "search",
    category: "network",
    fields: &[],
    form: Form::Plain,
};

/// The tools of Gemini CLI, under their older names as well.
pub static GEMINI: Vocabulary = Vocabulary {
    name: "gemini",
    mcp: McpNames::Single,
    tools: &[
        SHELL,
        READ,
        READ_MANY_INCLUDED,
        READ_MANY,
        WRITE,
        Tool {
            host: &["replace", "edit", "Edit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")],
            form: Form::Plain,
        },
        LIST,
        GLOB,
        GREP,
        FETCH_PROMPT,
        SEARCH,
        Tool {
            host: &["invoke_agent", "delegate_to_agent", "agent", "Task", "Agent"],
            when: None,
            canonical: "agent",
            category: "agent",
            fields: &[("agent_name", "agent"), ("subagent_type", "agent")],
            form: Form::Plain,
        },
    ],
};

/// The tools of Qwen Code, under Claude's names as well.
pub static QWEN: Vocabulary = Vocabulary {
    name: "qwen",
    mcp: McpNames::Doubled,
    tools: &[
        SHELL,
        Tool {
            host: &["monitor", "Monitor"],
            when: None,
            canonical: "shell",
            category: "shell",
            fields: &[("timeout", "timeout_ms"), ("dir_path", "directory")],
            form: Form::Plain,
        },
        READ,
        READ_MANY_INCLUDED,
        READ_MANY,
        WRITE,
        Tool {
            host: &["edit", "replace", "Edit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")],
            form: Form::Plain,
        },
        Tool {
            host: &["notebook_edit", "NotebookEdit"],
            when: None,
            canonical: "edit",
            category: "filesystem",
            fields: &[("notebook_path", "path"), ("new_source", "new")],
            form: Form::Plain,
        },
        LIST,
        GLOB,
        GREP,
        FETCH,
        SEARCH,
        Tool {
            host: &["agent", "task", "invoke_agent", "Task", "Agent"],
            when: None,
            canonical: "agent",
            category: "agent",
            fields: &[("subagent_type", "agent"), ("agent_name", "agent")],
            form: Form::Plain,
        },
    ],
};

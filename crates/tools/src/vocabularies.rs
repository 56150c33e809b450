//! The tool vocabularies of all agents, one table each.

use crate::input_shape::InputShape;
use crate::vocabulary::{McpNames, ToolMapping, ToolVocabulary};

/// Every vocabulary. Those of Pintle's own loop come first: if a name belongs to several, the first is meant.
pub static VOCABULARIES: &[&ToolVocabulary] = &[
    &PINTLE,
    &AI_HARNESS,
    &DOCKER_AGENT,
    &HARN,
    &CLAUDE,
    &CODEX,
    &GEMINI,
    &QWEN,
    &COPILOT,
    &COPILOT_AS_CLAUDE,
    &CURSOR,
    &CLINE,
    &GOOSE,
    &OPENCODE,
    &PI,
    &DROID,
];

/// The vocabulary with a name, such as `claude`.
#[must_use]
pub fn vocabulary_by_name(name: &str) -> Option<&'static ToolVocabulary> {
    VOCABULARIES.iter().find(|vocabulary| vocabulary.name == name).copied()
}

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

/// The arguments of Claude Code's editing, which most agents adopted.
const EDIT: &[(&str, &str)] =
    &[("file_path", "path"), ("old_string", "old"), ("new_string", "new"), ("replace_all", "all")];

const COMMAND: &[(&str, &str)] = &[("cmd", "command"), ("cwd", "directory")];

/// The names of docker-agent's toolsets.
pub static DOCKER_AGENT: ToolVocabulary = ToolVocabulary {
    name: "docker_agent",
    mcp: McpNames::Single,
    tools: &[
        ToolMapping::new(&["shell", "run_background_job"], "shell").fields(COMMAND),
        ToolMapping::new(&["read_file"], "read").fields(&[("line", "offset")]),
        ToolMapping::new(&["read_multiple_files"], "read").each_text("paths", "path", &[]),
        ToolMapping::new(&["write_file"], "write"),
        ToolMapping::new(&["edit_file"], "edit").fields(&[("oldText", "old"), ("newText", "new")]).each_object(
            "edits",
            "new",
            &[("path", "path")],
        ),
        ToolMapping::new(&["list_directory", "directory_tree"], "list"),
        ToolMapping::new(&["create_directory"], "create_directory").each_text("paths", "path", &[]),
        ToolMapping::new(&["remove_directory"], "delete").each_text("paths", "path", &[]),
        ToolMapping::new(&["search_files_content"], "grep").fields(&[("query", "pattern")]),
        ToolMapping::new(&["fetch"], "fetch").each_text("urls", "url", &[]),
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

/// The tool vocabulary of Claude Code.
pub static CLAUDE: ToolVocabulary = ToolVocabulary {
    name: "claude",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&["Bash", "PowerShell", "Monitor"], "shell").fields(&[("timeout", "timeout_ms")]),
        ToolMapping::new(&["Read"], "read").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Write"], "write").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Edit"], "edit").fields(EDIT),
        ToolMapping::new(&["MultiEdit"], "edit")
            .fields(&[("old_string", "old"), ("new_string", "new"), ("replace_all", "all")])
            .each_object("edits", "new", &[("file_path", "path")]),
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
        ToolMapping::new(&["Edit"], "edit").fields(EDIT),
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

// Mappings that Gemini CLI and Qwen Code have in common.

const SHELL: ToolMapping = ToolMapping::new(&["run_shell_command", "Shell", "ShellTool", "Bash"], "shell")
    .fields(&[("dir_path", "directory"), ("timeout", "timeout_ms")]);

const READ: ToolMapping = ToolMapping::new(&["read_file", "ReadFile", "Read"], "read")
    .fields(&[("file_path", "path"), ("absolute_path", "path")]);

const READ_MANY_INCLUDED: ToolMapping =
    ToolMapping::new(&["read_many_files"], "read").requires("include").each_text("include", "path", &[]);

const READ_MANY: ToolMapping = ToolMapping::new(&["read_many_files"], "read").each_text("paths", "path", &[]);

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
        ToolMapping::new(&["replace", "edit", "Edit"], "edit").fields(EDIT),
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
        ToolMapping::new(&["edit", "replace", "Edit"], "edit").fields(EDIT),
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
        ToolMapping::new(&["glob"], "glob").requires("paths").each_text("paths", "path", &[("pattern", "pattern")]),
        ToolMapping::new(&["grep", "rg"], "grep").requires("paths").each_text(
            "paths",
            "path",
            &[("pattern", "pattern"), ("glob", "glob"), ("-i", "ignore_case")],
        ),
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
        ToolMapping::new(&["Glob", "glob"], "glob").requires("paths").each_text(
            "paths",
            "path",
            &[("pattern", "pattern")],
        ),
        ToolMapping::new(&["Glob", "glob"], "glob"),
        ToolMapping::new(&["Grep", "grep", "rg"], "grep").requires("paths").each_text(
            "paths",
            "path",
            &[("pattern", "pattern"), ("glob", "glob"), ("-i", "ignore_case")],
        ),
        ToolMapping::new(&["Grep", "grep", "rg"], "grep").fields(&[("-i", "ignore_case")]),
        ToolMapping::new(&["WebFetch", "web_fetch", "fetch"], "fetch"),
        ToolMapping::new(&["WebSearch", "web_search"], "search"),
        ToolMapping::new(&["Task", "Agent", "task"], "agent")
            .fields(&[("agent_type", "agent"), ("subagent_type", "agent")]),
    ],
};

/// The tool vocabulary of Cursor.
pub static CURSOR: ToolVocabulary = ToolVocabulary {
    name: "cursor",
    mcp: McpNames::Colon,
    tools: &[
        ToolMapping::new(&["Shell", "run_terminal_cmd"], "shell").fields(&[
            ("cwd", "directory"),
            ("working_directory", "directory"),
            ("timeout", "timeout_ms"),
        ]),
        ToolMapping::new(&["Read", "ReadFile", "read_file"], "read")
            .fields(&[("file_path", "path"), ("target_file", "path")]),
        ToolMapping::new(&["Write"], "write").fields(&[("file_path", "path"), ("contents", "content")]),
        ToolMapping::new(&["StrReplace", "Edit", "search_replace"], "edit").fields(EDIT),
        ToolMapping::new(&["EditNotebook"], "edit").fields(&[
            ("target_notebook", "path"),
            ("old_string", "old"),
            ("new_string", "new"),
        ]),
        ToolMapping::new(&["edit_file"], "edit").fields(&[("target_file", "path"), ("code_edit", "new")]),
        ToolMapping::new(&["ApplyPatch", "apply_patch"], "patch").shape(InputShape::Patch(&["patch", "input"])),
        ToolMapping::new(&["Delete", "delete_file"], "delete")
            .fields(&[("file_path", "path"), ("target_file", "path")]),
        ToolMapping::new(&["LS"], "list").fields(&[("target_directory", "path")]),
        ToolMapping::new(&["Glob"], "glob").fields(&[("glob_pattern", "pattern"), ("target_directory", "path")]),
        ToolMapping::new(&["Grep"], "grep").fields(&[("-i", "ignore_case")]),
        ToolMapping::new(&["WebFetch"], "fetch"),
        ToolMapping::new(&["WebSearch"], "search").fields(&[("search_term", "query")]),
        ToolMapping::new(&["Task"], "agent").fields(&[("task", "prompt"), ("subagent_type", "agent")]),
        ToolMapping::new(&["TodoWrite"], "todo"),
        ToolMapping::new(&["AskQuestion"], "ask_user"),
    ],
};

/// The tool vocabulary of Cline, including older names.
pub static CLINE: ToolVocabulary = ToolVocabulary {
    name: "cline",
    mcp: McpNames::Bare,
    tools: &[
        ToolMapping::new(&["run_commands"], "shell").fields(&[("cwd", "directory")]).each_text(
            "commands",
            "command",
            &[("cwd", "directory")],
        ),
        ToolMapping::new(&["execute_command"], "shell"),
        ToolMapping::new(&["read_files"], "read").each_object("files", "path", &[]),
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
            .each_text("queries", "pattern", &[("path", "path")]),
        ToolMapping::new(&["search_files", "search_codebase"], "grep")
            .fields(&[("regex", "pattern"), ("file_pattern", "glob")]),
        ToolMapping::new(&["fetch_web_content"], "fetch").requires("requests").each_object("requests", "url", &[]),
        ToolMapping::new(&["fetch_web_content", "web_fetch"], "fetch"),
        ToolMapping::new(&["web_search"], "search"),
        ToolMapping::new(&["spawn_agent"], "agent").fields(&[("task", "prompt"), ("systemPrompt", "agent")]),
        ToolMapping::new(&["team_run_task"], "agent").fields(&[("task", "prompt"), ("agentId", "agent")]),
        ToolMapping::new(&["team_spawn_teammate"], "agent").fields(&[("rolePrompt", "prompt"), ("agentId", "agent")]),
        ToolMapping::new(&["new_task"], "agent").fields(&[("context", "prompt")]),
        ToolMapping::new(&["ask_followup_question", "ask_question"], "ask_user"),
    ],
};

/// The tool vocabulary of goose.
pub static GOOSE: ToolVocabulary = ToolVocabulary {
    name: "goose",
    mcp: McpNames::Bare,
    tools: &[
        ToolMapping::new(&["developer__shell", "shell"], "shell"),
        ToolMapping::new(&["developer__write", "write"], "write"),
        ToolMapping::new(&["developer__edit", "edit"], "edit").fields(&[("before", "old"), ("after", "new")]),
        ToolMapping::new(&["developer__text_editor"], "edit")
            .requires("new_str")
            .fields(&[("old_str", "old"), ("new_str", "new")]),
        ToolMapping::new(&["developer__text_editor"], "write")
            .requires("file_text")
            .fields(&[("file_text", "content")]),
        ToolMapping::new(&["developer__text_editor"], "read"),
        ToolMapping::new(&["developer__tree"], "list"),
    ],
};

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
            .each_object("edits", "new", &[("filePath", "path")]),
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

/// The tool vocabulary of Pi. Its MCP servers' tools have Pintle's names.
pub static PI: ToolVocabulary = ToolVocabulary {
    name: "pi",
    mcp: McpNames::Doubled,
    tools: &[
        ToolMapping::new(&["bash", "powershell"], "shell"),
        ToolMapping::new(&["read"], "read"),
        ToolMapping::new(&["write"], "write"),
        ToolMapping::new(&["edit"], "edit").fields(&[("oldText", "old"), ("newText", "new")]).each_object(
            "edits",
            "new",
            &[("path", "path")],
        ),
        ToolMapping::new(&["ls"], "list"),
        ToolMapping::new(&["find"], "glob"),
        ToolMapping::new(&["grep"], "grep").fields(&[("ignoreCase", "ignore_case")]),
    ],
};

/// The tool vocabulary of Droid.
pub static DROID: ToolVocabulary = ToolVocabulary {
    name: "droid",
    mcp: McpNames::Tripled,
    tools: &[
        ToolMapping::new(&["Execute"], "shell"),
        ToolMapping::new(&["Read"], "read").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Create"], "write").fields(&[("file_path", "path")]),
        ToolMapping::new(&["Edit"], "edit").fields(&[
            ("file_path", "path"),
            ("old_str", "old"),
            ("new_str", "new"),
            ("change_all", "all"),
        ]),
        ToolMapping::new(&["ApplyPatch"], "patch").shape(InputShape::Patch(&["input", "patch"])),
        ToolMapping::new(&["LS"], "list").fields(&[("directory_path", "path")]),
        ToolMapping::new(&["Glob"], "glob").fields(&[("folder", "path")]).each_text(
            "patterns",
            "pattern",
            &[("folder", "path")],
        ),
        ToolMapping::new(&["Grep"], "grep").fields(&[("glob_pattern", "glob"), ("case_insensitive", "ignore_case")]),
        ToolMapping::new(&["FetchUrl"], "fetch"),
        ToolMapping::new(&["WebSearch"], "search"),
        ToolMapping::new(&["Task"], "agent").fields(&[("subagent_type", "agent")]),
        ToolMapping::new(&["TodoWrite"], "todo"),
        ToolMapping::new(&["AskUser"], "ask_user"),
    ],
};

//! The table of built-ins.

use super::{
    BuiltinResult, add_context, add_date, add_directory_listing, add_environment_info, add_git_diff, add_git_status,
    add_prompt_files, add_recent_commits, add_user_info, elide_repeated_tool_results, handle_large_tool_output,
    http_post, limit_large_tool_results, max_iterations, pack, redact_secrets, safer_shell, snapshot, unload,
};
use pintle_contract::EventKind;

/// The definition of a built-in.
#[derive(Debug)]
pub struct BuiltinDef {
    /// The name in hook files.
    pub name: &'static str,
    /// A one-sentence description.
    pub doc: &'static str,
    /// The canonical events that it supports; empty for any event.
    pub events: &'static [EventKind],
    /// A description of its arguments; empty if it takes none.
    pub arguments: &'static str,
    /// Whether it can deny or ask.
    pub can_deny: bool,
    /// Its effects other than context and verdicts, as a phrase that completes "it ..."; empty if there are none.
    pub side_effects: &'static str,
    /// Builds it from its arguments. An argument that is ignored by a documented rule is a doubt; an argument that
    /// cannot work is an error.
    pub(super) make: fn(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult,
}

/// Every built-in, in alphabetical order.
#[must_use]
pub fn builtins() -> &'static [BuiltinDef] {
    BUILTINS
}

/// Events for context that may change with every call, in order of preference.
const CONTEXT_OF_CALLS: &[EventKind] = &[
    EventKind::IterationStart,
    EventKind::SessionStart,
    EventKind::PromptSubmit,
    EventKind::PromptSteer,
    EventKind::PromptFollowup,
    EventKind::CompactPre,
];
/// Events for context that does not change during a session, in order of preference.
const CONTEXT_OF_SESSIONS: &[EventKind] = &[
    EventKind::SessionStart,
    EventKind::IterationStart,
    EventKind::PromptSubmit,
    EventKind::PromptSteer,
    EventKind::PromptFollowup,
    EventKind::CompactPre,
];

static BUILTINS: &[BuiltinDef] = &[
    BuiltinDef {
        name: "add_context",
        doc: "Adds your own text to the context; templates insert fields of the event.",
        events: CONTEXT_OF_SESSIONS,
        arguments: "templates over the event in the dialect's form, such as `The tool is {{ .ToolName }}`",
        can_deny: false,
        side_effects: "",
        make: add_context::make,
    },
    BuiltinDef {
        name: "add_date",
        doc: "Adds the user's local date to the context.",
        events: CONTEXT_OF_CALLS,
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: add_date::make,
    },
    BuiltinDef {
        name: "add_directory_listing",
        doc: "Adds the first 100 names in the working directory to the context.",
        events: CONTEXT_OF_SESSIONS,
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: add_directory_listing::make,
    },
    BuiltinDef {
        name: "add_environment_info",
        doc: "Adds the working directory, the system, the processor and the shell to the context.",
        events: CONTEXT_OF_SESSIONS,
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: add_environment_info::make,
    },
    BuiltinDef {
        name: "add_git_diff",
        doc: "Adds the unstaged changes of the git repository to the context.",
        events: CONTEXT_OF_CALLS,
        arguments: "`full`: the changes themselves; without it only the names of the changed files",
        can_deny: false,
        side_effects: "",
        make: add_git_diff::make,
    },
    BuiltinDef {
        name: "add_git_status",
        doc: "Adds the git status of the working directory to the context.",
        events: CONTEXT_OF_CALLS,
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: add_git_status::make,
    },
    BuiltinDef {
        name: "add_prompt_files",
        doc: "Adds the content of files of these names to the context: the nearest in or above the working directory, \
              and the one in the home directory.",
        events: CONTEXT_OF_CALLS,
        arguments: "file names; `--depth=N` also lists files up to N levels below",
        can_deny: false,
        side_effects: "reads files by name, above the working directory and in the home directory, for the model",
        make: add_prompt_files::make,
    },
    BuiltinDef {
        name: "add_recent_commits",
        doc: "Adds the most recent commits to the context.",
        events: CONTEXT_OF_SESSIONS,
        arguments: "`N`: how many; default 10",
        can_deny: false,
        side_effects: "",
        make: add_recent_commits::make,
    },
    BuiltinDef {
        name: "add_user_info",
        doc: "Adds the names of the user and the machine to the context.",
        events: CONTEXT_OF_SESSIONS,
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: add_user_info::make,
    },
    BuiltinDef {
        name: "elide_repeated_tool_results",
        doc: "Replaces the result of a read-only tool with one line if it is the same as the last time.",
        events: &[EventKind::ToolResult, EventKind::SessionStart, EventKind::SessionEnd, EventKind::CompactPost],
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: elide_repeated_tool_results::make,
    },
    BuiltinDef {
        name: "handle_large_tool_output",
        doc: "Writes results above a size to a file and gives the model only their beginning.",
        events: &[EventKind::ToolResult],
        arguments: "a JSON object: `Threshold` (default 30000 bytes), `PreviewSize` (3000), `OutputDir`",
        can_deny: false,
        side_effects: "writes tool results to files",
        make: handle_large_tool_output::make,
    },
    BuiltinDef {
        name: "http_post",
        doc: "Sends a text or the event to a server on the public internet.",
        events: &[],
        arguments: "the URL; the text; `payload` to send the event instead of the text",
        can_deny: false,
        side_effects: "sends events to a server",
        make: http_post::make,
    },
    BuiltinDef {
        name: "limit_large_tool_results",
        doc: "Writes results above 50 KiB or 2000 lines to a file, kept until the session ends, and gives the model \
              a part.",
        events: &[EventKind::ToolResult, EventKind::SessionEnd],
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: limit_large_tool_results::make,
    },
    BuiltinDef {
        name: "max_iterations",
        doc: "Ends the agent's run before a model call once it has made a given number of model calls.",
        events: &[EventKind::CompletionPre],
        arguments: "`N`: the maximum number of model calls in one turn; without it the number is not limited",
        can_deny: true,
        side_effects: "",
        make: max_iterations::make,
    },
    BuiltinDef {
        name: "pack",
        doc: "Judges what a tool call would do by the rules of one of Pintle's packs; `pintle packs` shows them.",
        events: &[EventKind::ToolGuard, EventKind::ToolPre, EventKind::PermissionAsk],
        arguments: "the pack's name; then `RULE=off`, `RULE=warn`, `RULE=ask`, `RULE=deny` or `RULE:allow=PATH` for rules of it",
        can_deny: true,
        side_effects: "",
        make: pack::make,
    },
    BuiltinDef {
        name: "redact_secrets",
        doc: "Redacts secrets in what the model, the tools and the conversation get, and on the tape.",
        events: &[
            EventKind::CompletionPre,
            EventKind::CompletionPost,
            EventKind::ToolResult,
            EventKind::ToolPost,
            EventKind::ToolTransform,
            EventKind::ToolPre,
            EventKind::PromptSubmit,
            EventKind::PromptSteer,
            EventKind::PromptFollowup,
        ],
        arguments: "",
        can_deny: false,
        side_effects: "",
        make: redact_secrets::make,
    },
    BuiltinDef {
        name: "rules",
        doc: "Judges what a tool call would do by the rules of a policy file; `pintle rule list` shows them.",
        events: &[EventKind::ToolGuard, EventKind::ToolPre, EventKind::PermissionAsk],
        arguments: "the rules of a policy file, each as JSON",
        can_deny: true,
        side_effects: "",
        make: pack::make_rules,
    },
    BuiltinDef {
        name: "safer_shell",
        doc: "Labels shell commands as safe, destructive or unknown, and asks the user according to a policy.",
        events: &[EventKind::ToolGuard, EventKind::ToolPre],
        arguments: "`unsafe`, `safer`, `safe-auto` or `strict`; without it the session's mode decides",
        can_deny: true,
        side_effects: "",
        make: safer_shell::make,
    },
    BuiltinDef {
        name: "snapshot",
        doc: "Takes snapshots of the files before and after the agent's work, which `pintle snapshot` can restore.",
        events: &[
            EventKind::SessionStart,
            EventKind::IterationStart,
            EventKind::IterationEnd,
            EventKind::ToolPre,
            EventKind::ToolPost,
            EventKind::SessionEnd,
        ],
        arguments: "",
        can_deny: false,
        side_effects: "keeps copies of the files",
        make: snapshot::make,
    },
    BuiltinDef {
        name: "unload",
        doc: "Frees the memory of local models that the previous agent used.",
        events: &[EventKind::AgentSwitch],
        arguments: "",
        can_deny: false,
        side_effects: "sends requests to the servers of local models",
        make: unload::make,
    },
];

//! Claude Code, tested with 2.1.332: hooks in its settings files and in its plugins.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
pub(crate) mod response;

use pintle_contract::Severity;
use serde_json::{Value, json};

use crate::install::{EntryFormat, HandlerFormat, InstallSpec, SettingsLocation, seconds_field};
use crate::settings::{HTTP_KEYS, PROMPT_KEYS};
use crate::{
    AgentMarks, ClientDef, ClientFileLocation, ClientHandlerKind, EnvVariable, FieldChoice, FieldMeaning, GuardedPaths,
    OutputField, SettingsFormat, copilot, host, transcript,
};

/// Claude Code.
pub static CLIENT: ClientDef = ClientDef {
    name: "claude",
    title: "Claude Code",
    transcript: Some(transcript::anthropic_line),
    tried_version: "2.1.332",
    unhooked_actions: &[
        "everything in a session with `--bare`, `--safe-mode` or their variables",
        "commands in the text of skills and slash commands, in versions before 2.1.332",
    ],
    events: events::ROWS,
    tools: &pintle_tools::CLAUDE,
    dialect: Some("claude_code"),
    description: "Claude Code: command, http and prompt hooks in settings files",
    files: &[
        ClientFileLocation::json(".claude/settings.json"),
        ClientFileLocation::json(".claude/settings.local.json"),
    ],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        command_ms: 600_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", ClientHandlerKind::Command),
            ("http", ClientHandlerKind::Http),
            ("prompt", ClientHandlerKind::Prompt),
            (
                "mcp_tool",
                ClientHandlerKind::NotCarriedOver(
                    "Pintle cannot call tools of the MCP servers that Claude Code is connected to",
                ),
            ),
            (
                "agent",
                ClientHandlerKind::NotCarriedOver("a hook cannot start an agent; use a `prompt` hook to call a model"),
            ),
        ],
        keys: &[
            &["type", "command", "args", "shell", "timeout", "async", "asyncRewake", "onFailure", "if"],
            HTTP_KEYS,
            PROMPT_KEYS,
        ],
        not_carried_over: &[
            ("statusMessage", Severity::Note, "Pintle shows no status while a hook runs"),
            ("once", Severity::Warning, "the hook runs every time"),
            (
                "asyncRewake",
                Severity::Warning,
                "the hook runs in the background, and exit status 2 does not wake the agent",
            ),
            ("continueOnBlock", Severity::Note, "the event decides what a block does"),
        ],
        alternate_names: &[("Agent", &["Task"]), ("Task", &["Agent"])],
        ..SettingsFormat::COMMON
    },
    output_fields: WORDS,
    environment: &[
        ("CLAUDE_PROJECT_DIR", EnvVariable::Project),
        ("CLAUDE_CODE_SESSION_ID", EnvVariable::Session),
        ("CLAUDE_PLUGIN_ROOT", EnvVariable::Plugin),
        ("CLAUDECODE", EnvVariable::Fixed("1")),
        // Other agents do not read it.
        ("CLAUDE_ENV_FILE", EnvVariable::FixedElsewhere("/dev/null")),
    ],
    guarded: GuardedPaths {
        relative: &["claude-code/managed-settings.json"],
        managed: &["/etc/claude-code", "/Library/Application Support/ClaudeCode"],
        variables: &[],
    },
    marks: AgentMarks {
        programs: &["claude", "claude-code"],
        packages: &["@anthropic-ai/claude-code"],
        variables: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION"],
    },
    install: InstallSpec {
        program: "claude",
        managed: Some(SettingsLocation::managed(
            "etc/claude-code/managed-settings.json",
            "Library/Application Support/ClaudeCode/managed-settings.json",
        )),
        user: SettingsLocation { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" },
        project: SettingsLocation { variable: "", folder: ".claude", file: "settings.json" },
        form: EntryFormat::Groups(HANDLER),
        hints: |_| vec![String::from("running sessions keep their hooks until they are restarted")],
        ..InstallSpec::COMMON
    },
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    recognise,
    sender: Some(find_sender),
    ..ClientDef::COMMON
};

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| host::has(payload, name);
    let is_codex = host::is_codex_transcript(payload) == Some(true) || (has("turn_id") && has("model"));
    host::event_of_session(payload).filter(|_| !is_codex && !has("timestamp") && !host::is_droid_mode(payload))
}

/// A handler in its settings, and in those of clients that adopted them.
pub(crate) const HANDLER: HandlerFormat = HandlerFormat {
    root: Some("hooks"),
    command: "command",
    file_head: &[],
    build: |command, timeout_ms| json!({"type": "command", "command": command, "timeout": timeout_ms.div_ceil(1_000)}),
    timeout_ms: |handler| seconds_field(handler, "timeout"),
};

/// Detects Copilot CLI, which also runs the hooks of a project's `.claude/settings.json`. Its payloads have no
/// transcript and a timestamp, and some are entirely in its own format.
fn find_sender(payload: &Value) -> Option<&'static ClientDef> {
    let has = |name: &str| host::has(payload, name);
    let is_copilot = has("sessionId")
        || has("tool_result")
        || (has("timestamp") && !has("transcript_path") && !has("permission_mode"));
    is_copilot.then_some(&copilot::CLIENT)
}

/// The reason for fields that only Claude Code shows or stores.
const OWN: &str = "only Claude Code shows or stores it";

pub(crate) const WORDS: &[OutputField] = &[
    OutputField::top_level("continue", FieldMeaning::Continue),
    OutputField::top_level("stopReason", FieldMeaning::StopReason),
    OutputField::top_level("suppressOutput", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("systemMessage", FieldMeaning::Notice),
    OutputField::top_level("terminalSequence", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::top_level(
        "decision",
        FieldMeaning::Decision(&[("approve", FieldChoice::Allow), ("block", FieldChoice::Deny)]),
    ),
    OutputField::top_level("reason", FieldMeaning::Reason),
    OutputField::top_level(
        "async",
        FieldMeaning::NotCarriedOver("a running hook cannot move to the background; set `async` in the settings file"),
    ),
    OutputField::top_level("asyncTimeout", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("hookSpecificOutput", FieldMeaning::Specific),
    OutputField::nested("hookEventName", FieldMeaning::EventName),
    OutputField::nested(
        "permissionDecision",
        FieldMeaning::Permission(&[
            ("allow", FieldChoice::Allow),
            ("deny", FieldChoice::Deny),
            ("ask", FieldChoice::Ask),
            // The decision is deferred, so nobody has approved yet.
            ("defer", FieldChoice::Ask),
        ]),
    ),
    OutputField::nested("permissionDecisionReason", FieldMeaning::PermissionReason),
    OutputField::nested("updatedInput", FieldMeaning::Input),
    OutputField::nested("additionalContext", FieldMeaning::Context),
    OutputField::nested("updatedToolOutput", FieldMeaning::Output(None)),
    OutputField::nested("updatedMCPToolOutput", FieldMeaning::Output(None)),
    OutputField::nested("decision", FieldMeaning::Behavior),
    OutputField::nested("classifierContext", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("sessionTitle", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("suppressOriginalPrompt", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("initialUserMessage", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("watchPaths", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("reloadSkills", FieldMeaning::NotCarriedOver(OWN)),
    OutputField::nested("retry", FieldMeaning::NotCarriedOver(OWN)),
];

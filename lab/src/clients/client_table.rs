//! The clients.

use serde_json::{Value, json};

use super::client::{ClientTool, FORMER, TestClient, ToolPurpose, WRITTEN};
use super::outcome::ProofResult;
use super::proof::ProofKind;

/// Why Claude Code does not show the reason of a hook that asks.
const SENSITIVE: &str = "it refuses sensitive files with words of its own if a hook only asks";
/// Why Gemini CLI asks no hook.
const NOT_IN_WORKSPACE: &str = "it refuses this path by itself before any hook is asked";

const fn tool(purpose: ToolPurpose, name: &'static str, input: fn(&str) -> Value) -> ClientTool {
    ClientTool { purpose, name, input }
}

/// All clients, in the order they are run.
pub(super) const CLIENTS: &[TestClient] = &[
    TestClient {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        program: "claude",
        runtime: None,
        setup: Some("install.cjs"),
        settings: &[],
        trust_settings: &[],
        environment: &[
            ("ANTHROPIC_BASE_URL", "URL"),
            ("ANTHROPIC_API_KEY", "none"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--allowedTools", "Bash,Edit,Monitor,Read,Skill,Write"],
        tools: &[
            tool(ToolPurpose::Shell, "Bash", |command| json!({"command": command, "description": "a test"})),
            tool(
                ToolPurpose::SecondShell,
                "Monitor",
                |command| json!({"command": command, "description": "a test", "timeout_ms": 10_000}),
            ),
            tool(ToolPurpose::Skill, "Skill", |name| json!({"skill": name})),
            tool(ToolPurpose::Read, "Read", |path| json!({"file_path": path})),
            tool(ToolPurpose::Write, "Write", |path| json!({"file_path": path, "content": WRITTEN})),
            tool(
                ToolPurpose::Edit,
                "Edit",
                |path| json!({"file_path": path, "old_string": FORMER, "new_string": WRITTEN}),
            ),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[
            (ToolPurpose::Write, "git.program-setting", SENSITIVE),
            (ToolPurpose::Edit, "git.program-setting", SENSITIVE),
            (ToolPurpose::Write, "system.persistence", SENSITIVE),
            (ToolPurpose::Shell, "system.persistence", SENSITIVE),
            (ToolPurpose::SecondShell, "system.persistence", SENSITIVE),
            (ToolPurpose::SecondShell, "project-autorun.files", SENSITIVE),
        ],
        exceptions: &[(
            ProofKind::Failure,
            ProofResult::RunEnded,
            "it cannot change the result of a failed command, so the run ends",
        )],
    },
    TestClient {
        name: "codex",
        package: "@openai/codex",
        program: "codex",
        runtime: None,
        setup: None,
        settings: &[],
        trust_settings: &[(".codex/config.toml", "[projects.\"PROJECT\"]\ntrust_level = \"trusted\"\n")],
        environment: &[("SCRIPTED_KEY", "none")],
        before: &[],
        arguments: &[
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            "--sandbox",
            "danger-full-access",
            "-c",
            "model_providers.scripted={name=\"scripted\",base_url=\"URL/v1\",env_key=\"SCRIPTED_KEY\",wire_api=\"responses\"}",
            "-c",
            "model_provider=\"scripted\"",
            "-c",
            "model=\"test\"",
            "PROMPT",
        ],
        tools: &[
            tool(ToolPurpose::Shell, "exec_command", |command| json!({"cmd": command})),
            tool(ToolPurpose::SecondShell, "exec_command", |command| json!({"cmd": command, "tty": true})),
            tool(
                ToolPurpose::Patch,
                "exec_command",
                |patch| json!({"cmd": format!("apply_patch <<'EOF'\n{patch}\nEOF\n")}),
            ),
        ],
        give_up_message: None,
        expected_problem: Some("they have not been reviewed"),
        own_refusals: &[],
        exceptions: &[
            (ProofKind::Prompt, ProofResult::PromptDeniedSilently, "`codex exec` does not show why"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "gemini",
        package: "@google/gemini-cli",
        program: "gemini",
        runtime: None,
        setup: None,
        settings: &[(
            ".gemini/settings.json",
            "{\n  // How to sign in.\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}\n}\n",
        )],
        trust_settings: &[],
        environment: &[
            ("GEMINI_API_KEY", "none"),
            ("GOOGLE_GEMINI_BASE_URL", "URL"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--approval-mode", "yolo", "-m", "gemini-2.5-pro"],
        tools: &[
            tool(
                ToolPurpose::Shell,
                "run_shell_command",
                |command| json!({"command": command, "description": "a test"}),
            ),
            tool(
                ToolPurpose::SecondShell,
                "run_shell_command",
                |command| json!({"command": command, "description": "a test", "is_background": true}),
            ),
            tool(ToolPurpose::Read, "read_file", |path| json!({"file_path": path})),
            tool(ToolPurpose::Write, "write_file", |path| json!({"file_path": path, "content": WRITTEN})),
            tool(
                ToolPurpose::Edit,
                "replace",
                |path| json!({"file_path": path, "instruction": "a test", "old_string": FORMER, "new_string": WRITTEN}),
            ),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[
            (ToolPurpose::Read, "PROJECT/.env", NOT_IN_WORKSPACE),
            (ToolPurpose::Write, "HOME", NOT_IN_WORKSPACE),
            (ToolPurpose::Write, "PROJECT/.git", NOT_IN_WORKSPACE),
            (ToolPurpose::Edit, "PROJECT/.git", NOT_IN_WORKSPACE),
        ],
        exceptions: &[],
    },
    TestClient {
        name: "qwen",
        package: "@qwen-code/qwen-code",
        program: "qwen",
        runtime: None,
        setup: None,
        settings: &[],
        trust_settings: &[],
        environment: &[
            ("OPENAI_API_KEY", "none"),
            ("OPENAI_BASE_URL", "URL/v1"),
            ("OPENAI_MODEL", "test"),
            ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--approval-mode", "yolo", "--auth-type", "openai"],
        tools: &[
            tool(
                ToolPurpose::Shell,
                "run_shell_command",
                |command| json!({"command": command, "description": "a test", "is_background": false}),
            ),
            tool(
                ToolPurpose::SecondShell,
                "tool_call",
                |command| json!({"name": "monitor", "arguments": {"command": command, "description": "a test"}}),
            ),
            tool(ToolPurpose::Read, "read_file", |path| json!({"file_path": path})),
            tool(ToolPurpose::Write, "write_file", |path| json!({"file_path": path, "content": WRITTEN})),
            tool(
                ToolPurpose::Edit,
                "edit",
                |path| json!({"file_path": path, "old_string": FORMER, "new_string": WRITTEN}),
            ),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[],
        exceptions: &[
            (ProofKind::Rewrite, ProofResult::Denied, "it ignores rewrites in yolo mode"),
            (ProofKind::Prompt, ProofResult::PromptDeniedSilently, "without a terminal it does not show why"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "copilot",
        package: "@github/copilot",
        program: "copilot",
        runtime: None,
        setup: None,
        settings: &[],
        trust_settings: &[(".copilot/config.json", "{\"trusted_folders\": [\"PROJECT\"]}\n")],
        environment: &[
            ("COPILOT_PROVIDER_BASE_URL", "URL/v1"),
            ("COPILOT_PROVIDER_API_KEY", "none"),
            ("COPILOT_MODEL", "gpt-4.1"),
            ("COPILOT_OFFLINE", "true"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--allow-all-tools", "--no-auto-update"],
        tools: &[
            tool(ToolPurpose::Shell, "bash", |command| json!({"command": command, "description": "a test"})),
            tool(
                ToolPurpose::SecondShell,
                "bash",
                |command| json!({"command": command, "description": "a test", "mode": "async", "shellId": "another"}),
            ),
            tool(ToolPurpose::Read, "view", |path| json!({"path": path})),
            tool(ToolPurpose::Write, "create", |path| json!({"path": path, "file_text": WRITTEN})),
            tool(ToolPurpose::Edit, "edit", |path| json!({"path": path, "old_str": FORMER, "new_str": WRITTEN})),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[],
        exceptions: &[
            (ProofKind::LookBack, ProofResult::DeniedSilently, "it writes its transcript too late, so the hook fails"),
            (ProofKind::Prompt, ProofResult::Denied, "it continues, and its calls are denied"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "cline",
        package: "cline",
        program: "cline",
        runtime: None,
        setup: None,
        settings: &[],
        trust_settings: &[],
        environment: &[("CLINE_TELEMETRY_DISABLED", "1")],
        before: &[
            "auth",
            "--provider",
            "openai-compatible",
            "--apikey",
            "none",
            "--modelid",
            "test",
            "--baseurl",
            "URL/v1",
        ],
        arguments: &["PROMPT"],
        tools: &[
            tool(ToolPurpose::Shell, "run_commands", |command| json!({"commands": [command]})),
            tool(ToolPurpose::SecondShell, "run_commands", |command| json!({"commands": ["true", command]})),
            tool(ToolPurpose::Read, "read_files", |path| json!({"files": [{"path": path}]})),
            tool(ToolPurpose::Write, "editor", |path| json!({"path": path, "new_text": WRITTEN})),
            tool(ToolPurpose::Edit, "editor", |path| json!({"path": path, "old_text": FORMER, "new_text": WRITTEN})),
        ],
        give_up_message: Some("[abort]"),
        expected_problem: None,
        own_refusals: &[],
        exceptions: &[
            (ProofKind::Deny, ProofResult::DeniedAndEnded, "a denial ends its task, and it does not show why"),
            (ProofKind::Context, ProofResult::ModelNotInformed, "it does not wait at the beginning"),
            (ProofKind::PromptContext, ProofResult::ModelNotInformed, "it runs no hooks at the prompt"),
            (ProofKind::LookBack, ProofResult::DeniedAndEnded, "a denial ends its task, and it does not show why"),
            (ProofKind::Stop, ProofResult::Stopped, "it does not wait at the end"),
            (ProofKind::Prompt, ProofResult::Ran, "its prompt event does not fire"),
            (ProofKind::Output, ProofResult::RunEnded, "it cannot change a result, so its task ends"),
            (ProofKind::Failure, ProofResult::RunEnded, "it cannot change a result, so its task ends"),
        ],
    },
    TestClient {
        name: "opencode",
        package: "opencode-ai",
        program: "opencode",
        runtime: None,
        setup: Some("postinstall.mjs"),
        settings: &[],
        trust_settings: &[],
        environment: &[
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "api": "URL/v1", "options": {"apiKey": "none"}, "models": {"test": {"name": "test"}}}}, "model": "scripted/test", "small_model": "scripted/test"}"#,
            ),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ],
        before: &[],
        arguments: &["run", "--auto", "--model", "scripted/test", "PROMPT"],
        tools: &[
            tool(ToolPurpose::Shell, "bash", |command| json!({"command": command, "description": "a test"})),
            tool(ToolPurpose::SecondShell, "bash", |command| json!({"command": command, "timeout": 60_000})),
            tool(ToolPurpose::Read, "read", |path| json!({"filePath": path})),
            tool(ToolPurpose::Write, "write", |path| json!({"filePath": path, "content": WRITTEN})),
            tool(
                ToolPurpose::Edit,
                "edit",
                |path| json!({"filePath": path, "oldString": FORMER, "newString": WRITTEN}),
            ),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[],
        exceptions: &[
            (ProofKind::Prompt, ProofResult::PromptFailed, "without a terminal, the reason is only in its log"),
            (ProofKind::LookBack, ProofResult::DeniedSilently, "it has no transcript, so the hook fails"),
            (ProofKind::Stop, ProofResult::Stopped, "its turn is over when hooks hear of the end"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "pi",
        package: "@earendil-works/pi-coding-agent",
        program: "pi",
        runtime: Some("node@22"),
        setup: None,
        settings: &[(
            ".pi/agent/extensions/scripted.js",
            r#"const model = { id: "test", name: "test", contextWindow: 100000, maxTokens: 1000, input: ["text"], reasoning: false };
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
export default (pi) =>
  pi.registerProvider("scripted", { baseUrl: "URL/v1", apiKey: "none", api: "openai-completions", models: [{ ...model, cost }] });
"#,
        )],
        trust_settings: &[(".pi/agent/settings.json", "{\"defaultProjectTrust\": \"always\"}\n")],
        environment: &[("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0")],
        before: &[],
        arguments: &["-p", "PROMPT", "--provider", "scripted", "--model", "test"],
        tools: &[
            tool(ToolPurpose::Shell, "bash", |command| json!({"command": command})),
            tool(ToolPurpose::SecondShell, "bash", |command| json!({"command": command, "timeout": 60})),
            tool(ToolPurpose::Read, "read", |path| json!({"path": path})),
            tool(ToolPurpose::Write, "write", |path| json!({"path": path, "content": WRITTEN})),
            tool(
                ToolPurpose::Edit,
                "edit",
                |path| json!({"path": path, "edits": [{"oldText": FORMER, "newText": WRITTEN}]}),
            ),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[],
        exceptions: &[],
    },
    TestClient {
        name: "droid",
        package: "droid",
        program: "droid",
        runtime: None,
        setup: None,
        settings: &[(
            ".factory/settings.json",
            r#"{"customModels": [{"model": "test", "displayName": "test", "baseUrl": "URL/v1", "apiKey": "none", "provider": "generic-chat-completion-api", "maxOutputTokens": 1000}]}
"#,
        )],
        trust_settings: &[],
        environment: &[("FACTORY_API_KEY", "none")],
        before: &[],
        arguments: &["exec", "--auto", "high", "--model", "custom:test", "PROMPT"],
        tools: &[
            tool(ToolPurpose::Shell, "Execute", |command| execute(command, 60)),
            tool(ToolPurpose::SecondShell, "Execute", |command| execute(command, 30)),
            tool(ToolPurpose::Read, "Read", |path| json!({"file_path": path})),
            tool(ToolPurpose::Write, "Create", |path| json!({"file_path": path, "content": WRITTEN})),
            tool(ToolPurpose::Edit, "Edit", |path| json!({"file_path": path, "old_str": FORMER, "new_str": WRITTEN})),
        ],
        give_up_message: None,
        expected_problem: None,
        own_refusals: &[],
        exceptions: &[
            (ProofKind::Prompt, ProofResult::Ran, "`droid exec` runs no hooks at the prompt"),
            (ProofKind::PromptContext, ProofResult::ModelNotInformed, "`droid exec` runs no hooks at the prompt"),
            (ProofKind::Output, ProofResult::RunEnded, "it cannot change a result, so the run ends"),
            (ProofKind::Failure, ProofResult::Ran, "it runs no hooks after a failed command"),
        ],
    },
];

/// Droid's command, with what its model says of the risk.
fn execute(command: &str, timeout_s: u64) -> Value {
    json!({
        "command": command, "summary": "a test", "riskLevel": "low", "riskLevelReason": "a test", "timeout": timeout_s,
    })
}

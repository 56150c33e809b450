//! The clients: how each is installed, configured and run headless.

use serde_json::{Value, json};

use super::outcome::ProofResult;
use super::proof::{ClientProof, ProofKind};

#[derive(Debug)]
pub(super) struct TestClient {
    /// Its name on the command line, here and in `pintle install`.
    pub(super) name: &'static str,
    /// Its npm package.
    pub(super) package: &'static str,
    /// The version that its support table was made with.
    pub(super) version: &'static str,
    /// Its program.
    pub(super) program: &'static str,
    /// A script of the package that has to run once, by its path in the package.
    pub(super) setup: Option<&'static str>,
    /// Settings in the home directory: path and text.
    pub(super) settings: &'static [(&'static str, &'static str)],
    /// Settings in the home directory that make it trust the project, whose directory is `PROJECT`: path and text.
    pub(super) trust_settings: &'static [(&'static str, &'static str)],
    /// Its environment; `URL` is the model's address.
    pub(super) environment: &'static [(&'static str, &'static str)],
    /// Arguments of a command that runs first, with the same placeholders.
    pub(super) before: &'static [&'static str],
    /// Its arguments; `URL` is the model's address and `PROMPT` the prompt.
    pub(super) arguments: &'static [&'static str],
    /// The name of the tool that runs a command, in its model's calls.
    pub(super) shell_tool: &'static str,
    /// The arguments of that tool.
    pub(super) shell_input: fn(command: &str) -> Value,
    /// What it prints on standard output if a denial makes it give up its task.
    pub(super) give_up_message: Option<&'static str>,
    /// The problem that `pintle doctor` has to find, if any.
    pub(super) expected_problem: Option<&'static str>,
    /// What it does not support, and the result instead, with the reason.
    pub(super) exceptions: &'static [(ProofKind, ProofResult, &'static str)],
}

impl TestClient {
    /// The expected result of a proof.
    pub(super) fn expected_result(&self, proof: &ClientProof) -> ProofResult {
        self.exception(proof).map_or_else(|| ProofResult::expected_for(proof.kind), |(_, outcome, _)| *outcome)
    }

    /// Why the result differs from other clients.
    pub(super) fn reason(&self, proof: &ClientProof) -> Option<&'static str> {
        self.exception(proof).map(|(_, _, reason)| *reason)
    }

    fn exception(&self, proof: &ClientProof) -> Option<&(ProofKind, ProofResult, &'static str)> {
        self.exceptions.iter().find(|(kind, ..)| *kind == proof.kind)
    }
}

/// All clients, in the order they are run.
pub(super) const CLIENTS: &[TestClient] = &[
    TestClient {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        version: "2.1.330",
        program: "claude",
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
        arguments: &["-p", "PROMPT", "--allowedTools", "Bash"],
        shell_tool: "Bash",
        shell_input: |command| json!({"command": command, "description": "a test"}),
        give_up_message: None,
        expected_problem: None,
        exceptions: &[(
            ProofKind::Failure,
            ProofResult::RunEnded,
            "it cannot change the result of a failed command, so the run ends",
        )],
    },
    TestClient {
        name: "codex",
        package: "@openai/codex",
        version: "0.169.0",
        program: "codex",
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
        shell_tool: "exec_command",
        shell_input: |command| json!({"cmd": command}),
        give_up_message: None,
        expected_problem: Some("they have not been reviewed"),
        exceptions: &[
            (ProofKind::Prompt, ProofResult::PromptDeniedSilently, "`codex exec` does not show why"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "gemini",
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
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
        shell_tool: "run_shell_command",
        shell_input: |command| json!({"command": command, "description": "a test"}),
        give_up_message: None,
        expected_problem: None,
        exceptions: &[],
    },
    TestClient {
        name: "qwen",
        package: "@qwen-code/qwen-code",
        version: "0.24.4",
        program: "qwen",
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
        shell_tool: "run_shell_command",
        shell_input: |command| json!({"command": command, "description": "a test", "is_background": false}),
        give_up_message: None,
        expected_problem: None,
        exceptions: &[
            (ProofKind::Rewrite, ProofResult::Denied, "it ignores rewrites in yolo mode"),
            (ProofKind::Prompt, ProofResult::PromptDeniedSilently, "without a terminal it does not show why"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "copilot",
        package: "@github/copilot",
        version: "1.0.102",
        program: "copilot",
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
        shell_tool: "bash",
        shell_input: |command| json!({"command": command, "description": "a test"}),
        give_up_message: None,
        expected_problem: None,
        exceptions: &[
            (ProofKind::Prompt, ProofResult::Denied, "it continues, and its calls are denied"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
    TestClient {
        name: "cline",
        package: "cline",
        version: "3.0.65",
        program: "cline",
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
        shell_tool: "run_commands",
        shell_input: |command| json!({"commands": [command]}),
        give_up_message: Some("[abort]"),
        expected_problem: None,
        exceptions: &[
            (ProofKind::Deny, ProofResult::DeniedAndEnded, "a denial ends its task, and it does not show why"),
            (
                ProofKind::Context,
                ProofResult::ModelNotInformed,
                "it runs no hooks at the prompt, and does not wait at the beginning",
            ),
            (ProofKind::Stop, ProofResult::Stopped, "it does not wait at the end"),
            (ProofKind::Prompt, ProofResult::Ran, "its prompt event does not fire"),
            (ProofKind::Output, ProofResult::RunEnded, "it cannot change a result, so its task ends"),
            (ProofKind::Failure, ProofResult::RunEnded, "it cannot change a result, so its task ends"),
        ],
    },
    TestClient {
        name: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        program: "opencode",
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
        shell_tool: "bash",
        shell_input: |command| json!({"command": command, "description": "a test"}),
        give_up_message: None,
        expected_problem: None,
        exceptions: &[
            (ProofKind::Prompt, ProofResult::PromptFailed, "without a terminal, the reason is only in its log"),
            (ProofKind::Stop, ProofResult::Stopped, "its turn is over when hooks hear of the end"),
            (ProofKind::End, ProofResult::NextCommandDenied, "it continues, and its calls are denied"),
        ],
    },
];

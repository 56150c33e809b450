//! The clients: how each is installed, set up and run without a person.

use serde_json::{Value, json};

use super::outcome::Outcome;
use super::proof::{Kind, Proof};

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    /// The word for it on the command line, here and in `pintle install`.
    pub(super) name: &'static str,
    /// Its npm package.
    pub(super) package: &'static str,
    /// The version that the table of what it does was made with.
    pub(super) version: &'static str,
    /// Its program.
    pub(super) program: &'static str,
    /// A script of the package that has to run once, by its path in it.
    pub(super) setup: Option<&'static str>,
    /// Settings in the home: path and text.
    pub(super) settings: &'static [(&'static str, &'static str)],
    /// Settings in the home that make it trust the project, whose folder is `PROJECT`: path and text.
    pub(super) trusting: &'static [(&'static str, &'static str)],
    /// Its environment; `URL` is the model's address.
    pub(super) environment: &'static [(&'static str, &'static str)],
    /// What is run before it, with the same words.
    pub(super) before: &'static [&'static str],
    /// Its arguments; `URL` is the model's address and `PROMPT` the prompt.
    pub(super) arguments: &'static [&'static str],
    /// The tool that runs a command, as its model calls it.
    pub(super) shell: &'static str,
    /// The arguments of that tool.
    pub(super) input: fn(command: &str) -> Value,
    /// What it says on standard output where a refusal makes it give up its task.
    pub(super) gives_up: Option<&'static str>,
    /// What `pintle doctor` has to find wrong, where something has to be.
    pub(super) complaint: Option<&'static str>,
    /// What it cannot do, and what comes of that instead, with the reason.
    pub(super) exceptions: &'static [(Kind, Outcome, &'static str)],
}

impl Client {
    /// What a proof has to come to here.
    pub(super) fn expected(&self, proof: &Proof) -> Outcome {
        self.exception(proof).map_or_else(|| Outcome::wanted(proof.kind), |(_, outcome, _)| *outcome)
    }

    /// Why it comes to something else here than elsewhere.
    pub(super) fn reason(&self, proof: &Proof) -> Option<&'static str> {
        self.exception(proof).map(|(_, _, why)| *why)
    }

    fn exception(&self, proof: &Proof) -> Option<&(Kind, Outcome, &'static str)> {
        self.exceptions.iter().find(|(kind, ..)| *kind == proof.kind)
    }
}

/// All of them, in the order they are run.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        version: "2.1.330",
        program: "claude",
        setup: Some("install.cjs"),
        settings: &[],
        trusting: &[],
        environment: &[
            ("ANTHROPIC_BASE_URL", "URL"),
            ("ANTHROPIC_API_KEY", "none"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--allowedTools", "Bash"],
        shell: "Bash",
        input: |command| json!({"command": command, "description": "a test"}),
        gives_up: None,
        complaint: None,
        exceptions: &[(
            Kind::Failure,
            Outcome::Halted,
            "it cannot change the result of a failed command, so the run ends",
        )],
    },
    Client {
        name: "codex",
        package: "@openai/codex",
        version: "0.169.0",
        program: "codex",
        setup: None,
        settings: &[],
        trusting: &[(".codex/config.toml", "[projects.\"PROJECT\"]\ntrust_level = \"trusted\"\n")],
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
        shell: "exec_command",
        input: |command| json!({"cmd": command}),
        gives_up: None,
        complaint: Some("nobody has reviewed them"),
        exceptions: &[
            (Kind::Prompt, Outcome::Unheard, "`codex exec` does not show why"),
            (Kind::End, Outcome::Barred, "it goes on, and its calls are denied"),
        ],
    },
    Client {
        name: "gemini",
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
        setup: None,
        settings: &[(
            ".gemini/settings.json",
            "{\n  // How to sign in.\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}\n}\n",
        )],
        trusting: &[],
        environment: &[
            ("GEMINI_API_KEY", "none"),
            ("GOOGLE_GEMINI_BASE_URL", "URL"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--approval-mode", "yolo", "-m", "gemini-2.5-pro"],
        shell: "run_shell_command",
        input: |command| json!({"command": command, "description": "a test"}),
        gives_up: None,
        complaint: None,
        exceptions: &[],
    },
    Client {
        name: "qwen",
        package: "@qwen-code/qwen-code",
        version: "0.24.4",
        program: "qwen",
        setup: None,
        settings: &[],
        trusting: &[],
        environment: &[
            ("OPENAI_API_KEY", "none"),
            ("OPENAI_BASE_URL", "URL/v1"),
            ("OPENAI_MODEL", "test"),
            ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--approval-mode", "yolo", "--auth-type", "openai"],
        shell: "run_shell_command",
        input: |command| json!({"command": command, "description": "a test", "is_background": false}),
        gives_up: None,
        complaint: None,
        exceptions: &[
            (Kind::Rewrite, Outcome::Denied, "it ignores rewrites in yolo mode"),
            (Kind::Prompt, Outcome::Unheard, "without a terminal it does not show why"),
            (Kind::End, Outcome::Barred, "it goes on, and its calls are denied"),
        ],
    },
    Client {
        name: "copilot",
        package: "@github/copilot",
        version: "1.0.102",
        program: "copilot",
        setup: None,
        settings: &[],
        trusting: &[(".copilot/config.json", "{\"trusted_folders\": [\"PROJECT\"]}\n")],
        environment: &[
            ("COPILOT_PROVIDER_BASE_URL", "URL/v1"),
            ("COPILOT_PROVIDER_API_KEY", "none"),
            ("COPILOT_MODEL", "gpt-4.1"),
            ("COPILOT_OFFLINE", "true"),
        ],
        before: &[],
        arguments: &["-p", "PROMPT", "--allow-all-tools", "--no-auto-update"],
        shell: "bash",
        input: |command| json!({"command": command, "description": "a test"}),
        gives_up: None,
        complaint: None,
        exceptions: &[
            (Kind::Prompt, Outcome::Denied, "it goes on, and its calls are denied"),
            (Kind::End, Outcome::Barred, "it goes on, and its calls are denied"),
        ],
    },
    Client {
        name: "cline",
        package: "cline",
        version: "3.0.65",
        program: "cline",
        setup: None,
        settings: &[],
        trusting: &[],
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
        shell: "run_commands",
        input: |command| json!({"commands": [command]}),
        gives_up: Some("[abort]"),
        complaint: None,
        exceptions: &[
            (Kind::Deny, Outcome::Ended, "a refusal ends its task, and it tells nobody why"),
            (Kind::Context, Outcome::Untold, "it does not ask at the prompt, and does not wait at the beginning"),
            (Kind::Stop, Outcome::Stopped, "it does not wait at the end"),
            (Kind::Prompt, Outcome::Ran, "its prompt event does not fire"),
            (Kind::Output, Outcome::Halted, "it cannot change a result, so its task ends"),
            (Kind::Failure, Outcome::Halted, "it cannot change a result, so its task ends"),
        ],
    },
];

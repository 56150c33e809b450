//! Agents, and how they are started without their checks.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Guard;

const PACKAGE_MANAGERS: &[&str] = &[
    "pip", "pip3", "pipx", "uv", "npm", "pnpm", "yarn", "bun", "cargo", "brew", "apt", "apt-get", "dnf", "yum",
    "zypper", "pacman", "apk", "winget", "choco", "scoop", "snap", "flatpak", "nix", "nix-env", "mise", "asdf",
    "conda", "mamba", "port", "gem", "go", "rpm", "dpkg",
];

/// Agents that people start in a terminal, under the names of their programs and packages.
pub(in crate::programs) const AGENTS: &[&str] = &[
    "claude",
    "claude-code",
    "codex",
    "gemini",
    "gemini-cli",
    "qwen",
    "qwen-code",
    "copilot",
    "cursor-agent",
    "agent",
    "cline",
    "opencode",
    "opencode-ai",
    "aider",
    "goose",
    "amp",
    "crush",
    "cagent",
    "docker-agent",
    "q",
    "kiro",
    "kiro-cli",
    "droid",
    "pi",
    "auggie",
    "kimi",
    "iflow",
    "qodercli",
    "kilocode",
    "kilo",
    "cn",
    "openhands",
    "plandex",
    "interpreter",
    "gptme",
    "codebuff",
    "rovodev",
    "trae-cli",
    "vibe",
    "grok",
    "codebuddy",
    "warp-cli",
];

/// Programs that install or run a version of a package.
const RUNNERS: &[&str] = &["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun"];

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(AGENTS, &[], Guard, "unchecked_agent").with(&[
        "--yolo|--dangerously-*|--allow-dangerously-*|--skip-permissions*|--trust-all-tools|--allow-all|--allow-all-*|--auto-approve*|--approval-mode=yolo|--yes-always|--bypass-*|--no-permissions|--unsafe",
    ]),
    subcommand(&["claude", "claude-code"], &[], Guard, "unchecked_agent").with(&[
        "bypassPermissions|--permission-mode=bypassPermissions|--settings|--setting-sources|--bare|--safe-mode",
    ]),
    subcommand(&["claude", "claude-code"], &["config"], Guard, "agent_settings").with(&["set|add|remove"]),
    subcommand(&["claude", "claude-code"], &["mcp", "add|add-json|remove"], Guard, "agent_settings"),
    subcommand(&["claude", "claude-code"], &["plugin", "install|enable|disable|uninstall"], Guard, "agent_settings"),
    subcommand(&["codex"], &[], Guard, "unchecked_agent").with(&["danger-full-access|--sandbox=danger-full-access"]),
    subcommand(&["codex"], &[], Guard, "unchecked_agent").with(&[
        "--disable|hooks=false|features.hooks=false|never|approval_policy=never|sandbox_mode=danger-full-access|projects.*|notify=*",
    ]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &[], Guard, "unchecked_agent").with(&["yolo"]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &["hooks"], Guard, "agent_settings")
        .with(&["disable|disable-all|uninstall|enable"]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &["extensions"], Guard, "agent_settings")
        .with(&["install|uninstall|disable|enable"]),
    subcommand(
        &["gemini", "gemini-cli", "qwen", "qwen-code", "cline", "crush", "iflow", "interpreter"],
        &[],
        Guard,
        "unchecked_agent",
    )
    .with(&["-y"]),
    subcommand(&["cursor-agent", "agent"], &[], Guard, "unchecked_agent").with(&["--force|-f"]),
    subcommand(&["opencode", "opencode-ai"], &[], Guard, "unchecked_agent").with(&["--pure|OPENCODE_PURE="]),
    subcommand(&["aider"], &[], Guard, "unchecked_agent").with(&["--yes"]),
    subcommand(&["amp"], &[], Guard, "unchecked_agent").with(&["PLUGINS=off"]),
    subcommand(&["pi"], &[], Guard, "unchecked_agent").with(&["--no-extensions|-ne"]),
    subcommand(&["droid"], &[], Guard, "unchecked_agent").with(&["--auto=high"]),
    subcommand(&["docker"], &["agent"], Guard, "unchecked_agent").with(&["--yolo"]),
    // It runs its tools without questions unless it is told otherwise.
    subcommand(&["goose"], &["run"], Guard, "unchecked_agent")
        .without(&["GOOSE_MODE=approve|GOOSE_MODE=smart_approve|GOOSE_MODE=chat"]),
    subcommand(&["goose"], &[], Guard, "unchecked_agent").with(&["GOOSE_MODE=auto"]),
    // Another version may have no hooks.
    subcommand(
        RUNNERS,
        &["**", "@anthropic-ai/claude-code@[0-9]*|@openai/codex@[0-9]*|@google/gemini-cli@[0-9]*|@qwen-code/qwen-code@[0-9]*|@github/copilot@[0-9]*|opencode-ai@[0-9]*|cline@[0-9]*"],
        Guard,
        "unchecked_agent",
    ),
    subcommand(&["goose"], &["configure"], Guard, "agent_settings"),
    subcommand(PACKAGE_MANAGERS, &["**", "uninstall|remove|rm|un|r|purge|delete|erase", "**", "pintle|pintle-*|pintle@*"], Guard, "pintle_command"),
];

//! Agents that are started without their checks.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Guard;

const PACKAGE_MANAGERS: &[&str] = &[
    "pip", "pip3", "pipx", "uv", "npm", "pnpm", "yarn", "bun", "cargo", "brew", "apt", "apt-get", "dnf", "yum",
    "zypper", "pacman", "apk", "winget", "choco", "scoop", "snap", "flatpak", "nix", "nix-env", "mise", "asdf",
    "conda", "mamba", "port", "gem", "go", "rpm", "dpkg",
];

pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(&["claude", "claude-code"], &[], Guard, "unchecked_agent").with(&["--dangerously-skip-permissions"]),
    subcommand(&["claude", "claude-code"], &[], Guard, "unchecked_agent")
        .with(&["--allow-dangerously-skip-permissions"]),
    subcommand(&["claude", "claude-code"], &[], Guard, "unchecked_agent")
        .with(&["--permission-mode"])
        .with(&["bypassPermissions|--permission-mode=bypassPermissions"]),
    subcommand(&["claude", "claude-code"], &[], Guard, "unchecked_agent")
        .with(&["--settings|--setting-sources|--bare"]),
    subcommand(&["claude", "claude-code"], &["config"], Guard, "agent_settings").with(&["set|add|remove"]),
    subcommand(&["claude", "claude-code"], &["mcp", "add|add-json|remove"], Guard, "agent_settings"),
    subcommand(&["claude", "claude-code"], &["plugin", "install|enable|disable|uninstall"], Guard, "agent_settings"),
    subcommand(&["codex"], &[], Guard, "unchecked_agent")
        .with(&["--dangerously-bypass-approvals-and-sandbox|--yolo|--dangerously-bypass-hook-trust"]),
    subcommand(&["codex"], &[], Guard, "unchecked_agent").with(&["danger-full-access|--sandbox=danger-full-access"]),
    subcommand(&["codex"], &[], Guard, "unchecked_agent").with(&[
        "--disable|hooks=false|features.hooks=false|never|approval_policy=never|sandbox_mode=danger-full-access|projects.*|notify=*",
    ]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &[], Guard, "unchecked_agent").with(&["--yolo|-y|--approval-mode=yolo"]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &[], Guard, "unchecked_agent").with(&["--approval-mode"]).with(&["yolo"]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &["hooks"], Guard, "agent_settings")
        .with(&["disable|disable-all|uninstall|enable"]),
    subcommand(&["gemini", "gemini-cli", "qwen", "qwen-code"], &["extensions"], Guard, "agent_settings")
        .with(&["install|uninstall|disable|enable"]),
    subcommand(&["copilot"], &[], Guard, "unchecked_agent")
        .with(&["--allow-all-tools|--allow-all|--yolo|--allow-all-paths"]),
    subcommand(&["cursor-agent", "agent"], &[], Guard, "unchecked_agent").with(&["--force|-f|--yolo"]),
    subcommand(&["cline"], &[], Guard, "unchecked_agent").with(&["--yolo|-y"]),
    subcommand(&["opencode", "opencode-ai"], &[], Guard, "unchecked_agent").with(&["--dangerously-skip-permissions|--pure"]),
    subcommand(&["aider"], &[], Guard, "unchecked_agent").with(&["--yes-always|--yes"]),
    subcommand(&["goose"], &["configure"], Guard, "agent_settings"),
    subcommand(PACKAGE_MANAGERS, &["**", "uninstall|remove|rm|un|r|purge|delete|erase", "**", "pintle|pintle-*|pintle@*"], Guard, "pintle_command"),
];

//! `--permission-mode`: what happens to a tool call that no permission rule names.

use clap::Args;
use pintle_host::contract::PermissionMode;

/// The modes by name.
const MODES: [(&str, PermissionMode); 4] = [
    ("strict", PermissionMode::Strict),
    ("balanced", PermissionMode::Balanced),
    ("restricted", PermissionMode::Restricted),
    ("autonomous", PermissionMode::Autonomous),
];

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PermissionOptions {
    /// Set what happens to a tool call that no permission rule names: `strict` always asks, `balanced` asks unless the
    /// tool only reads, `restricted` denies instead of asking, `autonomous` runs it. Hooks run in every mode [default:
    /// the mode in the agent's file, or `balanced` for a docker-agent YAML file].
    #[arg(long, visible_alias = "safety", value_name = "MODE", value_parser = parse_mode)]
    permission_mode: Option<PermissionMode>,
    /// Set `--permission-mode autonomous`.
    #[arg(long, conflicts_with = "permission_mode")]
    yolo: bool,
}

impl PermissionOptions {
    /// Adds a mode to use if the command line names none.
    pub(crate) fn with_default_mode(self, mode: Option<PermissionMode>) -> Self {
        Self { permission_mode: self.mode().or(mode), yolo: false }
    }

    /// The mode that the command line names.
    pub(crate) fn mode(self) -> Option<PermissionMode> {
        self.permission_mode.or(self.yolo.then_some(PermissionMode::Autonomous))
    }
}

pub(crate) fn mode_name(mode: PermissionMode) -> &'static str {
    MODES.iter().find(|(_, known)| *known == mode).map_or("balanced", |(word, _)| word)
}

pub(crate) fn parse_mode(word: &str) -> Result<PermissionMode, String> {
    let known = MODES.iter().find(|(known, _)| *known == word).map(|(_, mode)| *mode);
    known.ok_or_else(|| format!("expected one of {}", MODES.map(|(word, _)| format!("`{word}`")).join(", ")))
}

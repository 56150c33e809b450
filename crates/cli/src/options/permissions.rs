//! What happens to a tool call that no permission rule names.

use clap::Args;
use pintle::PermissionMode;

/// The words and what they mean (docker-agent, Permissions, safety modes).
const MODES: [(&str, PermissionMode); 4] = [
    ("strict", PermissionMode::Strict),
    ("balanced", PermissionMode::Balanced),
    ("restricted", PermissionMode::Restricted),
    ("autonomous", PermissionMode::Autonomous),
];

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PermissionOptions {
    /// What happens to a tool call that no permission rule names: `strict` asks always, `balanced` asks unless the tool
    /// only reads, `restricted` denies instead of asking, `autonomous` runs it. Hooks are asked in every mode.
    /// Default: what the agent's file says, and for a docker-agent YAML `balanced`.
    #[arg(long, visible_alias = "safety", value_name = "MODE", value_parser = parse_mode)]
    permission_mode: Option<PermissionMode>,
    /// The same as `--permission-mode autonomous`.
    #[arg(long, conflicts_with = "permission_mode")]
    yolo: bool,
}

impl PermissionOptions {
    /// The same rules with a mode for when none was named.
    pub(crate) fn with_default_mode(self, mode: Option<PermissionMode>) -> Self {
        Self { permission_mode: self.mode().or(mode), yolo: false }
    }

    /// The mode that was named.
    pub(crate) fn mode(self) -> Option<PermissionMode> {
        self.permission_mode.or(self.yolo.then_some(PermissionMode::Autonomous))
    }
}

/// The word for a mode.
pub(crate) fn mode_name(mode: PermissionMode) -> &'static str {
    MODES.iter().find(|(_, known)| *known == mode).map_or("balanced", |(word, _)| word)
}

/// The mode that a word is for.
pub(crate) fn parse_mode(word: &str) -> Result<PermissionMode, String> {
    let known = MODES.iter().find(|(known, _)| *known == word).map(|(_, mode)| *mode);
    known.ok_or_else(|| format!("write {}", MODES.map(|(word, _)| format!("`{word}`")).join(", ")))
}

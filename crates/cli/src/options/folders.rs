//! Directories that a host's command line names, so that the host's environment cannot replace them.

use std::path::PathBuf;

use clap::Args;
use pintle_host::loader::{LayerDirs, MissingDir, TrustOptions, resolve_named_dir, state_dir};

#[derive(Debug, Clone, Args)]
pub(crate) struct FolderOptions {
    /// Directory of your own settings and hooks [default: `PINTLE_CONFIG_DIR`, otherwise `~/.config/pintle`].
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    /// Directory of trusted projects, sessions and tapes [default: `PINTLE_STATE_DIR`, otherwise
    /// `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Directory of your organisation's hooks, in addition to `/etc/pintle` [default: `PINTLE_MANAGED_DIR`, or none if
    /// `--config-dir` is set].
    #[arg(long, value_name = "DIR")]
    managed_dir: Option<PathBuf>,
}

impl FolderOptions {
    /// Returns the directories of the configuration layers for a working directory.
    ///
    /// # Errors
    /// If a named directory does not exist.
    pub(crate) fn layers(&self, cwd: PathBuf) -> Result<LayerDirs, MissingDir> {
        LayerDirs::find_for_host(cwd, self.config_dir.as_deref(), self.managed_dir.as_deref())
    }

    /// The directory of sessions, which may not exist yet.
    pub(crate) fn state_path(&self) -> Option<PathBuf> {
        self.state_dir.as_deref().map_or_else(state_dir, resolve_named_dir)
    }

    /// The options for reading the trust file of the state directory.
    pub(crate) fn trust_options(&self) -> TrustOptions {
        TrustOptions::from_state_dir(self.state_path().as_deref())
    }
}

//! Folders that a host's command line names, so that nothing in a host's environment can put others in their place.

use std::path::PathBuf;

use clap::Args;
use pintle::loader::{LayerDirs, MissingDir, TrustOptions, find_config_dir, find_managed_dir, state_dir};

#[derive(Debug, Clone, Args)]
pub(crate) struct FolderOptions {
    /// The folder of your own settings and hooks. Default: `PINTLE_CONFIG_DIR`, else `~/.config/pintle`.
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    /// The folder of what you agreed to, of sessions and of tapes. Default: `PINTLE_STATE_DIR`, else
    /// `~/.local/state/pintle`.
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// A folder of your organisation's hooks besides `/etc/pintle`. Default: `PINTLE_MANAGED_DIR`, and none where
    /// `--config-dir` is given.
    #[arg(long, value_name = "DIR")]
    managed_dir: Option<PathBuf>,
}

impl FolderOptions {
    /// Where hooks come from for somebody who works in a folder.
    ///
    /// # Errors
    /// When a folder that is named is not there.
    pub(crate) fn layers(&self, cwd: PathBuf) -> Result<LayerDirs, MissingDir> {
        let config = find_config_dir(self.config_dir.as_deref())?;
        // Hooks of the organisation need no consent, so a line that names folders believes no variable in this either.
        let is_settled = self.config_dir.is_some() && self.managed_dir.is_none();
        let managed = if is_settled { None } else { find_managed_dir(self.managed_dir.as_deref())? };
        Ok(LayerDirs::from_env(cwd, config).with_managed_dir(managed))
    }

    /// Where sessions are kept. It need not be there.
    pub(crate) fn state_path(&self) -> Option<PathBuf> {
        self.state_dir.clone().or_else(state_dir)
    }

    /// Whose agreements count.
    pub(crate) fn trust_options(&self) -> TrustOptions {
        TrustOptions::from_state_dir(self.state_path().as_deref())
    }
}

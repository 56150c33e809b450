//! `pintle snapshot undo`.

use clap::Args;
use pintle_host::snapshot::SnapshotStore;

use super::{revert_to, to_cli_error};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct SnapshotUndoArgs {
    /// Also restore files that were edited since.
    #[arg(long)]
    force: bool,
}

impl SnapshotUndoArgs {
    pub(super) fn execute(
        self,
        snapshots: &SnapshotStore,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let keep = snapshots.checkpoints().map_err(to_cli_error)?.len().saturating_sub(1);
        let said = |restored: &pintle_host::snapshot::RestoreReport| {
            format!("Restored {} file(s) from the last snapshot", restored.files.len())
        };
        revert_to(snapshots, keep, self.force, said, (terminal, global))
    }
}

//! `pintle snapshot reset`.

use clap::Args;
use pintle_host::snapshot::SnapshotStore;

use super::revert_to;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct SnapshotResetArgs {
    /// Number of checkpoints to keep; 0 restores the files as they were before the first one.
    #[arg(default_value_t = 0)]
    number: usize,
    /// Also restore files that were edited since.
    #[arg(long)]
    force: bool,
}

impl SnapshotResetArgs {
    pub(super) fn execute(
        self,
        snapshots: &SnapshotStore,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let said = |restored: &pintle_host::snapshot::RestoreReport| {
            format!("Restored {} file(s) from {} snapshot(s)", restored.files.len(), restored.reverted_count)
        };
        revert_to(snapshots, self.number, self.force, said, (terminal, global))
    }
}

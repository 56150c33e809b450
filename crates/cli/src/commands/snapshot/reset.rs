//! `pintle snapshot reset`.

use clap::Args;
use pintle::snapshot::SnapshotStore;

use super::revert;
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct Reset {
    /// How many snapshots are kept; 0 goes back to the files as they were before the first one.
    #[arg(default_value_t = 0)]
    number: usize,
    /// Restore files that were edited since, too.
    #[arg(long)]
    force: bool,
}

impl Reset {
    pub(super) fn execute(self, snapshots: &SnapshotStore, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let said = |restored: &pintle::snapshot::RestoreReport| {
            format!("Restored {} file(s) from {} snapshot(s)", restored.files.len(), restored.reverted_count)
        };
        revert(snapshots, self.number, self.force, said, (terminal, global))
    }
}

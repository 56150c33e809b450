//! `pintle snapshot undo`.

use clap::Args;
use pintle::snapshot::SnapshotStore;

use super::{fault, revert};
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct Undo {
    /// Restore files that were edited since, too.
    #[arg(long)]
    force: bool,
}

impl Undo {
    pub(super) fn execute(self, snapshots: &SnapshotStore, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let keep = snapshots.checkpoints().map_err(fault)?.len().saturating_sub(1);
        let said = |restored: &pintle::snapshot::RestoreReport| {
            format!("Restored {} file(s) from the last snapshot", restored.files.len())
        };
        revert(snapshots, keep, self.force, said, (terminal, global))
    }
}

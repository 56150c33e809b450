//! `pintle snapshot`: the files as the agent found them, and going back to that.

mod diff;
mod list;
mod reset;
mod undo;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pintle::CancelToken;
use pintle::snapshot::{Checkpoint, RestoreReport, SnapshotError, SnapshotStore, data_dir};
use pintle::tape::show::{StyledLine, Tone, single_line};
use serde_json::json;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

/// How long all of a command may take, in milliseconds.
const TIMEOUT_MS: u64 = 600_000;

#[derive(Debug, Args)]
pub(crate) struct Snapshot {
    /// A folder of the project whose snapshots are meant. Default: the current directory.
    #[arg(long, global = true, value_name = "DIR", default_value = ".", hide_default_value = true)]
    directory: PathBuf,
    #[command(subcommand)]
    command: SnapshotCommand,
}

#[derive(Debug, Subcommand)]
enum SnapshotCommand {
    /// List the snapshots, oldest first: each is what one piece of the agent's work changed.
    List(list::List),
    /// Show what a snapshot's piece of work changed.
    Diff(diff::Diff),
    /// Take back the last piece of work.
    Undo(undo::Undo),
    /// Keep the first snapshots and take back all later work.
    Reset(reset::Reset),
}

impl Snapshot {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let data = data_dir().map_err(fault)?;
        let snapshots = SnapshotStore::open(&data, &self.directory, TIMEOUT_MS, &CancelToken::default()).map_err(fault)?;
        // A snapshot is shown and taken back whole, wherever in the project a person stands.
        let snapshots = snapshots.covering_root();
        match self.command {
            SnapshotCommand::List(list) => list.execute(&snapshots, terminal, global),
            SnapshotCommand::Diff(diff) => diff.execute(&snapshots, terminal, global),
            SnapshotCommand::Undo(undo) => undo.execute(&snapshots, terminal, global),
            SnapshotCommand::Reset(reset) => reset.execute(&snapshots, terminal, global),
        }
    }
}

/// What a fault means for the command, and what to do next.
fn fault(fault: SnapshotError) -> Fault {
    match &fault {
        SnapshotError::EditedFiles { .. } => {
            Fault::failed(&fault).help("`--force` restores the files all the same; what was edited in them is lost")
        }
        SnapshotError::BlockedPaths { .. } => Fault::failed(&fault).help("move them away, then try again"),
        SnapshotError::MissingDirectory { .. } | SnapshotError::NoData => Fault::invalid(fault),
        _ => Fault::failed(fault),
    }
}

/// The checkpoint that a person means: one of those that are listed, or the last one.
fn chosen(snapshots: &SnapshotStore, number: Option<usize>) -> Result<Option<(usize, Checkpoint)>, Fault> {
    let mut all = snapshots.checkpoints().map_err(fault)?;
    let count = all.len();
    let number = match number {
        None if count == 0 => return Ok(None),
        None => count,
        Some(number) if (1..=count).contains(&number) => number,
        Some(number) => {
            let there = match count {
                0 => String::from("there are none yet"),
                1 => String::from("there is one"),
                _ => format!("there are {count}"),
            };
            return Err(Fault::invalid(format!("there is no snapshot {number}"))
                .help(format!("{there}; `pintle snapshot list` shows them")));
        }
    };
    Ok(Some((number, all.swap_remove(number - 1))))
}

/// Takes back all but the first `keep` checkpoints and says what came of it.
fn revert(
    snapshots: &SnapshotStore,
    keep: usize,
    force: bool,
    said: impl FnOnce(&RestoreReport) -> String,
    to: (&Terminal, &Global),
) -> Result<Status, Fault> {
    let (terminal, global) = to;
    let restored = snapshots.revert_after(keep, force).map_err(fault)?;
    if global.json {
        let (files, checkpoints) = restored.map(|restored| (restored.files, restored.reverted_count)).unwrap_or_default();
        terminal.json(&json!({"restored": files.len(), "files": files, "snapshots": checkpoints}));
        return Ok(Status::Done);
    }
    let Some(restored) = restored else {
        terminal.out("No snapshot to undo");
        return Ok(Status::Done);
    };
    terminal.out(said(&restored));
    let files = restored.files.iter().map(|file| StyledLine::new(Tone::Quiet, format!("  {}", single_line(file, 200))));
    terminal.lines(&files.collect::<Vec<_>>());
    Ok(Status::Done)
}

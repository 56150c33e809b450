//! `pintle snapshot`: lists, compares and restores file snapshots.

mod diff;
mod list;
mod reset;
mod undo;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pintle_host::CancelToken;
use pintle_host::snapshot::{Checkpoint, RestoreReport, SnapshotError, SnapshotStore, data_dir};
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// Time limit of a command, in milliseconds.
const TIMEOUT_MS: u64 = 600_000;

#[derive(Debug, Args)]
pub(crate) struct SnapshotArgs {
    /// Directory of the project whose snapshots to use [default: the current directory].
    #[arg(long, global = true, value_name = "DIR", default_value = ".", hide_default_value = true)]
    directory: PathBuf,
    #[command(subcommand)]
    command: SnapshotCommand,
}

#[derive(Debug, Subcommand)]
enum SnapshotCommand {
    /// List the checkpoints, oldest first, with what each changed.
    List(list::SnapshotListArgs),
    /// Show what a checkpoint changed.
    Diff(diff::SnapshotDiffArgs),
    /// Undo the last checkpoint.
    Undo(undo::SnapshotUndoArgs),
    /// Keep the first checkpoints and undo all later ones.
    Reset(reset::SnapshotResetArgs),
}

impl SnapshotArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let data = data_dir().map_err(to_cli_error)?;
        let snapshots =
            SnapshotStore::open(&data, &self.directory, TIMEOUT_MS, &CancelToken::default()).map_err(to_cli_error)?;
        // A checkpoint is shown and undone as a whole, from any directory of the project.
        let snapshots = snapshots.covering_root();
        match self.command {
            SnapshotCommand::List(list) => list.execute(&snapshots, terminal, global),
            SnapshotCommand::Diff(diff) => diff.execute(&snapshots, terminal, global),
            SnapshotCommand::Undo(undo) => undo.execute(&snapshots, terminal, global),
            SnapshotCommand::Reset(reset) => reset.execute(&snapshots, terminal, global),
        }
    }
}

/// Converts an error of the snapshots, and adds the next step.
fn to_cli_error(error: SnapshotError) -> CliError {
    match &error {
        SnapshotError::EditedFiles { .. } => {
            CliError::failure(&error).help("`--force` restores the files anyway and discards these edits")
        }
        SnapshotError::BlockedPaths { .. } => CliError::failure(&error).help("move them away, then try again"),
        SnapshotError::MissingDirectory { .. } | SnapshotError::NoData => CliError::invalid_input(error),
        _ => CliError::failure(error),
    }
}

/// Returns the checkpoint with this number, or the last one.
fn choose_checkpoint(
    snapshots: &SnapshotStore,
    number: Option<usize>,
) -> Result<Option<(usize, Checkpoint)>, CliError> {
    let mut all = snapshots.checkpoints().map_err(to_cli_error)?;
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
            return Err(CliError::invalid_input(format!("checkpoint {number} does not exist"))
                .help(format!("{there}; `pintle snapshot list` shows them")));
        }
    };
    Ok(Some((number, all.swap_remove(number - 1))))
}

/// The most paths that a note names.
const NAMED: usize = 8;

/// Says what is not in the snapshots. If git cannot tell, nothing is said: it is not what the command is about.
fn print_left_out(snapshots: &SnapshotStore, terminal: &Terminal) {
    let paths = snapshots.left_out_paths().unwrap_or_default();
    let named: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{}`", single_line(path, 80))).collect();
    let further = match paths.len().saturating_sub(NAMED) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    if !named.is_empty() {
        terminal.print_note(format!(
            "not in the snapshots, so never restored: {}{further}; git ignores them, or they are above 2 MiB, not readable \
             or repositories of their own",
            named.join(", ")
        ));
    }
}

/// Undoes all but the first `keep` checkpoints, and prints the restored files.
fn revert_to(
    snapshots: &SnapshotStore,
    keep: usize,
    force: bool,
    describe: impl FnOnce(&RestoreReport) -> String,
    to: (&Terminal, &GlobalOptions),
) -> Result<CliStatus, CliError> {
    let (terminal, global) = to;
    let restored = snapshots.revert_after(keep, force).map_err(to_cli_error)?;
    if global.json {
        let (files, checkpoints) =
            restored.map(|restored| (restored.files, restored.reverted_count)).unwrap_or_default();
        terminal.print_json(&json!({"restored": files.len(), "files": files, "snapshots": checkpoints}));
        return Ok(CliStatus::Done);
    }
    let Some(restored) = restored else {
        terminal.print_line("No snapshot to undo");
        return Ok(CliStatus::Done);
    };
    terminal.print_line(describe(&restored));
    let files = restored.files.iter().map(|file| StyledLine::new(Tone::Quiet, format!("  {}", single_line(file, 200))));
    terminal.print_lines(&files.collect::<Vec<_>>());
    print_left_out(snapshots, terminal);
    Ok(CliStatus::Done)
}

//! `pintle snapshot list`.

use clap::Args;
use pintle_host::snapshot::{Checkpoint, FileChangeKind, SnapshotStore};
use pintle_host::tape::show::single_line;
use pintle_host::{Clock, SystemClock};
use serde_json::{Value, json};

use super::{print_left_out, to_cli_error};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::render::{age_text, table};
use crate::terminal::Terminal;

/// Most characters of a name.
const CUT: usize = 40;

#[derive(Debug, Args)]
pub(super) struct SnapshotListArgs {}

impl SnapshotListArgs {
    pub(super) fn execute(
        self,
        snapshots: &SnapshotStore,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let all = snapshots.checkpoints().map_err(to_cli_error)?;
        if global.json {
            terminal.print_json(&all.iter().enumerate().map(to_json).collect::<Vec<_>>());
        } else if all.is_empty() {
            terminal.print_note(
                "no checkpoints yet; a hook with the built-in `snapshot` records them while an agent works",
            );
        } else {
            let now_ms = SystemClock::default().unix_ms();
            let rows: Vec<_> = all.iter().enumerate().map(|(index, one)| to_cells(index, one, now_ms)).collect();
            terminal.print_lines(&table::render_table(["#", "WHEN", "SESSION", "AGENT", "WORK", "CHANGED"], &rows));
            print_left_out(snapshots, terminal);
        }
        Ok(CliStatus::Done)
    }
}

fn to_cells(index: usize, one: &Checkpoint, now_ms: u64) -> [String; 6] {
    [
        (index + 1).to_string(),
        age_text(now_ms.saturating_sub(one.at_ms)),
        single_line(&one.session, CUT),
        single_line(&one.agent, CUT),
        single_line(&one.action, CUT),
        change_counts_text(one),
    ]
}

fn to_json((at, one): (usize, &Checkpoint)) -> Value {
    let files: Vec<Value> =
        one.files.iter().map(|change| json!({"path": change.path, "change": change.kind()})).collect();
    json!({
        "number": at + 1,
        "at_ms": one.at_ms,
        "session": one.session,
        "agent": one.agent,
        "action": one.action,
        "files": files,
    })
}

/// Formats how many files changed in which way, such as `2 created, 1 deleted`.
fn change_counts_text(one: &Checkpoint) -> String {
    let words = [
        (FileChangeKind::Created, "created"),
        (FileChangeKind::Modified, "modified"),
        (FileChangeKind::Deleted, "deleted"),
    ];
    let counts = words.map(|(kind, word)| (one.count_changes(kind), word));
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    told.collect::<Vec<_>>().join(", ")
}

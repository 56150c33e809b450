//! `pintle snapshot diff`.

use clap::Args;
use pintle::snapshot::SnapshotStore;
use pintle::tape::show::{StyledLine, Tone, single_line};
use serde_json::{Value, json};

use super::{chosen, fault};
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// The snapshot, as `list` numbers them. Default: the last one.
    number: Option<usize>,
    /// Compare what the files were before that work with what they are now.
    #[arg(long)]
    present: bool,
}

impl Diff {
    pub(super) fn execute(self, snapshots: &SnapshotStore, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let Some((number, one)) = chosen(snapshots, self.number)? else {
            if global.json {
                terminal.json(&Value::Null);
            } else {
                terminal.out("No snapshot to show");
            }
            return Ok(Status::Done);
        };
        let after = if self.present { snapshots.capture().map_err(fault)? } else { one.after };
        let patch = snapshots.patch(&one.before, &after).map_err(fault)?;
        let patch = String::from_utf8_lossy(&patch);
        if global.json {
            let changes = snapshots.changed_files(&one.before, &after).map_err(fault)?;
            let files: Vec<Value> =
                changes.iter().map(|change| json!({"path": change.path, "change": change.kind()})).collect();
            terminal.json(&json!({"number": number, "files": files, "patch": patch}));
        } else {
            terminal.lines(&patch.lines().map(painted).collect::<Vec<_>>());
        }
        Ok(Status::Done)
    }
}

/// A line of a patch. What a terminal would take for a command is shown and not obeyed; tabs stay.
fn painted(line: &str) -> StyledLine {
    let tone = match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Tone::Quiet,
        [b'+', ..] => Tone::Good,
        [b'-', ..] => Tone::Bad,
        [b'@' | b'd' | b'i' | b'n' | b's' | b'r' | b'o', ..] => Tone::Quiet,
        _ => Tone::Plain,
    };
    let text: Vec<String> = line.split('\t').map(|cell| single_line(cell, usize::MAX)).collect();
    StyledLine::new(tone, text.join("\t"))
}

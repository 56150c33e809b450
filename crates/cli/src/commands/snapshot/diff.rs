//! `pintle snapshot diff`.

use clap::Args;
use pintle_host::snapshot::SnapshotStore;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde_json::{Value, json};

use super::{choose_checkpoint, to_cli_error};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::render::style;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct SnapshotDiffArgs {
    /// Number of the checkpoint in `snapshot list` [default: the last one].
    number: Option<usize>,
    /// Compare the files before the checkpoint with the current files.
    #[arg(long, alias = "present")]
    current: bool,
}

impl SnapshotDiffArgs {
    pub(super) fn execute(
        self,
        snapshots: &SnapshotStore,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let Some((number, one)) = choose_checkpoint(snapshots, self.number)? else {
            if global.json {
                terminal.print_json(&Value::Null);
            } else {
                terminal.print_line("No snapshot to show");
            }
            return Ok(CliStatus::Done);
        };
        let after = if self.current { snapshots.capture().map_err(to_cli_error)? } else { one.after };
        let patch = snapshots.patch(&one.before, &after).map_err(to_cli_error)?;
        let patch = String::from_utf8_lossy(&patch);
        if global.json {
            let changes = snapshots.changed_files(&one.before, &after).map_err(to_cli_error)?;
            let files: Vec<Value> =
                changes.iter().map(|change| json!({"path": change.path, "change": change.kind()})).collect();
            terminal.print_json(&json!({"number": number, "files": files, "patch": patch}));
        } else {
            patch.lines().for_each(|line| terminal.print_exact_line(style::paint_line(&style_patch_line(line))));
        }
        Ok(CliStatus::Done)
    }
}

/// Styles a line of a patch. Control characters are escaped, except tabs.
fn style_patch_line(line: &str) -> StyledLine {
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

//! Showing a change of a host's settings, asking, and making it.

use std::io::{self, IsTerminal};

use clap::Args;
use pintle::tape::show::{StyledLine, Tone};
use pintle_bridge::HostDef;
use pintle_bridge::install::{InstallReport, InstallPlan, InstallEnvironment};
use serde_json::{Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// Who agrees to the change.
#[derive(Debug, Args)]
pub(in crate::commands) struct EditConfirmation {
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// A change of a host's settings.
pub(in crate::commands) struct SettingsEdit<'a> {
    /// The host.
    pub(in crate::commands) host: &'static HostDef,
    /// This machine.
    pub(in crate::commands) site: &'a InstallEnvironment,
    /// What would change.
    pub(in crate::commands) plan: InstallPlan,
    /// What is said when it was made.
    pub(in crate::commands) done_message: &'static str,
    /// What is said when there is nothing to do.
    pub(in crate::commands) unchanged_message: &'static str,
}

impl SettingsEdit<'_> {
    /// Shows the change, asks unless told not to, and makes it.
    pub(in crate::commands) fn carry_out(
        self,
        agreement: &EditConfirmation,
        hints: &[String],
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        if !global.json {
            self.show_diff(terminal);
        }
        let idle = self.plan.is_empty();
        let made = if idle || agreement.dry_run {
            None
        } else if agreement.yes || confirm(terminal)? {
            Some(self.plan.apply().map_err(CliError::failure)?)
        } else {
            terminal.print_note("nothing was changed");
            return Ok(CliStatus::Denied);
        };
        if global.json {
            terminal.print_json(&self.to_json(made.as_ref(), hints));
            return Ok(CliStatus::Done);
        }
        let title = self.host.title;
        match &made {
            Some(applied) => self.print_report(applied, terminal),
            None if idle => terminal.print_line(format!("{title}: {}", self.unchanged_message)),
            None => terminal.print_note("nothing was changed"),
        }
        if made.is_some() {
            hints.iter().for_each(|hint| terminal.print_note(hint));
        }
        Ok(CliStatus::Done)
    }

    /// The change as a diff.
    fn show_diff(&self, terminal: &Terminal) {
        for change in &self.plan.changes {
            let diff = change.diff(&self.site.display_path(&change.path));
            let line = |line: &str| {
                let tone = match line.as_bytes() {
                    [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', b'@', ..] => Tone::Quiet,
                    [b'+', ..] => Tone::Good,
                    [b'-', ..] => Tone::Bad,
                    _ => Tone::Plain,
                };
                StyledLine::new(tone, line)
            };
            terminal.print_lines(&diff.lines().map(line).collect::<Vec<_>>());
        }
        if let Some(folder) = &self.plan.config_dir {
            let what = format!("to be made: `{}`, the folder of your own hooks", self.site.display_path(folder));
            terminal.print_lines(&[StyledLine::new(Tone::Good, what)]);
        }
    }

    fn print_report(&self, applied: &InstallReport, terminal: &Terminal) {
        terminal.print_line(format!("{}: {}", self.host.title, self.done_message));
        let lines = [
            ("made", applied.created_dir.as_slice()),
            ("wrote", &applied.written_files),
            ("removed", &applied.removed_files),
            ("kept as it was in", &applied.backups),
        ];
        for (what, paths) in lines.into_iter().filter(|(_, paths)| !paths.is_empty()) {
            let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", self.site.display_path(path))).collect();
            terminal.print_lines(&[StyledLine::new(Tone::Quiet, format!("  {what} {}", paths.join(", ")))]);
        }
    }

    fn to_json(&self, made: Option<&InstallReport>, hints: &[String]) -> Value {
        let changes = self.plan.changes.iter().map(|change| {
            json!({
                "path": change.path,
                "backup": change.backup,
                "removed": change.after.is_none(),
                "diff": change.diff(&change.path.to_string_lossy()),
            })
        });
        json!({
            "host": self.host.name,
            "changes": changes.collect::<Vec<_>>(),
            "folder": self.plan.config_dir,
            "made": made.is_some(),
            "hints": hints,
        })
    }
}

/// Asks the person, who has to be there.
fn confirm(terminal: &Terminal) -> Result<bool, CliError> {
    if !io::stdin().is_terminal() {
        let fault = CliError::invalid_input("nobody is there to be asked");
        return Err(fault.help("`--yes` makes the change without asking, `--dry-run` only shows it"));
    }
    terminal.print_piece("make this change? [y/N] ");
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|fault| CliError::failure(format!("cannot read from the terminal: {fault}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}

//! Shows a change of a host's settings, prompts for confirmation and applies it.

use std::io::{self, IsTerminal};

use clap::Args;
use pintle_bridge::HostDef;
use pintle_bridge::doctor::{GuardCheck, examine_guards};
use pintle_bridge::install::{InstallEnvironment, InstallPlan, InstallReport, InstallScope};
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use super::to_cli_error;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::options::trust::require_no_agent;
use crate::render::{count_text, guards, style};
use crate::terminal::Terminal;

/// How the change is confirmed.
#[derive(Debug, Args)]
pub(in crate::commands) struct EditConfirmation {
    /// Apply the change without prompting.
    #[arg(long, short)]
    yes: bool,
    /// Show the change without applying it.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

impl EditConfirmation {
    /// Whether the change is only shown.
    pub(in crate::commands) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Refuses the options where nothing would be changed.
    pub(in crate::commands) fn require_absent(&self, missing: &str) -> Result<(), CliError> {
        match self.yes || self.dry_run {
            true => Err(CliError::invalid_input(format!("`--yes` and `--dry-run` are for `{missing}`"))),
            false => Ok(()),
        }
    }

    /// Refuses an agent, unless the change is only shown.
    pub(in crate::commands) fn require_user(&self) -> Result<(), CliError> {
        if self.dry_run { Ok(()) } else { require_no_agent("nothing was changed") }
    }

    /// Whether the user agrees: by `--yes`, or by an answer on the terminal.
    pub(in crate::commands) fn is_confirmed(&self, question: &str, terminal: &Terminal) -> Result<bool, CliError> {
        Ok(self.yes || confirm(question, terminal)?)
    }
}

/// A change of a host's settings.
pub(in crate::commands) struct SettingsEdit<'a> {
    pub(in crate::commands) host: &'static HostDef,
    pub(in crate::commands) site: &'a InstallEnvironment,
    pub(in crate::commands) plan: InstallPlan,
    /// The message after the change was applied.
    pub(in crate::commands) done_message: &'static str,
    /// The message if there is nothing to change.
    pub(in crate::commands) unchanged_message: &'static str,
    /// The scope in which the user's hooks apply afterwards.
    pub(in crate::commands) guarded_scope: Option<InstallScope>,
    /// Whether the change is always summarized before it is made, and shown as a diff if the user is prompted.
    pub(in crate::commands) shows_diff: bool,
}

impl SettingsEdit<'_> {
    /// Shows the change, prompts for confirmation unless `--yes` is set, and applies it.
    pub(in crate::commands) fn carry_out(
        self,
        grant: &EditConfirmation,
        hints: &[String],
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let idle = self.plan.is_empty();
        // A user who is prompted knows what for.
        if !global.json && !idle && (self.shows_diff || !grant.yes) {
            terminal.print_line(self.summary());
            if self.shows_diff && !grant.yes {
                print_diff(&self.plan, self.site, terminal);
            }
        }
        let made = if idle || grant.dry_run {
            None
        } else if grant.is_confirmed("apply this change?", terminal)? {
            let failed = |error| CliError { status: CliStatus::Failed, ..to_cli_error(&error, self.site) };
            Some(self.plan.apply().map_err(failed)?)
        } else {
            terminal.print_note("nothing was changed");
            return Ok(CliStatus::Denied);
        };
        let is_installed = idle || made.is_some();
        let guards =
            self.guarded_scope.filter(|_| is_installed).map(|scope| examine_guards(self.host, self.site, scope));
        if global.json {
            terminal.print_json(&self.to_json(made.as_ref(), guards.as_ref(), hints));
            return Ok(CliStatus::Done);
        }
        let title = self.host.title;
        match &made {
            Some(applied) => self.print_report(applied, terminal),
            None if idle => terminal.print_line(format!("{title}: {}", self.unchanged_message)),
            None => terminal.print_note("nothing was changed"),
        }
        if let Some(guards) = &guards {
            guards::print_findings(&guards.findings, terminal);
        }
        if made.is_some() {
            hints.iter().for_each(|hint| terminal.print_note(hint));
        }
        Ok(CliStatus::Done)
    }

    /// Describes the change in one line.
    fn summary(&self) -> String {
        let (title, path) = (self.host.title, self.site.display_path(&self.plan.settings_path));
        match self.guarded_scope {
            Some(_) => format!("{title}: install {} in `{path}`", count_text(self.plan.event_count, "event")),
            None => format!("{title}: remove Pintle from `{path}`"),
        }
    }

    fn print_report(&self, applied: &InstallReport, terminal: &Terminal) {
        terminal.print_line(format!("{}: {}", self.host.title, self.done_message));
        let lines = [
            ("created", applied.created_dir.as_slice()),
            ("wrote", &applied.written_files),
            ("removed", &applied.removed_files),
            ("backed up to", &applied.backups),
        ];
        for (what, paths) in lines.into_iter().filter(|(_, paths)| !paths.is_empty()) {
            let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", self.site.display_path(path))).collect();
            terminal.print_lines(&[StyledLine::new(Tone::Quiet, format!("  {what} {}", paths.join(", ")))]);
        }
    }

    fn to_json(&self, report: Option<&InstallReport>, guards: Option<&GuardCheck>, hints: &[String]) -> Value {
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
            "config_dir": self.plan.config_dir,
            "installed": report.is_some(),
            "guards": guards.map(guards::to_json),
            "findings": guards.map(|guards| guards::findings_to_json(&guards.findings)),
            "hints": hints,
        })
    }
}

/// Prompts the user for confirmation, which requires a terminal.
fn confirm(question: &str, terminal: &Terminal) -> Result<bool, CliError> {
    if !io::stdin().is_terminal() {
        let error = CliError::invalid_input("cannot prompt for confirmation: standard input is not a terminal");
        return Err(error.help("apply the change without prompting with `--yes`, or only show it with `--dry-run`"));
    }
    terminal.print_piece(format!("{question} [y/N] "));
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|error| CliError::failure(format!("cannot read from the terminal: {error}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}

/// Prints the change of a host's settings as a diff.
pub(in crate::commands) fn print_diff(plan: &InstallPlan, environment: &InstallEnvironment, terminal: &Terminal) {
    for change in &plan.changes {
        let diff = change.diff(&environment.display_path(&change.path));
        let line = |line: &str| {
            let tone = match line.as_bytes() {
                [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', b'@', ..] => Tone::Quiet,
                [b'+', ..] => Tone::Good,
                [b'-', ..] => Tone::Bad,
                _ => Tone::Plain,
            };
            StyledLine::new(tone, line)
        };
        diff.lines().for_each(|text| terminal.print_exact_line(style::paint_line(&line(text))));
    }
    if let Some(dir) = &plan.config_dir {
        let what = format!("will create `{}`, the directory of your own hooks", environment.display_path(dir));
        terminal.print_lines(&[StyledLine::new(Tone::Good, what)]);
    }
}

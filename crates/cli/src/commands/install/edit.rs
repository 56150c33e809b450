//! Showing a change of a host's settings, asking, and making it.

use std::io::{self, IsTerminal};

use clap::Args;
use pintle::tape::show::{StyledLine, Tone};
use pintle_bridge::HostDef;
use pintle_bridge::install::{InstallReport, InstallPlan, InstallEnvironment};
use serde_json::{Value, json};

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

/// Who agrees to the change.
#[derive(Debug, Args)]
pub(in crate::commands) struct Agreement {
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// A change of a host's settings.
pub(in crate::commands) struct Edit<'a> {
    /// The host.
    pub(in crate::commands) host: &'static HostDef,
    /// This machine.
    pub(in crate::commands) site: &'a InstallEnvironment,
    /// What would change.
    pub(in crate::commands) plan: InstallPlan,
    /// What is said when it was made.
    pub(in crate::commands) done: &'static str,
    /// What is said when there is nothing to do.
    pub(in crate::commands) idle: &'static str,
}

impl Edit<'_> {
    /// Shows the change, asks unless told not to, and makes it.
    pub(in crate::commands) fn carry_out(
        self,
        agreement: &Agreement,
        hints: &[String],
        terminal: &Terminal,
        global: &Global,
    ) -> Result<Status, Fault> {
        if !global.json {
            self.show(terminal);
        }
        let idle = self.plan.is_empty();
        let made = if idle || agreement.dry_run {
            None
        } else if agreement.yes || agreed(terminal)? {
            Some(self.plan.apply().map_err(Fault::failed)?)
        } else {
            terminal.note("nothing was changed");
            return Ok(Status::Denied);
        };
        if global.json {
            terminal.json(&self.described(made.as_ref(), hints));
            return Ok(Status::Done);
        }
        let title = self.host.title;
        match &made {
            Some(applied) => self.tell(applied, terminal),
            None if idle => terminal.out(format!("{title}: {}", self.idle)),
            None => terminal.note("nothing was changed"),
        }
        if made.is_some() {
            hints.iter().for_each(|hint| terminal.note(hint));
        }
        Ok(Status::Done)
    }

    /// The change as a diff.
    fn show(&self, terminal: &Terminal) {
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
            terminal.lines(&diff.lines().map(line).collect::<Vec<_>>());
        }
        if let Some(folder) = &self.plan.config_dir {
            let what = format!("to be made: `{}`, the folder of your own hooks", self.site.display_path(folder));
            terminal.lines(&[StyledLine::new(Tone::Good, what)]);
        }
    }

    fn tell(&self, applied: &InstallReport, terminal: &Terminal) {
        terminal.out(format!("{}: {}", self.host.title, self.done));
        let lines = [
            ("made", applied.created_dir.as_slice()),
            ("wrote", &applied.written_files),
            ("removed", &applied.removed_files),
            ("kept as it was in", &applied.backups),
        ];
        for (what, paths) in lines.into_iter().filter(|(_, paths)| !paths.is_empty()) {
            let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", self.site.display_path(path))).collect();
            terminal.lines(&[StyledLine::new(Tone::Quiet, format!("  {what} {}", paths.join(", ")))]);
        }
    }

    fn described(&self, made: Option<&InstallReport>, hints: &[String]) -> Value {
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
fn agreed(terminal: &Terminal) -> Result<bool, Fault> {
    if !io::stdin().is_terminal() {
        let fault = Fault::invalid("nobody is there to be asked");
        return Err(fault.help("`--yes` makes the change without asking, `--dry-run` only shows it"));
    }
    terminal.out_piece("make this change? [y/N] ");
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|fault| Fault::failed(format!("cannot read from the terminal: {fault}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}

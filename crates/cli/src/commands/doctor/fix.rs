//! `pintle doctor --fix`: shows what is wrong with installed entries, and writes them as `pintle install` does.

use std::path::PathBuf;

use pintle_bridge::doctor::{DoctorReport, EntryRepair, plan_repairs};
use pintle_bridge::install::InstallEnvironment;
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use crate::commands::install::{
    EditConfirmation, find_entry_program, find_named_dirs, find_started_program, to_cli_error,
};
use crate::error::CliError;
use crate::terminal::Terminal;

/// What can be repaired in the examined hosts, and why the rest cannot.
#[derive(Debug, Default)]
pub(super) struct RepairPlans {
    repairs: Vec<EntryRepair>,
    errors: Vec<CliError>,
}

impl RepairPlans {
    /// Plans the repairs of hosts that were examined.
    pub(super) fn find(reports: &[DoctorReport], environment: &InstallEnvironment) -> Result<Self, CliError> {
        let started = find_started_program()?;
        let present = |scope| Ok((find_entry_program(environment, scope)?, find_named_dirs(scope)?));
        let mut plans = Self::default();
        for planned in reports.iter().flat_map(|report| plan_repairs(report, environment, &started, present)) {
            match planned {
                Ok(repair) => plans.repairs.push(repair),
                Err(error) => plans.errors.push(error),
            }
        }
        Ok(plans)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.repairs.is_empty()
    }

    /// The hosts with entries that can be repaired.
    pub(super) fn host_names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.repairs.iter().map(|repair| repair.host.name).collect();
        names.dedup();
        names
    }

    /// Shows what is wrong, and what is written.
    pub(super) fn print_summary(&self, environment: &InstallEnvironment, terminal: &Terminal) {
        for EntryRepair { host, reasons, program, plan } in &self.repairs {
            let path = environment.display_path(&plan.settings_path);
            let head = format!("{}: the {} entries in `{path}`", host.title, plan.scope.as_str());
            let mut lines = vec![StyledLine::new(Tone::Plain, head)];
            lines.extend(reasons.iter().map(|reason| StyledLine::new(Tone::Bad, format!("  {reason}"))));
            let after = format!("  will run `{}` at {} events", program.program, plan.event_count);
            lines.push(StyledLine::new(Tone::Good, after));
            terminal.print_lines(&lines);
            program.cautions.iter().for_each(|caution| terminal.print_note(caution));
        }
    }

    /// Asks the user, and writes the entries. Returns those that were repaired; the errors of the others are printed.
    pub(super) fn carry_out(
        &self,
        confirmation: &EditConfirmation,
        environment: &InstallEnvironment,
        terminal: &Terminal,
        is_quiet: bool,
    ) -> Result<Vec<Value>, CliError> {
        self.errors.iter().for_each(|error| terminal.print_cli_error(error));
        if self.is_empty() || confirmation.is_dry_run() {
            terminal.print_note(if self.is_empty() { "there is nothing to repair" } else { "nothing was changed" });
            return Ok(Vec::new());
        }
        if !confirmation.is_confirmed("write these entries?", terminal)? {
            terminal.print_note("nothing was changed");
            return Ok(Vec::new());
        }
        let mut written = Vec::new();
        for EntryRepair { host, reasons, program, plan } in &self.repairs {
            let applied = match plan.apply() {
                Ok(applied) => applied,
                Err(error) => {
                    terminal.print_cli_error(&to_cli_error(&error, environment));
                    continue;
                }
            };
            if !is_quiet {
                let paths = |paths: &[PathBuf]| {
                    paths
                        .iter()
                        .map(|path| format!("`{}`", environment.display_path(path)))
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                let backups = match applied.backups.as_slice() {
                    [] => String::new(),
                    backups => format!(", and backed it up to {}", paths(backups)),
                };
                let wrote = paths(&[applied.created_dir.as_slice(), &applied.written_files].concat());
                terminal.print_line(format!("{}: wrote {wrote}{backups}", host.title));
            }
            written.push(json!({
                "host": host.name,
                "scope": plan.scope.as_str(),
                "path": plan.settings_path,
                "reasons": reasons,
                "program": program.program,
                "backups": applied.backups,
            }));
        }
        Ok(written)
    }
}

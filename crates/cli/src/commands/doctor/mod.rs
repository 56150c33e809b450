//! `pintle doctor`.

mod fix;
mod report;

use clap::Args;
use pintle_bridge::HOSTS;
use pintle_bridge::doctor::{DoctorReport, examine};
use pintle_host::loader::UserDirs;
use serde_json::{Value, json};

use super::install::EditConfirmation;
use super::serve::stop_residents;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostArgument, ProjectOption, RecordedSessions};
use crate::terminal::Terminal;
use fix::RepairPlans;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Host to check [default: every host in which Pintle is installed].
    #[arg(value_name = "HOST")]
    host: Option<HostArgument>,
    /// Rewrite installed entries whose program is gone, or that differ from what `pintle install` writes.
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    confirmation: EditConfirmation,
    #[command(flatten)]
    project: ProjectOption,
}

impl DoctorArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        if !self.fix {
            self.confirmation.require_absent("--fix")?;
        } else {
            self.confirmation.require_user()?;
        }
        let site = self.project.install_environment()?;
        let now = UserDirs::from_env().to_absolute();
        let look = || -> Vec<DoctorReport> {
            let look = |host| examine(host, &site, &now);
            match &self.host {
                Some(host) => vec![look(host.0)],
                None => HOSTS.iter().map(|host| look(host)).filter(DoctorReport::is_installed).collect(),
            }
        };
        let mut found = look();
        if found.is_empty() {
            let error = CliError::failure("Pintle is not installed in any host");
            return Err(error.help("install it with `pintle install HOST`, for example `pintle install claude`"));
        }
        let plans = RepairPlans::find(&found, &site)?;
        let mut repaired = Vec::new();
        if self.fix {
            if !global.json {
                plans.print_summary(&site, terminal);
            }
            repaired = plans.carry_out(&self.confirmation, &site, terminal, global.json)?;
            if !repaired.is_empty() {
                // Those of another version may be among them. The next call starts one of the present program.
                stop_residents(now.state.as_deref());
                found = look();
            }
        }
        // Those of this machine are not in an image.
        let recorded = now.state.as_deref().filter(|_| !site.is_image()).map(RecordedSessions::find);
        if global.json {
            let json = |examination| report::json(examination, recorded.as_ref());
            let reports: Vec<Value> = found.iter().map(json).collect();
            match self.fix {
                true => terminal.print_json(&json!({"repaired": repaired, "hosts": reports})),
                false => terminal.print_json(&reports),
            }
        } else {
            found.iter().for_each(|examination| terminal.print_lines(&report::text(examination, &site)));
            recorded.iter().for_each(|recorded| terminal.print_lines(&report::recorded_text(recorded, &site)));
            if !self.fix && !plans.is_empty() {
                let names = plans.host_names().join(", ");
                terminal.print_note(format!("`pintle doctor --fix` rewrites entries of {names}; it shows them first"));
            }
        }
        Ok(if found.iter().all(DoctorReport::is_healthy) { CliStatus::Done } else { CliStatus::Failed })
    }
}

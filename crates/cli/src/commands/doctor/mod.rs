//! `pintle doctor`.

mod report;

use clap::Args;
use pintle_bridge::HOSTS;
use pintle_bridge::doctor::{DoctorReport, examine};
use pintle_host::loader::UserDirs;
use serde_json::Value;

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostArgument, ProjectOption, RecordedSessions};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Host to check [default: every host in which Pintle is installed].
    #[arg(value_name = "HOST")]
    host: Option<HostArgument>,
    #[command(flatten)]
    project: ProjectOption,
}

impl DoctorArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let site = self.project.install_environment()?;
        let now = UserDirs::from_env().to_absolute();
        let look = |host| examine(host, &site, &now);
        let found: Vec<DoctorReport> = match self.host {
            Some(host) => vec![look(host.0)],
            None => HOSTS.iter().map(|host| look(host)).filter(DoctorReport::is_installed).collect(),
        };
        if found.is_empty() {
            let error = CliError::failure("Pintle is not installed in any host");
            return Err(error.help("install it with `pintle install HOST`, for example `pintle install claude`"));
        }
        // Those of this machine are not in an image.
        let recorded = now.state.as_deref().filter(|_| !site.is_image()).map(RecordedSessions::find);
        if global.json {
            let json = |examination| report::json(examination, recorded.as_ref());
            terminal.print_json(&found.iter().map(json).collect::<Vec<Value>>());
        } else {
            found.iter().for_each(|examination| terminal.print_lines(&report::text(examination, &site)));
            recorded.iter().for_each(|recorded| terminal.print_lines(&report::recorded_text(recorded, &site)));
        }
        Ok(if found.iter().all(DoctorReport::is_healthy) { CliStatus::Done } else { CliStatus::Failed })
    }
}

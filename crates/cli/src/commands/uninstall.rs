//! `pintle uninstall`.

use clap::Args;
use pintle_bridge::install::InstallPlan;
use pintle_bridge::list_host_names;

use super::install::{EditConfirmation, SettingsEdit, to_cli_error};
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostArgument, ProjectOption, ScopeArgument};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[arg(value_name = "HOST", help = format!("Agent to remove Pintle from: {}", list_host_names()))]
    host: HostArgument,
    /// Whose settings to edit.
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeArgument,
    #[command(flatten)]
    agreement: EditConfirmation,
    #[command(flatten)]
    project: ProjectOption,
}

impl UninstallArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let (host, site) = (self.host.0, self.project.install_environment()?);
        let plan = InstallPlan::uninstall(host, &site, self.scope.into()).map_err(|error| to_cli_error(&error, &site))?;
        let edit = SettingsEdit {
            host,
            site: &site,
            plan,
            done_message: "removed",
            unchanged_message: "Pintle is not installed there",
            guarded_scope: None,
        };
        edit.carry_out(&self.agreement, &[], terminal, global)
    }
}

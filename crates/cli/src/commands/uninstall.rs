//! `pintle uninstall`.

use std::fs;

use clap::Args;
use pintle_bridge::install::{InstallEnvironment, InstallPlan, InstallScope, installed_entries};
use pintle_bridge::{HostDef, list_host_names};
use pintle_host::loader::state_dir;

use super::init::PolicyFile;
use super::install::{EditConfirmation, SettingsEdit, to_cli_error};
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostsArgument, ProjectOption, ScopeOption};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[arg(
        value_name = "HOST",
        help = format!("Agent to remove Pintle from: {}, or `all`, with the policy of `pintle init`", list_host_names())
    )]
    hosts: HostsArgument,
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    agreement: EditConfirmation,
    #[command(flatten)]
    project: ProjectOption,
}

impl UninstallArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        self.agreement.require_user()?;
        let site = self.project.install_environment()?;
        let scope = self.scope.scope_on(&site)?;
        if let [host] = self.hosts.0.as_slice() {
            return self.remove(host, &site, scope, terminal, global);
        }
        for host in &self.hosts.0 {
            let is_installed = installed_entries(host, &site, scope).map_or(true, |entries| !entries.is_empty());
            if is_installed && self.remove(host, &site, scope, terminal, global)? == CliStatus::Denied {
                return Ok(CliStatus::Denied);
            }
        }
        self.remove_policy(&site, scope, terminal)?;
        if scope == InstallScope::User && !self.agreement.is_dry_run() {
            leave_state(&site, terminal);
        }
        Ok(CliStatus::Done)
    }

    fn remove(
        &self,
        host: &'static HostDef,
        environment: &InstallEnvironment,
        scope: InstallScope,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let plan =
            InstallPlan::uninstall(host, environment, scope).map_err(|error| to_cli_error(&error, environment))?;
        let edit = SettingsEdit {
            host,
            site: environment,
            plan,
            done_message: "removed",
            unchanged_message: "Pintle is not installed there",
            guarded_scope: None,
            shows_diff: self.hosts.0.len() == 1,
        };
        edit.carry_out(&self.agreement, &[], terminal, global)
    }

    /// Removes the policy that `init` wrote. One that was changed since is the user's own.
    fn remove_policy(
        &self,
        environment: &InstallEnvironment,
        scope: InstallScope,
        terminal: &Terminal,
    ) -> Result<(), CliError> {
        let Some(path) = PolicyFile::unchanged(environment, scope) else { return Ok(()) };
        let shown = environment.display_path(&path);
        if self.agreement.is_dry_run() {
            terminal.print_note(format!("the policy `{shown}` would be removed"));
            return Ok(());
        }
        let failed = |error: std::io::Error| CliError::failure(format!("cannot remove `{shown}`: {error}"));
        fs::remove_file(&path).map_err(failed)?;
        // A directory with other files in it cannot be removed.
        let dirs = path.ancestors().skip(1).take_while(|dir| dir.ends_with("pintle") || dir.ends_with(".config"));
        let _ = dirs.map(fs::remove_dir).find(Result::is_err);
        terminal.print_line(format!("policy: removed `{shown}`"));
        Ok(())
    }
}

/// Ends the residents of the user, and says which directory stays: the tapes in it are a record of what agents did.
fn leave_state(environment: &InstallEnvironment, terminal: &Terminal) {
    let Some(state) = state_dir().filter(|dir| dir.is_dir()) else { return };
    // One that does not answer ends when no call comes.
    #[cfg(target_os = "linux")]
    let _ = pintle_bridge::ask_residents(&state, &pintle_hook::ResidentRequest::Stop);
    terminal.print_note(format!(
        "`{}` stays, with the tapes of what was decided; delete it if you need them no longer",
        environment.display_path(&state)
    ));
}

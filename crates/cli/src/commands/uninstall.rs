//! `pintle uninstall`.

use std::fs;
use std::path::Path;

use clap::Args;
use pintle_bridge::install::{InstallEnvironment, InstallPlan, InstallScope, installed_entries, list_copies};
use pintle_bridge::{HOSTS, HostDef, list_host_names};
use pintle_host::loader::{UserDirs, state_dir};
use pintle_host::tape::show::Tone;

use super::init::PolicyFile;
use super::install::{EditConfirmation, SettingsEdit, to_cli_error};
use super::serve::stop_residents;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostsArgument, ProjectOption, ScopeOption};
use crate::render::style;
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
            let status = self.remove(host, &site, scope, terminal, global)?;
            if status == CliStatus::Done && scope == InstallScope::User && !self.agreement.is_dry_run() {
                self.print_rest(&site, scope, terminal);
            }
            return Ok(status);
        }
        for host in &self.hosts.0 {
            let is_installed = installed_entries(host, &site, scope).map_or(true, |entries| !entries.is_empty());
            if is_installed && self.remove(host, &site, scope, terminal, global)? == CliStatus::Denied {
                return Ok(CliStatus::Denied);
            }
        }
        self.remove_policy(&site, scope, terminal)?;
        if scope == InstallScope::User && !self.agreement.is_dry_run() {
            stop_residents(state_dir().as_deref());
            self.print_leftovers(&site, scope, terminal);
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

    /// Says which other agents are still guarded, or what stays if there are none.
    fn print_rest(&self, environment: &InstallEnvironment, scope: InstallScope, terminal: &Terminal) {
        let is_installed = |host: &&'static HostDef| {
            installed_entries(host, environment, scope).is_ok_and(|entries| !entries.is_empty())
        };
        let others: Vec<_> = HOSTS.iter().copied().filter(is_installed).map(|host| host.name).collect();
        if others.is_empty() {
            return self.print_leftovers(environment, scope, terminal);
        }
        terminal.print_note(format!("Pintle still guards {}; `pintle uninstall all` removes it", others.join(", ")));
    }

    /// Says what stays, since it is the user's or a record of what agents did, and how to remove it.
    fn print_leftovers(&self, environment: &InstallEnvironment, scope: InstallScope, terminal: &Terminal) {
        let dirs = UserDirs::from_env().to_absolute();
        let state = dirs.state.map(|dir| (dir, "what was decided (tapes, with prompts), and what you trust"));
        let config = dirs.config.map(|dir| (dir, "your policy and hooks"));
        let mut leftovers: Vec<_> = state.into_iter().chain(config).filter(|(dir, _)| has_content(dir)).collect();
        for host in &self.hosts.0 {
            let Ok(plan) = InstallPlan::uninstall(host, environment, scope) else { continue };
            let backups = list_copies(&plan.settings_path).into_iter();
            leftovers.extend(backups.map(|path| (path, "settings before Pintle, which you have changed since")));
        }
        if leftovers.is_empty() {
            return;
        }
        terminal.print_note("this stays:");
        for (path, what) in &leftovers {
            terminal.print_error_line(format!("  {}: {what}", environment.display_path(path)));
        }
        let paths = leftovers.iter().map(|(path, _)| path.to_string_lossy());
        let quoted: Vec<_> =
            paths.filter_map(|path| shlex::try_quote(&path).ok().map(|path| path.into_owned())).collect();
        terminal.print_error_line(style::with_label(
            Tone::Quiet,
            "help",
            format!("to remove it: rm -r {}", quoted.join(" ")),
        ));
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

fn has_content(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}

//! `pintle init`: a policy with the default packs, in every agent of this machine.

mod agents;
mod policy_file;

use clap::Args;
use pintle_bridge::install::{EntryProgram, InstallEnvironment, InstallScope};
use pintle_host::loader::UserDirs;
use pintle_host::packs::PackDef;
use pintle_host::tape::show::Tone;
use serde_json::json;

use super::install::{EditConfirmation, ProgramOption};
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostArgument, ProjectOption, RecordedSessions, ScopeOption, parse_pack};
use crate::render::style;
use crate::terminal::Terminal;
use agents::AgentPlan;
pub(super) use policy_file::PolicyFile;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Packs that are on [default: the default packs of `pintle packs`].
    #[arg(long, value_name = "PACK,..", value_delimiter = ',', value_parser = parse_pack)]
    packs: Vec<&'static PackDef>,
    /// Agents to install Pintle in [default: all that this machine has].
    #[arg(long, value_name = "HOST,..", value_delimiter = ',')]
    agents: Vec<HostArgument>,
    /// Write the project's policy and settings instead of your own.
    #[arg(long, conflicts_with = "scope")]
    project: bool,
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    program: ProgramOption,
    /// Show each change of a settings file.
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    confirmation: EditConfirmation,
    #[command(flatten)]
    directory: ProjectOption,
}

impl InitArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        self.confirmation.require_user()?;
        let site = self.directory.install_environment()?;
        let scope = match self.project {
            true if site.is_image() => {
                let error = CliError::invalid_input("`--project` does not go with `--root`");
                return Err(error.help("in an image, the settings of the machine are edited"));
            }
            true => InstallScope::Project,
            false => self.scope.scope_on(&site)?,
        };
        let policy = PolicyFile::plan(&site, scope, self.packs)?;
        let EntryProgram { program, cautions } = self.program.resolve(&site, scope)?;
        let (plans, refused) = agents::plan_all(&site, scope, &self.agents, &program)?;
        if !global.json {
            show_summary(&policy, &plans, &refused, &site, terminal);
            cautions.iter().filter(|_| !plans.is_empty()).for_each(|caution| terminal.print_note(caution));
            if self.diff {
                plans.iter().for_each(|plan| plan.print_diff(&site, terminal));
            }
        }
        let has_changes = policy.is_new() || plans.iter().any(|plan| !plan.plan.is_empty());
        if self.confirmation.is_dry_run() {
            if global.json {
                terminal.print_json(&report(&policy, &plans, false));
            } else {
                terminal.print_note("nothing was changed");
            }
            return Ok(CliStatus::Done);
        }
        if has_changes && !self.confirmation.is_confirmed("install this?", terminal)? {
            terminal.print_note("nothing was changed");
            return Ok(CliStatus::Denied);
        }
        policy.write()?;
        let proofs = agents::apply_all(&plans, &site, &program, terminal, global);
        if global.json {
            terminal.print_json(&json!({"done": report(&policy, &plans, true), "agents": proofs.to_json()}));
        } else {
            print_next_steps(&plans, &site, terminal);
        }
        Ok(if proofs.all_hold() && refused.is_empty() { CliStatus::Done } else { CliStatus::Failed })
    }
}

fn show_summary(
    policy: &PolicyFile,
    plans: &[AgentPlan],
    refused: &[String],
    environment: &InstallEnvironment,
    terminal: &Terminal,
) {
    terminal.print_line(policy.summary(environment));
    let width = plans.iter().map(|plan| plan.host.title.chars().count()).max().unwrap_or_default();
    for plan in plans {
        terminal.print_line(format!("{:width$}  {}", plan.host.title, plan.summary(environment)));
    }
    for error in refused {
        terminal.print_error_line(style::with_label(Tone::Warn, "warning", error));
    }
    if plans.is_empty() && refused.is_empty() {
        let known = pintle_bridge::list_host_names();
        let text = format!("no agent was found on this machine; name one with `--agents` ({known})");
        terminal.print_error_line(style::with_label(Tone::Warn, "warning", text));
    }
}

fn report(policy: &PolicyFile, plans: &[AgentPlan], is_made: bool) -> serde_json::Value {
    let agents: Vec<serde_json::Value> = plans.iter().map(AgentPlan::to_json).collect();
    json!({"policy": policy.to_json(), "agents": agents, "written": is_made})
}

fn print_next_steps(plans: &[AgentPlan], environment: &InstallEnvironment, terminal: &Terminal) {
    terminal.print_line("");
    if environment.is_image() {
        let command = format!("pintle doctor --root {}", environment.root.display());
        return terminal.print_line(format!("Next: `{command}` checks the image, also in CI."));
    }
    terminal.print_line("Next: `pintle try 'rm -rf ~'` shows what happens to a call, `pintle packs` the rules.");
    if !plans.is_empty() {
        if let Some(recorded) = UserDirs::from_env().to_absolute().state.as_deref().map(RecordedSessions::find) {
            terminal.print_line(recorded.text(|path| environment.display_path(path)));
            recorded.hint().into_iter().for_each(|hint| terminal.print_line(hint));
        }
        terminal.print_line("`pintle doctor` checks an agent, `pintle uninstall all` takes all of this back.");
    }
}

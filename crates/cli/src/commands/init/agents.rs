//! The agents that `init` installs Pintle in, and the proof that they are guarded.

use pintle_bridge::doctor::{CheckStatus, DoctorFinding, GuardCheck, examine_guards};
use pintle_bridge::install::{InstallEnvironment, InstallOptions, InstallPlan, InstallScope};
use pintle_bridge::{HOSTS, HostDef, find_agents};
use serde_json::{Value, json};

use crate::commands::install::{find_named_dirs, install_hints, print_diff, to_cli_error};
use crate::error::CliError;
use crate::options::{GlobalOptions, HostArgument};
use crate::render::guards;
use crate::terminal::Terminal;

/// What is done in one agent.
#[derive(Debug)]
pub(super) struct AgentPlan {
    pub(super) host: &'static HostDef,
    pub(super) plan: InstallPlan,
}

/// What the agents do with a call that the policy refuses.
#[derive(Debug, Default)]
pub(super) struct AgentProofs {
    checks: Vec<(&'static HostDef, GuardCheck)>,
    /// Whether the settings of an agent could not be written.
    is_incomplete: bool,
}

/// Plans the installation in the named agents. If none is named, in all agents of this machine, and for an image in all
/// that have settings of a machine. The second list says why an agent is left out.
pub(super) fn plan_all(
    environment: &InstallEnvironment,
    scope: InstallScope,
    named: &[HostArgument],
    program: &str,
) -> Result<(Vec<AgentPlan>, Vec<String>), CliError> {
    let hosts: Vec<&'static HostDef> = match named {
        // Agents may be added to an image later.
        [] if environment.is_image() => {
            HOSTS.iter().copied().filter(|host| host.install.location(scope).is_some()).collect()
        }
        [] => find_agents(environment).into_iter().filter(|agent| agent.is_here()).map(|agent| agent.host).collect(),
        _ => named.iter().map(|host| host.0).collect(),
    };
    let folders = find_named_dirs(scope)?;
    let (mut plans, mut refused) = (Vec::new(), Vec::new());
    for host in hosts {
        let options = InstallOptions {
            program: program.to_owned(),
            hooks: Vec::new(),
            folders: folders.clone(),
            events: Vec::new(),
        };
        match InstallPlan::install(host, environment, scope, &options) {
            Ok(plan) => plans.push(AgentPlan { host, plan }),
            Err(error) => refused.push(format!("{} is left out: {error}", host.title)),
        }
    }
    Ok((plans, refused))
}

/// Installs Pintle in each agent and sends it a call that the policy refuses.
pub(super) fn apply_all(
    plans: &[AgentPlan],
    environment: &InstallEnvironment,
    program: &str,
    terminal: &Terminal,
    global: &GlobalOptions,
) -> AgentProofs {
    let mut proofs = AgentProofs::default();
    for AgentPlan { host, plan } in plans {
        // The others are to be guarded, whatever keeps this one from being.
        if let Err(error) = plan.apply() {
            terminal.print_cli_error(&to_cli_error(&error, environment));
            proofs.is_incomplete = true;
            continue;
        }
        let check = examine_guards(host, environment, plan.scope);
        if !global.json {
            let is_guarded = check.findings.iter().all(|finding| finding.status != CheckStatus::Problem);
            let state = if is_guarded { "installed" } else { "installed, but not guarded yet" };
            terminal.print_line(format!("{}: {state}; {}", host.title, describe_proof(&check)));
            let problems: Vec<DoctorFinding> =
                check.findings.iter().filter(|finding| finding.status == CheckStatus::Problem).cloned().collect();
            guards::print_findings(&problems, terminal);
            for hint in install_hints(host, environment, plan.scope, program) {
                terminal.print_note(hint);
            }
        }
        proofs.checks.push((host, check));
    }
    proofs
}

/// Which calls the agent's hooks refused.
fn describe_proof(check: &GuardCheck) -> String {
    let calls: Vec<String> = check.refusals.iter().map(|refusal| format!("`{}`", refusal.call)).collect();
    match calls.split_first() {
        None => format!("{} hooks apply, and none of them refused a test call", check.hooks.len()),
        Some((first, [])) => format!("its hooks refused {first}"),
        Some((first, others)) => format!("its hooks refused {first} and {} other test calls", others.len()),
    }
}

impl AgentPlan {
    /// What is written, in one line.
    pub(super) fn summary(&self, environment: &InstallEnvironment) -> String {
        let path = environment.display_path(&self.plan.settings_path);
        match self.plan.is_empty() {
            true => format!("already installed in `{path}`"),
            false => format!("{} events in `{path}`", self.plan.event_count),
        }
    }

    pub(super) fn print_diff(&self, environment: &InstallEnvironment, terminal: &Terminal) {
        print_diff(&self.plan, environment, terminal);
    }

    pub(super) fn to_json(&self) -> Value {
        let changed: Vec<_> = self.plan.changes.iter().map(|change| &change.path).collect();
        json!({
            "host": self.host.name,
            "path": self.plan.settings_path,
            "events": self.plan.event_count,
            "changes": changed,
        })
    }
}

impl AgentProofs {
    /// Whether every agent refused a call.
    pub(super) fn all_hold(&self) -> bool {
        let holds = |check: &GuardCheck| {
            !check.refusals.is_empty() && check.findings.iter().all(|finding| finding.status != CheckStatus::Problem)
        };
        !self.is_incomplete && self.checks.iter().all(|(_, check)| holds(check))
    }

    pub(super) fn to_json(&self) -> Value {
        self.checks
            .iter()
            .map(|(host, check)| {
                json!({
                    "host": host.name,
                    "guards": guards::to_json(check),
                    "findings": guards::findings_to_json(&check.findings),
                })
            })
            .collect()
    }
}

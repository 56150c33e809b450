//! Loading a path.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    AgentSpec, Build, Chain, Diagnostic, HookDeclaration, Layer, NATIVE_TOOLS, PermissionsSpec, PersonaSpec, TeamSpec,
    ToolSpec,
};
use pintle_dialects::command_hooks::Compat;
use pintle_dialects::{Artifact, Dialect, Project, Reading, Role};

use crate::chain::{check_hooks, compile_chains};
use crate::discover::discover;
use crate::package::has_harn;
use crate::{lint, read};

/// What a path held.
#[derive(Debug)]
pub struct Loaded {
    /// The chains, one a source. None when there are no hooks.
    pub chains: Vec<Chain>,
    /// The agent, when the files declare one: an agent's own file, tools or sub-agents.
    pub agent: Option<AgentSpec>,
    /// The team, when the files declare agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// Roles that the agent can work in.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The user's own rules for tool calls, when the files are the user's settings.
    pub permissions: PermissionsSpec,
    /// What was found, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The hooks as declared, in registration order.
    pub declarations: Vec<HookDeclaration>,
    /// How many files were read.
    pub files: usize,
}

/// What a path is loaded with.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The names of the host's own tools, which agents may refer to. Default: those of the reference host
    /// ([`NATIVE_TOOLS`]).
    pub host_tools: &'a [&'a str],
    /// The version of docker-agent that its files are written for; it outranks what they say. Default: what they say.
    pub compat: Option<Compat>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { host_tools: &NATIVE_TOOLS, compat: None }
    }
}

/// Loads a project, a `.harness` folder, a folder of hooks, a docker-agent YAML or the folder of one, a package with
/// `harn.toml`, or one file.
///
/// Never fails: every fault of every file is among the diagnostics. With an error among them the chains are
/// incomplete and must not be run.
#[must_use]
pub fn load(path: &Path, layer: Layer, build: &dyn Build) -> Loaded {
    load_with(path, layer, build, &Options::default())
}

/// Like [`load`], with options.
#[must_use]
pub fn load_with(path: &Path, layer: Layer, build: &dyn Build, options: &Options<'_>) -> Loaded {
    let mut findings = Vec::new();
    let found = discover(path, &mut findings);
    let artifacts = read::read_all(&found, &mut findings);
    let project = understand(artifacts, build, options, &mut findings);
    let (chains, compiled) = compile_chains(path.display().to_string(), layer, &project.hooks, build);
    findings.extend(compiled);
    findings.extend(check_hooks(&project.unplaced, build));
    if let Some(agent) = &project.agent {
        check_agent(agent, &[], build, &mut findings);
        // Sub-agents have the delegation settings of the root.
        if let Some(verify) = &agent.delegation.verify {
            findings.extend(build.check_verify("delegation", verify));
        }
    }
    // The hooks of a member run for that member alone, so they are compiled when it begins, and only checked here.
    for member in project.team.iter().flat_map(|team| &team.agents) {
        findings.extend(check_hooks(&member.hooks, build));
    }
    for chain in &chains {
        findings.extend(lint::lint(chain, &project.hooks, project.agent.as_ref(), options.host_tools));
        findings.extend(lint::names_no_step(chain, &project.personas));
    }
    findings.extend(lint::unreachable(&project.hooks));
    sort(&mut findings);
    Loaded {
        chains,
        agent: project.agent,
        team: project.team,
        personas: project.personas,
        permissions: project.permissions,
        diagnostics: findings,
        declarations: project.hooks,
        files: found.len(),
    }
}

/// Lets the dialects of the files read them: each those of its own, in the order of their first files.
pub(crate) fn understand(
    artifacts: Vec<Artifact>,
    build: &dyn Build,
    options: &Options<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Project {
    let has_harn = artifacts.iter().any(|artifact| artifact.role == Role::Module) && has_harn();
    let reading = Reading { host_tools: options.host_tools, compat: options.compat, build: Some(build), has_harn };
    let mut whole: Option<Project> = None;
    for (dialect, artifacts) in by_dialect(artifacts) {
        let mut project = (dialect.load)(&artifacts, &reading);
        findings.append(&mut project.diagnostics);
        match &mut whole {
            None => whole = Some(project),
            Some(whole) => join(whole, project),
        }
    }
    whole.unwrap_or_default()
}

/// The files of each dialect, in the order of their first ones.
fn by_dialect(artifacts: Vec<Artifact>) -> Vec<(&'static Dialect, Vec<Artifact>)> {
    let mut groups: Vec<(&'static Dialect, Vec<Artifact>)> = Vec::new();
    for artifact in artifacts {
        let dialect = artifact.role.dialect();
        match groups.iter_mut().find(|(known, _)| known.name == dialect.name) {
            Some((_, group)) => group.push(artifact),
            None => groups.push((dialect, vec![artifact])),
        }
    }
    groups
}

/// Adds what another dialect read. Agents and rules are those of the first dialect that has some.
fn join(whole: &mut Project, other: Project) {
    let Project { hooks, unplaced, agent, team, personas, permissions, diagnostics } = other;
    whole.hooks.extend(hooks);
    whole.unplaced.extend(unplaced);
    whole.agent = whole.agent.take().or(agent);
    whole.team = whole.team.take().or(team);
    whole.personas.extend(personas);
    if whole.permissions == PermissionsSpec::default() {
        whole.permissions = permissions;
    }
    whole.diagnostics.extend(diagnostics);
}

/// Compiles what belongs to an agent and its sub-agents, to see whether it would run.
///
/// `checked` are the tools of its parent, to which it may refer.
fn check_agent(agent: &AgentSpec, checked: &[ToolSpec], build: &dyn Build, findings: &mut Vec<Diagnostic>) {
    for tool in agent.tools.iter().filter(|tool| checked.iter().all(|known| known.location != tool.location)) {
        findings.extend(build.check_tool(tool));
    }
    findings.extend(check_hooks(&agent.hooks, build));
    for child in &agent.agents {
        check_agent(child, &agent.tools, build, findings);
    }
}

/// By file, then by place, then as found, each once. What stands in no file comes first.
pub(crate) fn sort(findings: &mut Vec<Diagnostic>) {
    findings.sort_by(|one, other| {
        let place = |finding: &Diagnostic| finding.location.span.start;
        one.location.path().cmp(&other.location.path()).then_with(|| place(one).cmp(&place(other)))
    });
    findings.dedup();
}

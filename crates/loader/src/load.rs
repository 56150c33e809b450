//! Loading a path.

use std::path::Path;

use pintle_contract::{AgentSpec, Build, Chain, Diagnostic, HookDeclaration, Layer, NATIVE_TOOLS, TeamSpec, ToolSpec};
use pintle_dialects::{Artifact, NATIVE};

use crate::chain::{check_hooks, compile_chains};
use crate::discover::discover;
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
    /// What was found, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The hooks as declared, in registration order.
    pub declarations: Vec<HookDeclaration>,
    /// How many files were read.
    pub files: usize,
}

/// Loads a project, a `.harness` folder, a folder of hooks, or one file.
///
/// Never fails: every fault of every file is among the diagnostics. With an error among them the chains are
/// incomplete and must not be run.
#[must_use]
pub fn load(path: &Path, layer: Layer, build: &dyn Build) -> Loaded {
    load_with(path, layer, build, &NATIVE_TOOLS)
}

/// Like [`load`], for a host with other tools than the reference host's ([`NATIVE_TOOLS`]): agents may refer to
/// `host_tools` by name.
#[must_use]
pub fn load_with(path: &Path, layer: Layer, build: &dyn Build, host_tools: &[&str]) -> Loaded {
    let mut findings = Vec::new();
    let found = discover(path, &mut findings);
    let files = found.len();
    let mut artifacts: Vec<Artifact> = Vec::with_capacity(files);
    for file in &found {
        match read::read(file) {
            Ok(artifact) => artifacts.push(artifact),
            Err(fault) => findings.push(fault),
        }
    }
    let project = (NATIVE.load)(&artifacts, host_tools);
    findings.extend(project.diagnostics);
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
    for chain in &chains {
        findings.extend(lint::lint(chain, &project.hooks, project.agent.as_ref(), host_tools));
    }
    findings.extend(lint::unreachable(&project.hooks));
    sort(&mut findings);
    Loaded {
        chains,
        agent: project.agent,
        team: project.team,
        diagnostics: findings,
        declarations: project.hooks,
        files,
    }
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
fn sort(findings: &mut Vec<Diagnostic>) {
    findings.sort_by(|one, other| {
        let place = |finding: &Diagnostic| finding.location.span.start;
        one.location.path().cmp(&other.location.path()).then_with(|| place(one).cmp(&place(other)))
    });
    findings.dedup();
}

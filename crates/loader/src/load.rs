//! Loads a path.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    AgentSpec, Chain, Diagnostic, HandlerFactory, Hook, HookDeclaration, Layer, Location, NATIVE_TOOLS,
    PermissionsSpec, PersonaSpec, Severity, SourceFile, SourceTrust, TeamSpec, ToolSpec, UntrustedGuardPolicy,
};
use pintle_dialects::command_hooks::DockerAgentVersion;
use pintle_dialects::{Artifact, ArtifactKind, ParsedProject, pack_arguments};

use pintle_files::file_state;

use crate::compile::{check_hooks, compile_all, declared_hooks, group_into_chains};
use crate::discover::{DiscoveredFile, discover, discover_project, error_without_file, is_own_agent_file};
use crate::expand::expand_team;
use crate::known_files::KnownFiles;
use crate::known_hooks::KnownHooks;
use crate::package::is_plugin_file;
use crate::parse::parse_artifacts;
use crate::policy::{PolicyFiles, collect_policy_files, hooks_of};
use crate::trust::{LoadedFiles, ProjectTrust, TrustGrants, TrustState, bind_commands, evaluate_trust};
use crate::{lint, read};

/// The result of loading a path.
#[derive(Debug, Clone)]
pub struct LoadedPath {
    /// The chains, one for each source; empty without hooks.
    pub chains: Vec<Chain>,
    /// The agent, if the files declare one: an agent's own file, tools or child agents.
    pub agent: Option<AgentSpec>,
    /// The team, if the files declare agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// Personas that the agent can run as.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The user's own rules for tool calls, if the files are the user's settings.
    pub permissions: PermissionsSpec,
    /// The setting of the user for untrusted guards.
    pub untrusted_guards: Option<UntrustedGuardPolicy>,
    /// Whether the files ask to redact secrets on the tape.
    pub redact_secrets: bool,
    /// The result of the trust check, if the path needed one.
    pub trust: Option<ProjectTrust>,
    /// The policy files: those that were read, and those that hooks name.
    pub policy: PolicyFiles,
    /// The diagnostics, by file and location.
    pub diagnostics: Vec<Diagnostic>,
    /// The declared hooks, in registration order.
    pub hook_declarations: Vec<Arc<HookDeclaration>>,
    /// The number of files that were read.
    pub files: usize,
    /// Whether other paths already have some of the files.
    pub is_repeated: bool,
}

/// Options for loading a path.
#[derive(Debug, Clone, Copy)]
pub struct LoadOptions<'a> {
    /// The names of the host's own tools, which agents may refer to. Default: those of the reference host
    /// ([`NATIVE_TOOLS`]).
    pub host_tools: &'a [&'a str],
    /// The version of docker-agent that its files are written for; it takes precedence over the files. Default: what
    /// the files say.
    pub compat: Option<DockerAgentVersion>,
    /// The trust grants, if the path must be trusted. Default: none, because a path that the user names is trusted.
    pub trust_grants: Option<&'a TrustGrants>,
    /// The name of a dialect that the host runs itself, whose hooks are left out. Default: none.
    pub excluded_dialect: Option<&'a str>,
    /// The files that other paths of the same set already have, which are not loaded again. Default: none.
    pub known_files: Option<&'a KnownFiles>,
    /// The hooks that earlier processes read, for a process that handles one event. They are in the chains, but not among
    /// the declarations. Default: none, so all files are read.
    pub known_hooks: Option<&'a KnownHooks>,
    /// Whether the scripts of hooks are searched for what keeps them from guarding, for a process that checks hooks and
    /// runs none. Default: false.
    pub checks_guards: bool,
    /// Whether hooks that load are not searched for what their authors probably do not want, for a process that handles
    /// one event and shows no warnings. Default: false.
    pub skips_lints: bool,
}

impl Default for LoadOptions<'_> {
    fn default() -> Self {
        Self {
            host_tools: &NATIVE_TOOLS,
            compat: None,
            trust_grants: None,
            excluded_dialect: None,
            known_files: None,
            known_hooks: None,
            checks_guards: false,
            skips_lints: false,
        }
    }
}

/// Loads a project, a `.harness` directory, a directory of hooks, a docker-agent YAML or its directory, a package with
/// `harn.toml`, or one file.
///
/// Never fails: every error in every file is among the diagnostics. If there is one, the chains are incomplete and must
/// not be run.
#[must_use]
pub fn load(path: &Path, layer: Layer, factory: &dyn HandlerFactory) -> LoadedPath {
    load_with(path, layer, factory, &LoadOptions::default())
}

/// Like [`load`], with options.
#[must_use]
pub fn load_with(path: &Path, layer: Layer, factory: &dyn HandlerFactory, options: &LoadOptions<'_>) -> LoadedPath {
    let mut findings = Vec::new();
    let found = discover(path, &mut findings);
    let mut loaded = load_files(path, layer, found, findings, factory, options, LoadPurpose::OwnAgent);
    if loaded.files == 0 && !loaded.is_repeated && loaded.is_whole() {
        let message = format!("`{}` contains no hooks, tools or agents", path.display());
        let help = "put hooks in `.harness/hooks/`";
        loaded.diagnostics.push(Diagnostic::warning("no_files", message, Location::default()).help(help));
    }
    loaded
}

/// Loads the project around the user, like [`load_discovered`], but for its own agent.
#[must_use]
pub fn load_project_agent(
    dir: &Path,
    layer: Layer,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
) -> LoadedPath {
    let mut findings = Vec::new();
    let found = discover_project(dir, &mut findings);
    load_files(dir, layer, found, findings, factory, options, LoadPurpose::OwnAgent)
}

/// Loads the project around a host: only the files in its known places. The hooks of a team's first agent belong to the
/// project, since the host has one agent and does not know the team.
///
/// Never fails, like [`load`].
#[must_use]
pub fn load_discovered(
    dir: &Path,
    layer: Layer,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
) -> LoadedPath {
    let mut findings = Vec::new();
    let found = discover_project(dir, &mut findings);
    load_files(dir, layer, found, findings, factory, options, LoadPurpose::HostAgent)
}

/// Loads the hooks of a path that the user names, to add them to those of another agent. The hooks of a team's first
/// agent are included, and no agent of the path runs. A path without hooks is an error: otherwise the user would rely
/// on guards that do not exist.
///
/// Never fails, like [`load`].
#[must_use]
pub fn load_for_hooks(
    path: &Path,
    layer: Layer,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
) -> LoadedPath {
    let mut findings = Vec::new();
    let found = discover(path, &mut findings);
    let are_of_clients = found.iter().all(|file| matches!(file.role, ArtifactKind::Client(_)));
    let mut loaded = load_files(path, layer, found, findings, factory, options, LoadPurpose::HooksOnly);
    (loaded.agent, loaded.team) = (None, None);
    loaded.require_hooks(path);
    if loaded.files > 0 && are_of_clients {
        // Another agent's file may register nothing, or only what no other agent has.
        let without = loaded.diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == NO_HOOKS);
        without.for_each(|diagnostic| diagnostic.severity = Severity::Warning);
    }
    loaded
}

impl LoadedPath {
    /// Adds an error if a named path does not contain anything that runs.
    pub fn require_hooks(&mut self, path: &Path) {
        let of_members = self.team.iter().flat_map(|team| &team.agents).any(|agent| !agent.hooks.is_empty());
        if self.hook_declarations.is_empty()
            && self.chains.iter().all(|chain| chain.hooks.is_empty())
            && !self.is_repeated
            && !of_members
            && self.personas.is_empty()
            && self.is_whole()
        {
            self.diagnostics.retain(|diagnostic| diagnostic.code != "no_files");
            self.diagnostics.push(no_hooks_error(path));
        }
    }

    /// Whether everything loaded.
    fn is_whole(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

/// The code of the error about a named path without hooks.
const NO_HOOKS: &str = "no_hooks";

fn no_hooks_error(path: &Path) -> Diagnostic {
    let message = format!("`{}` does not contain any hooks", path.display());
    let help = match is_plugin_file(path) {
        true => "it does not register any; name the directory of a `harn.toml` that points to its functions",
        false => "name a project, a `.harness` directory, a docker-agent YAML, a directory of hooks or one hook file",
    };
    error_without_file(NO_HOOKS, message, help)
}

/// Whether an agent has hooks that its author wrote, other than those that every agent has.
fn has_own_hooks(agent: &AgentSpec) -> bool {
    agent.hooks.iter().any(|hook| hook.location != agent.location)
}

/// Warns about hooks of a team's other agents where only those of the first one run.
fn lint_unused_hooks(team: &TeamSpec) -> Option<Diagnostic> {
    let first = team.agents.first()?;
    let further = team.agents.iter().skip(1).find(|agent| has_own_hooks(agent))?;
    let message = format!("the hooks of agent `{}` do not run here: only those of `{}` do", further.name, first.name);
    let help = format!("add the hooks that should run here to `{}` as well", first.name);
    Some(Diagnostic::warning("unused_hooks", message, further.location.clone()).help(help))
}

/// The kind of agent a project is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadPurpose {
    /// The project's own agents, which use their own hooks.
    OwnAgent,
    /// A host agent, which is governed as the first agent of a team would be.
    HostAgent,
    /// A host agent, for a path that the user named for its hooks.
    HooksOnly,
}

fn load_files(
    path: &Path,
    layer: Layer,
    mut files: Vec<DiscoveredFile>,
    mut findings: Vec<Diagnostic>,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
    purpose: LoadPurpose,
) -> LoadedPath {
    let discovered = files.len();
    // What the user did not name is compared with the trusted set as a whole.
    let states = match options.known_files.filter(|_| options.trust_grants.is_none()) {
        Some(known) => known.keep_new(&mut files, &mut findings),
        None => files.iter().filter(|_| options.known_hooks.is_some()).map(|file| file_state(&file.path)).collect(),
    };
    let is_repeated = files.len() < discovered;
    // A document among the hooks is policy, too: an edit could make it a hook.
    let policy_paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    // What a project that needs trust contains is always read.
    let is_asked_once = options.skips_lints && options.trust_grants.is_none() && options.excluded_dialect.is_none();
    let seen = options.known_hooks.filter(|_| is_asked_once).and_then(|known| {
        known.look_at(
            path,
            &format!("{layer:?} {purpose:?} {:?} {:?}", options.compat, options.host_tools),
            &files,
            &states,
        )
    });
    let sleeping = seen.as_ref().and_then(|seen| seen.take_known(&mut files));
    let artifacts = read::read_all(&mut files, path, &mut findings);
    let source = || LoadedFiles::new(path, files_with_text(&files, &artifacts), purpose != LoadPurpose::OwnAgent);
    let source = options.trust_grants.map(|agreements| (agreements, source()));
    let foreign = excluded_files(&files, options.excluded_dialect);
    let mut project = parse_artifacts(artifacts, factory, options, &mut findings);
    if layer == Layer::Project {
        bind_commands(&mut project, path, options.trust_grants.is_some());
    }
    let team = source.as_ref().and_then(|_| project.team.clone());
    let policy = {
        let agents =
            project.agent.iter().chain(project.team.iter().flat_map(|team| team.agents.iter().map(AsRef::as_ref)));
        let hooks = project.hooks.iter().chain(agents.flat_map(hooks_of));
        collect_policy_files(path, policy_paths.iter().map(PathBuf::as_path), hooks)
    };
    // An agent's own file says which agent runs. No agent of a team next to it runs, but its guards apply.
    if (purpose != LoadPurpose::OwnAgent || files.iter().any(|file| is_own_agent_file(file.role)))
        && let Some(team) = project.team.take()
    {
        findings.extend(lint_unused_hooks(&team));
        let first = team.agents.first();
        if purpose == LoadPurpose::HooksOnly
            && project.hooks.is_empty()
            && !first.is_some_and(|agent| has_own_hooks(agent))
        {
            findings.push(no_hooks_error(path));
        }
        project.hooks.extend(first.into_iter().flat_map(|agent| agent.hooks.iter().cloned()));
    }
    if let Some(team) = &mut project.team {
        expand_team(team, &|name| std::env::var(name).ok(), &mut findings);
    }
    let mut hooks = compile_all(&project.hooks, factory, &mut findings);
    let (mut stand_ins, mut consent) = (None, None);
    if let Some((agreements, source)) = source {
        let compiled: Vec<(&HookDeclaration, Option<&Hook>)> =
            project.hooks.iter().zip(hooks.iter().map(Option::as_ref)).collect();
        let reach = |hook: &HookDeclaration| factory.capabilities(hook);
        let footprint =
            source.build_manifest(&compiled, project.agent.as_ref(), team.as_ref(), &project.personas, &reach);
        let stood = evaluate_trust(footprint, hooks, agreements, options.excluded_dialect);
        match (stood.2.state, options.known_files) {
            (TrustState::Trusted, Some(known)) => known.add(&files),
            (TrustState::Trusted, None) => {}
            _ => mark_untrusted(&mut project),
        }
        (hooks, stand_ins, consent) = (stood.0, stood.1, Some(stood.2));
        // A pack can only refuse, and in Pintle's own words, which need no quotation.
        let of_packs =
            project.hooks.iter_mut().zip(&mut hooks).filter(|(hook, _)| pack_arguments(&hook.handler).is_some());
        for (declaration, hook) in of_packs {
            declaration.source_trust = SourceTrust::Trusted;
            hook.iter_mut().for_each(|hook| hook.source_trust = SourceTrust::Trusted);
        }
    }
    if let Some(without) = options.excluded_dialect {
        // The host runs these hooks, so it reports their errors.
        let mut counts: BTreeMap<&Path, usize> = BTreeMap::new();
        for (declaration, hook) in project.hooks.iter().zip(&mut hooks) {
            if hook.take_if(|_| declaration.codec.dialect() == without).is_some()
                && let Some(path) = declaration.location.path()
            {
                *counts.entry(path).or_default() += 1;
            }
        }
        let left_out = counts.into_iter().map(|(path, count)| left_out_note(path, count, &files)).collect::<Vec<_>>();
        findings.retain(|diagnostic| {
            diagnostic.location.path().is_none_or(|path| !foreign.iter().any(|file| file == path))
        });
        findings.extend(left_out);
    }
    let seen = seen.filter(|_| sleeping.is_none());
    let collected = seen.as_ref().and_then(|seen| seen.collect_known(&policy_paths, &project, &hooks));
    let sleeping = sleeping.unwrap_or_default();
    let file_count = files.len() + sleeping.count();
    let hooks = sleeping.merge_with(declared_hooks(&project.hooks, hooks));
    let mut chains = group_into_chains(Arc::from(path.display().to_string()), layer, hooks);
    chains.extend(stand_ins);
    project.hooks.retain(|declaration| options.excluded_dialect != Some(declaration.codec.dialect()));
    findings.extend(check_hooks(&project.unplaced, factory));
    if let Some(agent) = &project.agent {
        check_agent(agent, &[], factory, &mut findings);
        // Child agents have the delegation settings of the root.
        if let Some(verify) = &agent.delegation.verify {
            findings.extend(factory.check_verify("delegation", verify));
        }
    }
    if project.agent.as_ref().is_none_or(|agent| !agent.meta.enabled) {
        let of_agents = project.agent.iter().flat_map(hooks_of);
        let hooks = project.hooks.iter().chain(&project.unplaced).chain(of_agents);
        findings.extend(hooks.flat_map(|hook| factory.check_calls(hook)));
    }
    // The hooks of a team member run only for that member; they are compiled when it starts and only checked here.
    for member in project.team.iter().flat_map(|team| &team.agents) {
        findings.extend(check_hooks(&member.hooks, factory));
    }
    if options.checks_guards {
        let agents =
            project.agent.iter().chain(project.team.iter().flat_map(|team| team.agents.iter().map(AsRef::as_ref)));
        let hooks = project.hooks.iter().chain(&project.unplaced).chain(agents.flat_map(hooks_of));
        findings.extend(lint::lint_guards(hooks, factory));
    } else if !options.skips_lints {
        findings.extend(project.hooks.iter().flat_map(lint::lint_without_effect));
    }
    if !options.skips_lints {
        findings.extend(lint::lint_project(&project, &chains, options.host_tools, path));
    }
    if let (Some(seen), Some(collected)) = (seen, collected)
        && findings.iter().all(|finding| finding.severity != Severity::Error)
    {
        // Without the file, the next process reads everything again.
        let _ = seen.save(&collected);
    }
    sort_diagnostics(&mut findings);
    LoadedPath {
        chains,
        agent: project.agent,
        team: project.team,
        personas: project.personas,
        permissions: project.permissions,
        untrusted_guards: project.untrusted_guards,
        redact_secrets: project.redact_secrets,
        trust: consent,
        policy,
        diagnostics: findings,
        hook_declarations: project.hooks.into_iter().map(Arc::new).collect(),
        files: file_count,
        is_repeated,
    }
}

/// The code of the note about hooks that the host runs itself.
pub const LEFT_OUT: &str = "left_out";

/// The note about the hooks of a file that the host runs itself.
fn left_out_note(path: &Path, count: usize, files: &[DiscoveredFile]) -> Diagnostic {
    let roles = files.iter().filter(|file| file.path == path).map(|file| file.role);
    let owner = roles.into_iter().find_map(|role| match role {
        ArtifactKind::Client(file) => Some(file.client.title),
        _ => None,
    });
    let hooks = if count == 1 { String::from("1 hook") } else { format!("{count} hooks") };
    let message =
        format!("{hooks} of `{}` left out, because {} runs them itself", path.display(), owner.unwrap_or("the host"));
    Diagnostic::note(LEFT_OUT, message, Location::default()).help("name the file with `--hooks` to try them here")
}

fn mark_untrusted(project: &mut ParsedProject) {
    for_each_hook(project, &mut |hook| hook.source_trust = SourceTrust::Untrusted);
}

/// Changes every hook of a project, including those of its agents.
pub(crate) fn for_each_hook(project: &mut ParsedProject, change: &mut dyn FnMut(&mut HookDeclaration)) {
    fn change_agent_hooks(agent: &mut AgentSpec, change: &mut dyn FnMut(&mut HookDeclaration)) {
        agent.hooks.iter_mut().for_each(&mut *change);
        agent.agents.iter_mut().map(Arc::make_mut).for_each(|agent| change_agent_hooks(agent, change));
    }
    project.hooks.iter_mut().for_each(&mut *change);
    project.agent.iter_mut().for_each(|agent| change_agent_hooks(agent, change));
    let members = project.team.iter_mut().flat_map(|team| &mut team.agents);
    members.map(Arc::make_mut).for_each(|agent| change_agent_hooks(agent, change));
}

/// The discovered files, with the text of those that were read.
fn files_with_text(
    files: &[DiscoveredFile],
    artifacts: &[Artifact],
) -> Vec<(ArtifactKind, PathBuf, Option<Arc<SourceFile>>)> {
    let mut read_files: HashMap<&OsStr, &Arc<SourceFile>> = HashMap::with_capacity(artifacts.len());
    for artifact in artifacts {
        read_files.entry(artifact.file.path.as_os_str()).or_insert(&artifact.file);
    }
    let text = |files: &DiscoveredFile| {
        // A program among the files was not read as text.
        let is_text = !matches!(files.role, ArtifactKind::Client(file) if !file.is_text());
        read_files.get(files.path.as_os_str()).filter(|_| is_text).map(|file| Arc::clone(file))
    };
    files.iter().map(|file| (file.role, file.path.clone(), text(file))).collect()
}

fn excluded_files(files: &[DiscoveredFile], without: Option<&str>) -> Vec<PathBuf> {
    let is_foreign = |file: &&DiscoveredFile| without == Some(file.role.dialect().name);
    files.iter().filter(is_foreign).map(|file| file.path.clone()).collect()
}

/// Compiles everything of an agent and its child agents, to check it.
///
/// `checked` are the tools of its parent, which it may refer to.
fn check_agent(agent: &AgentSpec, checked: &[ToolSpec], factory: &dyn HandlerFactory, findings: &mut Vec<Diagnostic>) {
    for tool in agent.tools.iter().filter(|tool| checked.iter().all(|known| known.location != tool.location)) {
        findings.extend(factory.check_tool(tool));
    }
    findings.extend(check_hooks(&agent.hooks, factory));
    for child in &agent.agents {
        check_agent(child, &agent.tools, factory, findings);
    }
}

/// Sorts diagnostics by file, then by location, then in the order found, and removes duplicates. Those without a file
/// come first.
pub(crate) fn sort_diagnostics(findings: &mut Vec<Diagnostic>) {
    findings.sort_by(|one, other| {
        let place = |diagnostic: &Diagnostic| diagnostic.location.span.start;
        one.location.path().cmp(&other.location.path()).then_with(|| place(one).cmp(&place(other)))
    });
    findings.dedup();
}

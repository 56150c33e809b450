//! Putting a runtime together.

mod built;
mod permissions;
mod sources;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    AgentSpec, Approver, Chain, Clock, Diagnostic, HookDeclaration, Journal, Judge, Layer, NetworkSpec, NoApprover,
    PermissionsSpec, PersonaSpec, TeamSpec,
};
use pintle_dialects::command_hooks::DockerAgentVersion;
use pintle_engine::HookSet;
use pintle_handlers::http::HttpGateway;
use pintle_handlers::{self as handlers, WorkerProgram};
use pintle_loader::{LayerDirs, LoadOptions, PolicyFiles, TrustGrant, TrustOptions};
use pintle_tape::Tape;

use crate::journal_fanout::JournalFanout;
use crate::register::{self, HookBuilder, HookEvent, HookReturn, HookSurface, PersonaHook, SessionHook, ToolHook};
use crate::runtime::RuntimeParts;
use crate::state::RunState;
use crate::{RandomSource, RecheckMemory, Runtime, SeededRandom, SystemClock};
pub use built::BuiltRuntime;
use sources::{HookSource, PathPurpose};

/// What a runtime is to be made of. Everything has a default.
#[derive(Debug, Default)]
pub struct RuntimeBuilder {
    paths: Vec<HookSource>,
    layers: Option<LayerDirs>,
    trust: TrustOptions,
    chains: Vec<Chain>,
    worker: Option<WorkerProgram>,
    tape: Option<Arc<Tape>>,
    journals: Vec<Arc<dyn Journal>>,
    clock: Option<Arc<dyn Clock>>,
    random: Option<Arc<dyn RandomSource>>,
    approver: Option<Arc<dyn Approver>>,
    network: Option<NetworkSpec>,
    judge: Option<Arc<dyn Judge>>,
    user_dir: Option<PathBuf>,
    compat: Option<DockerAgentVersion>,
    inline_hooks: Vec<InlineHooks>,
    registration_count: u64,
    diagnostics: Vec<Diagnostic>,
    shadow: bool,
    agent_hooks_apply_globally: bool,
    workspace: Option<PathBuf>,
    skip_worker_probe: bool,
    redact_secrets: bool,
    recheck_memory: Option<RecheckMemory>,
}

/// Hooks that stand in no file, such as those of flags.
#[derive(Debug)]
struct InlineHooks {
    layer: Layer,
    source: String,
    hooks: Vec<HookDeclaration>,
}

impl RuntimeBuilder {
    /// Loads the hooks of a path: a project, a `.harness` folder, a folder of hooks, a docker-agent YAML, or one hook file.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: false, purpose: PathPurpose::Any });
        self
    }

    /// Loads a path for its hooks alone, which join those of whatever agent is governed: the hooks of the first agent are
    /// among them, and the agent itself is not. A path that holds none is an error among [`BuiltRuntime::diagnostics`].
    #[must_use]
    pub fn hooks(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: false, purpose: PathPurpose::Hooks });
        self
    }

    /// Like [`RuntimeBuilder::path`], and a path without hooks is an error among [`BuiltRuntime::diagnostics`].
    #[must_use]
    pub fn guarded_path(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: false, purpose: PathPurpose::Guarded });
        self
    }

    /// Loads a path that nobody named, such as the current directory. What its hooks may do beyond judging needs consent:
    /// see [`RuntimeBuilder::trust`] and [`BuiltRuntime::projects`].
    #[must_use]
    pub fn discovered_path(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: true, purpose: PathPurpose::Any });
        self
    }

    /// Loads what holds for whoever works in a folder: the hooks of the organisation, of the person, and of the project
    /// around the folder, which needs consent. Default: nothing but the paths that are named.
    #[must_use]
    pub fn layers(mut self, layers: LayerDirs) -> Self {
        self.layers = Some(layers);
        self
    }

    /// Whose agreements count for what needs consent. Default: nobody ever agreed to anything.
    #[must_use]
    pub fn trust(mut self, trust: TrustOptions) -> Self {
        self.trust = trust;
        self
    }

    /// The guards of projects that the session began with and nobody agreed to, by the folders of their projects
    /// ([`TrustGrant::for_session`]). What they guarded is denied when they changed or are gone. Default: none.
    #[must_use]
    pub fn initial_guards(mut self, guards: BTreeMap<PathBuf, TrustGrant>) -> Self {
        self.trust.session_guards = guards;
        self
    }

    /// Loads the user's own configuration from its folder: `config.yaml` and the drop-ins of `hooks.d/` (docker-agent,
    /// User Settings). Its hooks are the user's, whatever else is loaded. Default: none.
    #[must_use]
    pub fn config_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.user_dir = Some(folder.into());
        self
    }

    /// The version of docker-agent that its files are written for. Default: what they say, else the newest.
    #[must_use]
    pub fn compat(mut self, compat: DockerAgentVersion) -> Self {
        self.compat = Some(compat);
        self
    }

    /// Adds hooks that stand in no file, behind those of files of the same layer. `source` names them for people.
    #[must_use]
    pub fn inline_hooks(mut self, layer: Layer, source: &str, hooks: Vec<HookDeclaration>) -> Self {
        self.inline_hooks.push(InlineHooks { layer, source: source.to_owned(), hooks });
        self
    }

    /// Registers a hook on tool calls, as [`Runtime::register_tool_hook`] does while running.
    ///
    /// Hooks that a builder registers are the project's, behind those of its files. They are there from the first event
    /// on, and `clear_*` does not take them out. What is wrong with them is among [`BuiltRuntime::diagnostics`].
    #[must_use]
    pub fn register_tool_hook(self, hook: ToolHook) -> Self {
        self.register_hook(hook)
    }

    /// Registers a hook on an event of personas, as [`Runtime::register_persona_hook`] does while running.
    #[must_use]
    pub fn register_persona_hook<R: Into<HookReturn>>(
        self,
        persona_pattern: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer))
    }

    /// Registers a hook on an event of one step, as [`Runtime::register_step_hook`] does while running.
    #[must_use]
    pub fn register_step_hook<R: Into<HookReturn>>(
        self,
        persona_pattern: &str,
        step: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer).step(step))
    }

    /// Registers a hook on an event of sessions, as [`Runtime::register_session_hook`] does while running.
    #[must_use]
    pub fn register_session_hook<R: Into<HookReturn>>(
        self,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.register_hook(SessionHook::for_event(event, answer))
    }

    /// Registers a hook of any surface with its options.
    #[must_use]
    pub fn register_hook<S: HookSurface>(mut self, hook: HookBuilder<S>) -> Self {
        self.registration_count += 1;
        match hook.declare(self.registration_count) {
            Ok(hooks) => self.inline_hooks(Layer::Project, register::SOURCE, hooks),
            Err(faults) => {
                self.diagnostics.extend(faults);
                self
            }
        }
    }

    /// Adds a chain made in code.
    #[must_use]
    pub fn chain(mut self, chain: Chain) -> Self {
        self.chains.push(chain);
        self
    }

    /// The program that runs scripts in isolation. Default: the one beside this program.
    #[must_use]
    pub fn worker(mut self, worker: WorkerProgram) -> Self {
        self.worker = Some(worker);
        self
    }

    /// Records everything on a tape: the hooks as they are loaded and registered, and all that happens.
    #[must_use]
    pub fn tape(mut self, tape: Arc<Tape>) -> Self {
        self.tape = Some(tape);
        self
    }

    /// Lets somebody watch every step of every dispatch.
    #[must_use]
    pub fn journal(mut self, watcher: Arc<dyn Journal>) -> Self {
        self.journals.push(watcher);
        self
    }

    /// The clock. Default: the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Randomness for scripts. Default: differs in every process.
    #[must_use]
    pub fn random(mut self, random: Arc<dyn RandomSource>) -> Self {
        self.random = Some(random);
        self
    }

    /// Who answers asks. Default: nobody, which denies.
    #[must_use]
    pub fn approver(mut self, resolver: Arc<dyn Approver>) -> Self {
        self.approver = Some(resolver);
        self
    }

    /// Where scripts may connect to. Default: what the loaded agent declares, else nowhere.
    #[must_use]
    pub fn network(mut self, network: NetworkSpec) -> Self {
        self.network = Some(network);
        self
    }

    /// Who asks language models for hooks that are judged by one. Default: nobody, and such hooks fail.
    #[must_use]
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = Some(judge);
        self
    }

    /// The folder whose files scripts of hooks read (`fs.read` and its like) where no agent with a workspace stands behind the
    /// event. Default: the outermost project that is found, else the folder it is looked for from, else none.
    #[must_use]
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(folder.into());
        self
    }

    /// Asks every hook and enforces nothing.
    #[must_use]
    pub fn shadow(mut self, shadow: bool) -> Self {
        self.shadow = shadow;
        self
    }

    /// Lets the hooks of the first agent that a path declares count for everything, as in a host that has one agent and
    /// none of ours.
    #[must_use]
    pub fn agent_hooks_apply_globally(mut self) -> Self {
        self.agent_hooks_apply_globally = true;
        self
    }

    /// Leaves scripts that run in a worker alone until they are called, for a process that lives for one event and runs no
    /// agent. What does not load is then a failure of its hook when that is asked. Tools, which nobody calls there, are
    /// not looked at.
    #[must_use]
    pub fn skip_worker_probe(mut self) -> Self {
        self.skip_worker_probe = true;
        self
    }

    /// Takes secrets out of every record of the tape, whatever hooks there are; a host does the same with what it shows
    /// ([`Runtime::redactor`]). Files that are loaded can ask for it too (`redact_secrets: true`). Default: no.
    #[must_use]
    pub fn redact_secrets(mut self, redact: bool) -> Self {
        self.redact_secrets = redact;
        self
    }

    /// Remembers what each hook did about a call, for a host that fires several events about one call. Default: every
    /// event stands for itself.
    #[must_use]
    pub fn recheck_memory(mut self, memory: RecheckMemory) -> Self {
        self.recheck_memory = Some(memory);
        self
    }

    /// Loads and compiles everything.
    #[must_use]
    pub fn build(self) -> BuiltRuntime {
        pintle_script::with_compiler_stack(|| self.load_sources())
    }

    fn load_sources(self) -> BuiltRuntime {
        let worker = self.worker.unwrap_or_else(WorkerProgram::next_to_current_exe);
        let build = handlers::DefaultHandlerFactory::new(worker);
        let build = if self.skip_worker_probe { build.skip_worker_probe() } else { build };
        let build = self.judge.into_iter().fold(build, handlers::DefaultHandlerFactory::with_judge);
        let mut chains = self.chains;
        let (mut agent, mut team, mut files) = (None, None, 0);
        let mut personas: Vec<Arc<PersonaSpec>> = Vec::new();
        let (mut diagnostics, mut declarations) = (self.diagnostics, Vec::new());
        let mut permissions = PermissionsSpec::default();
        let (mut projects, mut redact_secrets) = (Vec::new(), self.redact_secrets);
        let layers = self.layers.unwrap_or_default();
        let mut policy = PolicyFiles::default()
            .with_paths(self.trust.store_path.as_deref().and_then(Path::parent).map(Path::to_owned))
            .with_paths(layers.managed.clone());
        policy = policy.with_paths(self.user_dir.clone()).with_paths(layers.config.clone());
        let options = LoadOptions { compat: self.compat, ..LoadOptions::default() };
        for loaded in sources::load(&self.paths, &layers, self.user_dir.as_deref(), self.trust, &build, &options) {
            chains.extend(loaded.chains);
            diagnostics.extend(loaded.diagnostics);
            declarations.extend(loaded.hook_declarations);
            files += loaded.files;
            projects.extend(loaded.trust);
            policy = policy.merged_with(loaded.policy);
            redact_secrets |= loaded.redact_secrets;
            // The first agent is the one that runs; further paths bring their hooks.
            agent = agent.or(loaded.agent);
            team = team.or(loaded.team);
            for persona in loaded.personas {
                if personas.iter().all(|known| known.name != persona.name) {
                    personas.push(persona);
                }
            }
            permissions::merge_rules(&mut permissions, loaded.permissions);
        }
        for InlineHooks { layer, source, hooks } in self.inline_hooks {
            let (compiled, found) = pintle_loader::compile_chains(source, layer, &hooks, &build);
            chains.extend(compiled);
            diagnostics.extend(found);
            policy = policy.merged_with(PolicyFiles::from_hooks(&hooks));
            declarations.extend(hooks);
        }
        if let Some(team) = &mut team {
            permissions::apply_user_rules(team, permissions);
        }
        if let Some(first) =
            team.as_ref().and_then(|team: &TeamSpec| team.agents.first()).filter(|_| self.agent_hooks_apply_globally)
        {
            // Loading has found them sound.
            let source = format!("agent {}", first.name);
            chains.extend(pintle_loader::compile_chains(source, Layer::Agent, &first.hooks, &build).0);
        }
        let first = team.as_ref().and_then(|team: &TeamSpec| team.agents.first());
        let declared = || agent.as_ref().or(first.map(AsRef::as_ref)).map(|agent: &AgentSpec| agent.network.clone());
        let network = self.network.or_else(declared).unwrap_or_default();
        if let Some(memory) = &self.recheck_memory {
            memory.wrap(&mut chains);
        }
        let set = HookSet::new(chains);
        let journals = JournalFanout::new(self.tape.clone(), self.journals);
        journals.enable_redaction(set.chains());
        if redact_secrets {
            journals.set_redactor(pintle_handlers::secrets::SecretScanner::process_wide());
        }
        if let Some(tape) = &self.tape {
            tape.record_hooks(set.chains());
            // It grows with every event, so that it would be part of every snapshot.
            tape.path().into_iter().for_each(handlers::snapshot::exclude_file);
        }
        let workspace = sources::choose_workspace(self.workspace, &projects, &layers);
        let parts = RuntimeParts {
            handler_factory: build,
            run_state: RunState::default(),
            http_gateway: HttpGateway::new(&network),
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock::default())),
            random: self.random.unwrap_or_else(|| Arc::new(SeededRandom::from_entropy())),
            approver: self.approver.unwrap_or_else(|| Arc::new(NoApprover)),
            journals,
            policy_files: policy.clone(),
            workspace,
            is_shadow: self.shadow,
        };
        let runtime = Arc::new(Runtime::new(set, self.registration_count, parts));
        BuiltRuntime { runtime, agent, team, personas, declarations, projects, policy, diagnostics, files }
    }
}

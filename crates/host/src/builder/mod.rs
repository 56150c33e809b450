//! The builder of a runtime.

mod hook_cache;
mod loaded;
mod permissions;
mod sources;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pintle_contract::{
    AgentSpec, Approver, Chain, Clock, Diagnostic, HandlerSpec, HookDeclaration, Journal, Judge, Layer, Location,
    NetworkSpec, NoApprover, PermissionsSpec, PersonaSpec, TeamSpec,
};
use pintle_dialects::command_hooks::DockerAgentVersion;
use pintle_engine::HookSet;
use pintle_files::UnsavedTexts;
use pintle_handlers::http::HttpGateway;
use pintle_handlers::{self as handlers, WorkerProgram};
use pintle_loader::{KnownHooks, KnownScripts, LayerDirs, LoadOptions, PolicyFiles, TrustGrant, TrustOptions};
use pintle_packs::UnknownPackError;

use crate::handler_override::{HandlerOverride, NoHookCalls, override_handlers};
use crate::journal_fanout::JournalFanout;
use crate::native;
use crate::register::{self, HookBuilder, HookEvent, HookReturn, HookSurface, PersonaHook, SessionHook, ToolHook};
use crate::runtime::RuntimeParts;
use crate::state::StateSharing;
use crate::{EventScope, LoadReport, RandomSource, Runtime, ScriptStateStore, SeededRandom, SystemClock, Tape};
pub use hook_cache::HookCache;
use hook_cache::KeptHooks;
pub use loaded::LoadedRuntime;
use sources::{HookSource, InlineHooks, PathPurpose};

/// The name of the source of packs that are turned on in code.
const PACKS: &str = "packs";

/// What a [`Runtime`] is built from. Every setting has a default.
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
    checks_guards: bool,
    skip_lints: bool,
    known_scripts: Option<PathBuf>,
    keeps_declared: Option<fn(&HandlerSpec) -> bool>,
    redact_secrets: bool,
    script_state: Option<Arc<dyn ScriptStateStore>>,
    handler_override: Option<Arc<dyn HandlerOverride>>,
    hook_cache: Option<Arc<HookCache>>,
    substitutes: Option<Arc<[HookDeclaration]>>,
    #[cfg(feature = "script")]
    coverage: Option<Arc<pintle_script::CoverageRecorder>>,
    unsaved_texts: UnsavedTexts,
}

impl RuntimeBuilder {
    /// Loads the hooks of a path: a project, a `.harness` directory, a directory of hooks, a docker-agent YAML file, or
    /// one hook file.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: false, purpose: PathPurpose::Any });
        self
    }

    /// Loads only the hooks of a path and applies them to whatever agent is governed. They include the hooks of the
    /// path's first agent, but the agent itself is not loaded. A path without hooks is an error in
    /// [`LoadedRuntime::diagnostics`].
    #[must_use]
    pub fn hooks(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: false, purpose: PathPurpose::Hooks });
        self
    }

    /// Loads a path like [`RuntimeBuilder::path`]; a path without hooks is an error in [`LoadedRuntime::diagnostics`].
    #[must_use]
    pub fn guarded_path(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: false, purpose: PathPurpose::Guarded });
        self
    }

    /// Loads a path that the user did not name, such as the current directory. The capabilities of its hooks need the
    /// user's trust: see [`RuntimeBuilder::trust`] and [`LoadedRuntime::projects`].
    #[must_use]
    pub fn discovered_path(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: true, purpose: PathPurpose::Any });
        self
    }

    /// Loads a path like [`RuntimeBuilder::hooks`] that the user did not name.
    #[must_use]
    pub fn discovered_hooks(mut self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.paths.push(HookSource { path: path.into(), layer, is_discovered: true, purpose: PathPurpose::Hooks });
        self
    }

    /// Loads the hooks that apply in a directory: those of the organisation, of the user, and of the project around the
    /// directory, which needs the user's trust. Default: only the named paths.
    #[must_use]
    pub fn layers(mut self, layers: LayerDirs) -> Self {
        self.layers = Some(layers);
        self
    }

    /// Sets where the user's trust is stored. Default: no project is trusted.
    #[must_use]
    pub fn trust(mut self, trust: TrustOptions) -> Self {
        self.trust = trust;
        self
    }

    /// Sets the guards of untrusted projects at the start of the session, by project directory
    /// ([`TrustGrant::for_session`]). If such a guard changes or disappears, the events that it guarded are denied.
    /// Default: none.
    #[must_use]
    pub fn initial_guards(mut self, guards: BTreeMap<PathBuf, TrustGrant>) -> Self {
        self.trust.session_guards = guards;
        self
    }

    /// Loads the user's own configuration from its directory: `config.yaml` and the drop-in files of `hooks.d/`. Its
    /// hooks are in the user layer, whatever else is loaded. Default: none.
    #[must_use]
    pub fn config_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.user_dir = Some(dir.into());
        self
    }

    /// Sets the version of docker-agent that its files are written for. Default: the version that the files state,
    /// otherwise the newest.
    #[must_use]
    pub fn compat(mut self, version: DockerAgentVersion) -> Self {
        self.compat = Some(version);
        self
    }

    /// Adds hooks that are not declared in a file, after those of files in the same layer. `source` is their name for
    /// display.
    #[must_use]
    pub fn inline_hooks(mut self, layer: Layer, source: &str, hooks: Vec<HookDeclaration>) -> Self {
        self.inline_hooks.push(InlineHooks { layer, source: source.to_owned(), hooks });
        self
    }

    /// Turns packs on, such as `shell` and `git`: rules about what calls would do, whatever tool makes them. They are what
    /// `use:` of a policy file turns on, with the severities that their rules have by themselves. `pintle packs` lists
    /// them. A name that no pack has is an error of [`RuntimeBuilder::build`].
    #[must_use]
    pub fn packs<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut hooks = Vec::new();
        for name in names {
            match pintle_packs::pack_by_name(name) {
                Ok(pack) => hooks.push(pintle_dialects::declare_pack(pack, Vec::new(), Location::default())),
                Err(UnknownPackError { message, help }) => {
                    let unknown = Diagnostic::error("unknown_pack", message, Location::default());
                    self.diagnostics.push(unknown.help(help));
                }
            }
        }
        self.inline_hooks(Layer::User, PACKS, hooks)
    }

    /// Registers a hook on tool calls, like [`Runtime::register_tool_hook`] does on a running runtime.
    ///
    /// Hooks that a builder registers are in the project layer, after those of its files. They are active from the
    /// first event on, and `clear_*` does not remove them. Errors in them are in [`LoadedRuntime::diagnostics`].
    #[must_use]
    pub fn register_tool_hook(self, hook: ToolHook) -> Self {
        self.register_hook(hook)
    }

    /// Registers a hook on a persona event, like [`Runtime::register_persona_hook`] does on a running runtime.
    #[must_use]
    pub fn register_persona_hook<R: Into<HookReturn>>(
        self,
        persona_pattern: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer))
    }

    /// Registers a hook on an event of one step, like [`Runtime::register_step_hook`] does on a running runtime.
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

    /// Registers a hook on a session event, like [`Runtime::register_session_hook`] does on a running runtime.
    #[must_use]
    pub fn register_session_hook<R: Into<HookReturn>>(
        self,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.register_hook(SessionHook::for_event(event, answer))
    }

    /// Registers a hook of any surface, with its options.
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

    /// Adds a chain made in code. Its hooks hear tool calls in the words that their matchers use, Pintle's own if they
    /// have none.
    #[must_use]
    pub fn chain(mut self, chain: Chain) -> Self {
        self.chains.push(native::translate_chain(chain));
        self
    }

    /// Sets the program that runs scripts in isolation. Default: this one, if it calls
    /// [`serve_worker`](crate::serve_worker), otherwise `pintle-script-worker` beside it.
    #[must_use]
    pub fn worker(mut self, worker: WorkerProgram) -> Self {
        self.worker = Some(worker);
        self
    }

    #[cfg(feature = "tape")]
    /// Records everything on a tape: the hooks as they are loaded and registered, and every dispatch.
    #[must_use]
    pub fn tape(mut self, tape: Arc<Tape>) -> Self {
        self.tape = Some(tape);
        self
    }

    /// Adds a journal that receives every step of every dispatch.
    #[must_use]
    pub fn journal(mut self, watcher: Arc<dyn Journal>) -> Self {
        self.journals.push(watcher);
        self
    }

    /// Sets the clock. Default: the system clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets the source of random numbers for scripts. Default: different in every process.
    #[must_use]
    pub fn random(mut self, random: Arc<dyn RandomSource>) -> Self {
        self.random = Some(random);
        self
    }

    /// Sets the approver, which responds to approval requests. Default: [`NoApprover`], so `ask` denies.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Sets the hosts that scripts may connect to. Default: those that the loaded agent declares, otherwise none.
    #[must_use]
    pub fn network(mut self, network: NetworkSpec) -> Self {
        self.network = Some(network);
        self
    }

    /// Sets the judge, which calls language models for hooks whose verdict comes from a model. Default: none, so such
    /// hooks fail.
    #[must_use]
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Sets the directory whose files hook scripts may read (`fs.read` and the like) if the event has no agent with a
    /// workspace. Default: the outermost project that is found, otherwise the directory where the search started,
    /// otherwise none.
    #[must_use]
    pub fn workspace(mut self, dir: impl Into<PathBuf>) -> Self {
        self.workspace = Some(dir.into());
        self
    }

    /// Turns shadow mode on: every hook is called and recorded, but no verdict is enforced.
    #[must_use]
    pub fn shadow(mut self, shadow: bool) -> Self {
        self.shadow = shadow;
        self
    }

    /// Applies the hooks of the first declared agent to every event, for hosts with a single agent that Pintle does not
    /// run.
    #[must_use]
    pub fn agent_hooks_apply_globally(mut self) -> Self {
        self.agent_hooks_apply_globally = true;
        self
    }

    /// Skips the check of scripts that run in a worker, for a process that handles one event and runs no agent. A
    /// script that does not load then fails its hook when that is called. Tools are not checked.
    #[must_use]
    pub fn skip_worker_probe(mut self) -> Self {
        self.skip_worker_probe = true;
        self
    }

    /// Searches the scripts of hooks for what keeps them from guarding, for a process that checks hooks and runs none.
    #[must_use]
    pub fn check_guards(mut self) -> Self {
        self.checks_guards = true;
        self
    }

    /// Skips the search for what the authors of hooks that load probably do not want, for a process that handles one
    /// event and shows no warnings. Errors are in [`LoadedRuntime::diagnostics`] all the same.
    #[must_use]
    pub fn skip_lints(mut self) -> Self {
        self.skip_lints = true;
        self
    }

    /// Remembers in a directory of the user's own which scripts compile, for a process that handles one event and calls
    /// few of many hooks: the next process compiles only those that it calls ([`KnownScripts`]). If warnings are skipped
    /// and the files are as they were, it reads only those ([`KnownHooks`]): the others are not among
    /// [`LoadedRuntime::declarations`]. Default: none.
    #[must_use]
    pub fn known_scripts(mut self, dir: Option<PathBuf>) -> Self {
        self.known_scripts = dir;
        self
    }

    /// Which hooks are always among [`LoadedRuntime::declarations`]. Default: without [`RuntimeBuilder::known_scripts`]
    /// all, otherwise those that were read.
    #[must_use]
    pub fn keeps_declared(mut self, keeps: fn(&HandlerSpec) -> bool) -> Self {
        self.keeps_declared = Some(keeps);
        self
    }

    /// Redacts secrets in every record of the tape, whether or not a hook does; a host does the same for its output
    /// ([`Runtime::redactor`]). Loaded files can also enable it (`redact_secrets: true`). Default: false.
    #[must_use]
    pub fn redact_secrets(mut self, redact: bool) -> Self {
        self.redact_secrets = redact;
        self
    }

    /// Builds these declarations instead of those with the same name and location, for tests of how a change of a hook is
    /// noticed. Default: none.
    #[must_use]
    pub fn substitutes(mut self, substitutes: Arc<[HookDeclaration]>) -> Self {
        self.substitutes = Some(substitutes);
        self
    }

    /// Notes what the scripts of hooks reach when they are called, for tests. Default: nothing is noted.
    #[cfg(feature = "script")]
    #[must_use]
    pub fn coverage(mut self, recorder: Arc<pintle_script::CoverageRecorder>) -> Self {
        self.coverage = Some(recorder);
        self
    }

    /// Uses the hooks of files that were loaded before, if they are still as they were. Default: they are loaded.
    #[must_use]
    pub fn hook_cache(mut self, cache: Arc<HookCache>) -> Self {
        self.hook_cache = Some(cache);
        self
    }

    /// Calls no hook: each one that matches passes. This is for a host that shows which hooks would run. Default: hooks
    /// are called.
    #[must_use]
    pub fn without_calls(self) -> Self {
        self.override_handlers(Arc::new(NoHookCalls))
    }

    /// Has other handlers called for some hooks, also for those of agents. The last of these settings applies. Default:
    /// hooks keep their own.
    #[must_use]
    pub fn override_handlers(mut self, choose: Arc<dyn HandlerOverride>) -> Self {
        self.handler_override = Some(choose);
        self
    }

    /// Keeps the metrics, the cache and the scratch values of scripts in a store that other processes use at the same
    /// time. Default: the runtime has its own.
    #[must_use]
    pub fn script_state(mut self, store: Arc<dyn ScriptStateStore>) -> Self {
        self.script_state = Some(store);
        self
    }

    /// Builds the runtime, with every hook that was declared.
    ///
    /// # Errors
    /// With everything that was found if any of it cannot run: it may be a guard. [`RuntimeBuilder::load`] also gives the
    /// runtime without what cannot run.
    pub fn build(self) -> Result<Arc<Runtime>, LoadReport> {
        self.load().into_runtime()
    }

    /// Loads and compiles everything, and gives what was found beside the runtime of what can run: for hosts that show
    /// every problem, or that refuse where something is missing.
    #[must_use]
    pub fn load(self) -> LoadedRuntime {
        let question = self.hook_cache.as_ref().map(|_| self.question()).unwrap_or_default();
        let known = self.hook_cache.as_ref().and_then(|cache| cache.get(&question));
        match known {
            // Nothing is compiled, so this needs no stack of its own.
            Some(known) if self.inline_hooks.is_empty() && known.paths.iter().all(|path| path.team.is_none()) => {
                self.load_sources(&question, Some(known))
            }
            // Only scripts that are not known are compiled, and few of them need such a stack.
            known if self.known_scripts.is_some() => self.load_sources(&question, known),
            known => {
                // A watch of the files that are read is one of this thread.
                let watch = pintle_files::WatchHandle::of_this_thread();
                sources::run_with_stack(|| watch.take_part(|| self.load_sources(&question, known)))
            }
        }
    }

    /// Loads these texts instead of files, as an editor shows them. Default: none.
    #[must_use]
    pub fn unsaved_texts(mut self, texts: UnsavedTexts) -> Self {
        self.unsaved_texts = texts;
        self
    }

    /// Everything but files that decides what is loaded from them.
    fn question(&self) -> String {
        let Self { paths, layers, user_dir, trust, compat, skip_worker_probe, skip_lints, checks_guards, .. } = self;
        let files = (paths, layers, user_dir, trust, compat, skip_worker_probe, skip_lints, checks_guards);
        // A project that is named may be relative, and programs are bound to the directory that a call comes from.
        format!("{files:?} {:?}", std::env::current_dir())
    }

    fn load_sources(self, question: &str, known_hooks: Option<Arc<KeptHooks>>) -> LoadedRuntime {
        let worker = self.worker.unwrap_or_else(WorkerProgram::find);
        let build = handlers::DefaultHandlerFactory::new(worker);
        let build = if self.skip_worker_probe { build.skip_worker_probe() } else { build };
        let build = self.substitutes.into_iter().fold(build, handlers::DefaultHandlerFactory::with_substitutes);
        #[cfg(feature = "script")]
        let build = self.coverage.into_iter().fold(build, handlers::DefaultHandlerFactory::with_coverage);
        let build = self.judge.into_iter().fold(build, handlers::DefaultHandlerFactory::with_judge);
        let place = self.paths.first().map_or(Path::new(""), |first| &first.path);
        let place = self.layers.as_ref().map(|layers| &*layers.cwd).filter(|_| self.paths.is_empty()).unwrap_or(place);
        let known = KnownScripts::new(build.clone(), self.known_scripts.as_deref(), place);
        let mut chains = self.chains;
        let (mut agent, mut team, mut files) = (None, None, 0);
        let mut personas: Vec<Arc<PersonaSpec>> = Vec::new();
        let (mut diagnostics, mut declarations) = (self.diagnostics, Vec::new());
        let mut permissions = PermissionsSpec::default();
        let (mut projects, mut redact_secrets) = (Vec::new(), self.redact_secrets);
        let layers = self.layers.unwrap_or_default();
        let mut policy = PolicyFiles::default()
            .with_paths(self.trust.store_path.as_deref().and_then(Path::parent).map(Path::to_owned))
            .with_paths(layers.managed.iter().chain(&layers.shadowed).cloned());
        policy = policy.with_paths(self.user_dir.clone()).with_paths(layers.config.clone());
        let keeps = self.keeps_declared.unwrap_or(|_| false);
        let remembered =
            self.known_scripts.as_deref().and_then(|dir| KnownHooks::new(dir, Arc::new(build.clone()), keeps));
        let options = LoadOptions {
            compat: self.compat,
            checks_guards: self.checks_guards,
            skips_lints: self.skip_lints,
            known_hooks: remembered.as_ref(),
            ..LoadOptions::default()
        };
        let load = |trust| {
            let load = || sources::load(&self.paths, &layers, self.user_dir.as_deref(), trust, &known, &options);
            self.unsaved_texts.read_during(load)
        };
        let kept = match (known_hooks, &self.hook_cache) {
            (None, Some(cache)) => Some(cache.load(question, || load(self.trust.clone()))),
            (known, _) => known,
        };
        let loaded = kept.as_ref().map_or_else(|| load(self.trust), |kept| kept.paths.clone());
        let mut has_others = !chains.is_empty() || !self.inline_hooks.is_empty() || self.handler_override.is_some();
        for loaded in loaded {
            chains.extend(loaded.chains);
            diagnostics.extend(loaded.diagnostics);
            declarations.extend(loaded.hook_declarations);
            files += loaded.files;
            projects.extend(loaded.trust);
            policy = policy.merged_with(loaded.policy);
            redact_secrets |= loaded.redact_secrets;
            // The first agent is the one that runs; further paths only add their hooks.
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
            declarations.extend(hooks.into_iter().map(Arc::new));
        }
        // Without the file, the next process compiles them again.
        let _ = known.save();
        if let Some(team) = &mut team {
            permissions::apply_user_rules(team, permissions);
        }
        if let Some(first) =
            team.as_ref().and_then(|team: &TeamSpec| team.agents.first()).filter(|_| self.agent_hooks_apply_globally)
        {
            // They were compiled without errors when they were loaded.
            let source = format!("agent {}", first.name);
            has_others = true;
            chains.extend(pintle_loader::compile_chains(source, Layer::Agent, &first.hooks, &build).0);
        }
        let first = team.as_ref().and_then(|team: &TeamSpec| team.agents.first());
        let declared = || agent.as_ref().or(first.map(AsRef::as_ref)).map(|agent: &AgentSpec| agent.network.clone());
        let network = self.network.or_else(declared).unwrap_or_default();
        if let Some(choose) = &self.handler_override {
            override_handlers(&mut chains, &**choose);
        }
        let run_state = Arc::default();
        let state_sharing = self.script_state.map(|store| StateSharing::new(store, Arc::clone(&run_state)));
        let set = match kept.filter(|_| !has_others) {
            Some(kept) => kept.set.get_or_init(|| HookSet::new(chains)).clone(),
            None => HookSet::new(chains),
        };
        let journals = JournalFanout::new(self.tape.clone(), self.journals);
        journals.enable_redaction(set.chains());
        if redact_secrets {
            journals.set_redactor(pintle_handlers::secrets::SecretScanner::process_wide());
        }
        if let Some(tape) = &self.tape {
            tape.record_hooks(set.chains());
            // The tape grows with every event, so it would be part of every snapshot.
            tape.path().into_iter().for_each(handlers::snapshot::exclude_file);
        }
        let workspace = sources::choose_workspace(self.workspace, &projects, &layers);
        let parts = RuntimeParts {
            agent_overlays: Mutex::default(),
            idle_scope: EventScope::default(),
            empty_set: HookSet::empty(),
            handler_factory: build,
            handler_override: self.handler_override,
            state_sharing,
            http_gateway: HttpGateway::new(&network),
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock::default())),
            random: self.random.unwrap_or_else(|| Arc::new(SeededRandom::from_entropy())),
            approver: self.approver.unwrap_or_else(|| Arc::new(NoApprover)),
            policy_files: Arc::new(policy.clone()),
            workspace,
            is_shadow: self.shadow,
        };
        let runtime = Arc::new(Runtime::new(set, self.registration_count, journals, (parts, run_state)));
        LoadedRuntime { runtime, agent, team, personas, declarations, projects, policy, diagnostics, files }
    }
}

//! The runtime: one set of hooks, and the builder that loads them.

use std::borrow::Cow;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_host::contract::NetworkSpec;
use pintle_host::{CancelToken, EventScope, SeededRandom, WorkerProgram, native};

use crate::approval::ProgramApprover;
use crate::event::kind_of;
use crate::pending::{CallFuture, JobSpawner, PoolJob, ThreadPool};
use crate::{
    AgentLife, Approver, CallScope, Event, EventType, Hook, HookCall, HookClosure, LoadReport, Origin, Outcome,
    Refusal, ToolCall, ToolOutput,
};

/// A compiled set of hooks. Events can be fired from any thread. Cheap to clone; clones are the same runtime.
#[derive(Debug, Clone)]
pub struct Runtime(Arc<RuntimeState>);

#[derive(Debug)]
struct RuntimeState {
    host: Arc<pintle_host::Runtime>,
    spawner: JobSpawner,
    /// The number of hooks that were registered so far.
    registered: AtomicU64,
}

impl Runtime {
    /// Starts to build a runtime.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// Fires an event and returns what all hooks decided. It never fails: hooks that could not be called are in the outcome.
    /// The host obeys it, and uses the payload of the outcome.
    #[must_use]
    pub fn fire(&self, event: &Event) -> Outcome {
        Outcome(self.0.host.fire(&self.0.host.complete_event(Cow::Borrowed(&event.0))))
    }

    /// [`Runtime::fire`], without blocking; see [`AgentLife`]. Dropping the future cancels the event.
    pub fn fire_async(&self, event: Event) -> impl Future<Output = Outcome> + Send + use<> {
        AgentLife::new(self.clone(), Arc::clone(&event.0.origin)).fire_async(event)
    }

    /// Fires an event that a hook causes, while it is called. Such events may be nested 8 levels deep; a hook that would be
    /// called deeper fails.
    #[must_use]
    pub fn fire_from<E>(&self, call: &HookCall<'_, E>, event: Event) -> Outcome {
        Outcome(self.0.host.fire_in(&self.0.host.complete_event(Cow::Owned(event.0)), &call.scope().0))
    }

    /// Whether a hook listens to an event. The check is cheap: a host need not build a payload that no hook reads. Tool
    /// calls are decided whether or not a hook listens.
    #[must_use]
    pub fn listens<E: EventType>(&self) -> bool {
        self.0.host.listens(&kind_of::<E>().into(), &EventScope::default())
    }

    /// [`AgentLife::decide_tool_call`] for a call outside of a turn.
    ///
    /// # Errors
    /// If the call must not run. The reason is the call's result for the model.
    pub fn decide_tool_call(&self, call: ToolCall) -> Result<ToolCall, Refusal> {
        self.life(&Origin::default()).decide_tool_call(call)
    }

    /// [`Runtime::decide_tool_call`], without blocking.
    pub fn decide_tool_call_async(
        &self,
        call: ToolCall,
    ) -> impl Future<Output = Result<ToolCall, Refusal>> + Send + use<> {
        self.life(&Origin::default()).decide_tool_call_async(call)
    }

    /// [`AgentLife::conclude_tool_call`] for a call outside of a turn.
    #[must_use]
    pub fn conclude_tool_call(&self, call: &ToolCall, result: ToolOutput) -> ToolOutput {
        self.life(&Origin::default()).conclude_tool_call(call, result)
    }

    /// [`Runtime::conclude_tool_call`], without blocking.
    pub fn conclude_tool_call_async(
        &self,
        call: &ToolCall,
        result: ToolOutput,
    ) -> impl Future<Output = ToolOutput> + Send + use<> {
        self.life(&Origin::default()).conclude_tool_call_async(call, result)
    }

    /// Begins the life of an agent, for one turn: its prompt, model calls, tool calls and answer.
    #[must_use]
    pub fn life(&self, origin: &Origin) -> AgentLife {
        AgentLife::new(self.clone(), origin.shared())
    }

    /// Begins the life of an agent that a hook runs while it is called, such as one that reviews: what it does is nested in
    /// the call, as by [`Runtime::fire_from`].
    #[must_use]
    pub fn life_in(&self, scope: &CallScope, origin: &Origin) -> AgentLife {
        AgentLife::in_scope(self.clone(), origin.shared(), scope.0.clone())
    }

    /// Registers a hook on the running runtime. It runs after all other hooks and can only restrict further.
    ///
    /// # Errors
    /// With everything that is wrong with the hook.
    pub fn register(&self, hook: Hook) -> Result<HookRegistration, LoadReport> {
        let hook = hook.build(self.0.registered.fetch_add(1, Ordering::Relaxed) + 1).map_err(LoadReport::new)?;
        let chain = native::chain(SOURCE, pintle_host::Layer::Runtime, [hook]);
        Ok(HookRegistration(self.0.host.register_chain(chain)))
    }

    /// Registers a closure on a type of event; see [`Hook::on`].
    ///
    /// # Errors
    /// As [`Runtime::register`].
    pub fn on<E: EventType>(&self, answer: impl HookClosure<E>) -> Result<HookRegistration, LoadReport> {
        self.register(Hook::on(answer))
    }

    /// Redacts secrets in a text that the host shows or keeps, if redaction is on, by a hook or
    /// [`RuntimeBuilder::redact_secrets`].
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let redacted = self.0.host.redactor().and_then(|redactor| redactor.redact(text));
        redacted.unwrap_or_else(|| text.to_owned())
    }

    pub(crate) fn host(&self) -> &pintle_host::Runtime {
        &self.0.host
    }

    pub(crate) fn run_async<T: Send + 'static>(
        &self,
        cancel: CancelToken,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> CallFuture<T> {
        CallFuture::new(self.0.spawner.clone(), self.0.host.may_wait(), cancel, call)
    }
}

/// The source of the hooks of the program, in reasons and on the tape.
const SOURCE: &str = "registered";

/// A hook that was registered while the runtime runs. Dropping it leaves the hook active.
#[derive(Debug, Clone)]
pub struct HookRegistration(pintle_host::HookRegistration);

impl HookRegistration {
    /// Whether the hook is active.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.0.is_active()
    }

    /// Removes the hook, and returns whether it was active. Events that are being dispatched still call it.
    pub fn remove(&self) -> bool {
        self.0.remove()
    }
}

/// Who configured hooks. Those of an earlier layer run first, and those of a later one can only restrict further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layer {
    /// The organisation.
    Managed,
    /// The user.
    User,
    /// The project.
    Project,
}

impl Layer {
    fn to_host(self) -> pintle_host::Layer {
        match self {
            Self::Managed => pintle_host::Layer::Managed,
            Self::User => pintle_host::Layer::User,
            Self::Project => pintle_host::Layer::Project,
        }
    }
}

/// What a [`Runtime`] is built from. Every setting has a default.
#[derive(Debug, Default)]
#[must_use = "nothing is loaded before `build`"]
pub struct RuntimeBuilder {
    host: pintle_host::RuntimeBuilder,
    hooks: Vec<Hook>,
    spawner: Option<JobSpawner>,
}

impl RuntimeBuilder {
    /// Loads the hooks of a path: a project, a `.harness` directory, a directory of hooks, a docker-agent YAML file or one
    /// hook file. They apply to every agent of the program; of files that declare agents they are those of the first. A path
    /// without hooks is an error. The program names the path, so its hooks are trusted.
    pub fn path(self, path: impl Into<PathBuf>, layer: Layer) -> Self {
        self.with(|host| host.hooks(path, layer.to_host()))
    }

    /// Loads a user's own configuration from its directory: `config.yaml` and the files of `hooks.d/`.
    pub fn config_dir(self, dir: impl Into<PathBuf>) -> Self {
        self.with(|host| host.config_dir(dir))
    }

    /// Turns packs on, such as `shell` and `git`: rules about what tool calls would do, whatever tool makes them.
    pub fn packs<'n>(self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.with(|host| host.packs(names))
    }

    /// Adds a hook of the program. It is in the project layer, before those of files.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Adds a closure on a type of event; see [`Hook::on`].
    pub fn on<E: EventType>(self, answer: impl HookClosure<E>) -> Self {
        self.hook(Hook::on(answer))
    }

    /// Sets who answers when a hook asks. Default: the user cannot be asked, so `ask` denies.
    pub fn approver(self, approver: impl Approver + 'static) -> Self {
        self.with(|host| host.approver(Arc::new(ProgramApprover(approver))))
    }

    /// Sets what calls language models for hooks whose verdict comes from a model. Default: such hooks fail.
    #[cfg(feature = "models")]
    pub fn judge(
        self,
        judge: impl Fn(&crate::JudgeRequest<'_>) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        self.with(|host| host.judge(Arc::new(crate::judge::ProgramJudge(Box::new(judge)))))
    }

    /// Records everything on a tape.
    #[cfg(feature = "tape")]
    pub fn tape(self, tape: &crate::Tape) -> Self {
        self.with(|host| host.tape(Arc::clone(&tape.0)))
    }

    /// Redacts secrets in every record of the tape, and in what the host passes to [`Runtime::redact`]. Default: only if a
    /// loaded file says so.
    pub fn redact_secrets(self, redact: bool) -> Self {
        self.with(|host| host.redact_secrets(redact))
    }

    /// Calls every hook and records its verdict, but enforces nothing. Default: false.
    pub fn shadow(self, shadow: bool) -> Self {
        self.with(|host| host.shadow(shadow))
    }

    /// Sets the hosts that scripts may connect to: `example.com` and its subdomains, `*.example.com` for only these, or `*`
    /// for all. Default: none.
    pub fn allowed_hosts<'n>(self, hosts: impl IntoIterator<Item = &'n str>) -> Self {
        let allowed_domains = hosts.into_iter().map(str::to_owned).collect();
        self.with(|host| host.network(NetworkSpec { allowed_domains }))
    }

    /// Sets the directory whose files hook scripts may read. Default: the loaded project.
    pub fn workspace(self, dir: impl Into<PathBuf>) -> Self {
        self.with(|host| host.workspace(dir))
    }

    /// Sets the seed of the random numbers that scripts get, for tests. Default: different in every process.
    pub fn random_seed(self, seed: u64) -> Self {
        self.with(|host| host.random(Arc::new(SeededRandom::new(seed))))
    }

    /// Sets where async calls run hooks that may wait, such as `tokio::task::spawn_blocking`. Work that the spawner drops is
    /// done where the future is polled. Default: a pool of threads that grows with what waits, up to eight for each
    /// processor.
    ///
    /// ```no_run
    /// # async fn build() {
    /// let runtime = pintle::Runtime::builder().spawner(|work| drop(tokio::task::spawn_blocking(work))).build();
    /// # }
    /// ```
    pub fn spawner(mut self, spawn: impl Fn(Box<dyn FnOnce() + Send>) + Send + Sync + 'static) -> Self {
        self.spawner = Some(JobSpawner::Program(Arc::new(move |work: PoolJob| spawn(work))));
        self
    }

    /// Sets the command of the processes that run scripts and start programs, which calls [`run_worker`](crate::run_worker).
    /// Default: this program, if it calls [`serve_worker`](crate::serve_worker).
    pub fn worker(self, program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        let worker = WorkerProgram { program: program.into(), arguments };
        self.with(|host| host.worker(worker))
    }

    /// Builds the runtime, with every hook that was declared.
    ///
    /// # Errors
    /// With everything that was found if any of it cannot run: it may be a guard.
    pub fn build(self) -> Result<Runtime, LoadReport> {
        let (mut hooks, mut faults) = (Vec::new(), Vec::new());
        let registered = self.hooks.len() as u64;
        for (number, hook) in (1..).zip(self.hooks) {
            match hook.build(number) {
                Ok(hook) => hooks.push(hook),
                Err(found) => faults.extend(found),
            }
        }
        let host = match hooks.is_empty() {
            true => self.host,
            false => self.host.chain(native::chain(SOURCE, pintle_host::Layer::Project, hooks)),
        };
        let loaded = host.load();
        if loaded.has_errors() || !faults.is_empty() {
            return Err(LoadReport::new([loaded.diagnostics, faults].concat()));
        }
        let spawner = self.spawner.unwrap_or_else(|| JobSpawner::Pool(Arc::new(ThreadPool::default())));
        let registered = AtomicU64::new(registered);
        Ok(Runtime(Arc::new(RuntimeState { host: loaded.runtime, spawner, registered })))
    }

    fn with(mut self, change: impl FnOnce(pintle_host::RuntimeBuilder) -> pintle_host::RuntimeBuilder) -> Self {
        self.host = change(self.host);
        self
    }
}

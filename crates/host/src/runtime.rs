//! The runtime: one set of hooks and the state that their scripts share.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pintle_contract::{
    AgentSpec, Approver, CallMemory, Chain, Clock, Diagnostic, EnforcementMode, Event, EventKind, EventName, Hook,
    HookDeclaration, Journal, JournalEntry, Judge, Layer, NullJournal, Origin, Outcome, Redactor, Severity,
    SourceTrust,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_handlers as handlers;
use pintle_handlers::http::HttpGateway;
use pintle_loader::PolicyFiles;
use serde_json::{Map, Value};

use crate::clock::FrozenClock;
use crate::handler_override::{HandlerOverride, override_handlers};
use crate::held_records::{HeldRecords, HoldingJournal};
use crate::journal_fanout::JournalFanout;
use crate::native;
use crate::register::{HookRegistration, HookRegistry, SOURCE, SurfaceKind};
use crate::state::{RunState, StateSharing};
use crate::{EventScope, HookOverlay, LoadReport, RandomSource, ScopedEffects, Tape, payload_gate, tape_gate};

thread_local! {
    /// The cleared scope of this thread's last event without an agent, for reuse. It does not belong to a runtime.
    static SPARE: Cell<Option<Box<EventScope>>> = const { Cell::new(None) };
}

/// A compiled set of hooks. Events can be fired from any thread.
#[derive(Debug)]
pub struct Runtime {
    pub(crate) registry: Arc<HookRegistry>,
    pub(crate) parts: Arc<RuntimeParts>,
    run_state: Arc<RunState>,
    journals: JournalFanout,
}

/// What a runtime consists of other than its hooks and its journals.
#[derive(Debug)]
pub(crate) struct RuntimeParts {
    /// The scope of events without hooks. No hook uses it, so it is created once.
    pub(crate) idle_scope: EventScope,
    /// The empty set of hooks for such events.
    pub(crate) empty_set: HookSet,
    /// The hooks of agents that sessions use.
    pub(crate) agent_overlays: Mutex<Vec<(Weak<AgentSpec>, Weak<HookOverlay>)>>,
    pub(crate) handler_factory: handlers::DefaultHandlerFactory,
    /// Chooses other handlers for hooks that are compiled later.
    pub(crate) handler_override: Option<Arc<dyn HandlerOverride>>,
    pub(crate) state_sharing: Option<StateSharing>,
    pub(crate) http_gateway: HttpGateway,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn RandomSource>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) policy_files: Arc<PolicyFiles>,
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) is_shadow: bool,
}

/// The scope of one event without an agent. The state that scripts kept in it is discarded with the event, and the
/// scope is reused.
struct PooledScope(Option<Box<EventScope>>);

impl PooledScope {
    #[inline]
    fn acquire() -> Self {
        // A thread that is ending has no spare scope any more.
        Self(SPARE.try_with(Cell::take).ok().flatten())
    }

    #[inline]
    fn scope(&mut self) -> &EventScope {
        self.0.get_or_insert_with(|| Box::new(EventScope::default()))
    }
}

impl Drop for PooledScope {
    #[inline]
    fn drop(&mut self) {
        let Some(scope) = self.0.take() else { return };
        scope.clear();
        if !scope.cancel.is_cancelled() {
            let _ = SPARE.try_with(|spare| spare.set(Some(scope)));
        }
    }
}

impl Runtime {
    /// Creates a runtime; `registered` is the number of registrations so far.
    pub(crate) fn new(
        set: HookSet,
        registered: u64,
        journals: JournalFanout,
        (parts, run_state): (RuntimeParts, Arc<RunState>),
    ) -> Self {
        Self { registry: Arc::new(HookRegistry::new(set, registered)), parts: Arc::new(parts), run_state, journals }
    }

    /// A runtime with the same hooks and the same state of scripts that records on another tape: for a host with many
    /// sessions, each with a tape of its own. A hook that is registered on one of them applies to all.
    #[cfg(feature = "tape")]
    #[must_use]
    pub fn with_tape(&self, tape: Arc<Tape>) -> Arc<Self> {
        tape.record_hooks(self.hooks().chains());
        let (registry, parts) = (Arc::clone(&self.registry), Arc::clone(&self.parts));
        let run_state = Arc::clone(&self.run_state);
        Arc::new(Self { registry, parts, run_state, journals: self.journals.with_tape(tape) })
    }

    /// A runtime with one hook of this one and no journals, for the examples of the hook: as if its source were trusted and
    /// its verdict enforced. It has a state of scripts of its own, which is empty.
    #[must_use]
    pub fn isolate_hook(&self, chain: &Chain, hook: &Hook) -> Self {
        let hook = Hook { mode: EnforcementMode::Enforce, source_trust: SourceTrust::Trusted, ..hook.clone() };
        let set = HookSet::new(vec![Chain { hooks: vec![Arc::new(hook)], ..chain.clone() }]);
        let journals = JournalFanout::new(None, Vec::new());
        let registry = Arc::new(HookRegistry::new(set, 0));
        Self { registry, parts: Arc::clone(&self.parts), run_state: Arc::default(), journals }
    }

    /// Discards the state that scripts kept so far: the metrics and the cache of all layers.
    pub fn discard_state(&self) {
        self.run_state.clear();
    }

    /// Fires an event without an agent and returns its outcome.
    ///
    /// An event that guards an action and does not say which, such as `tool.pre` without the `name` of a tool, is denied
    /// before a hook hears it: a misspelt field must not pass every matcher.
    ///
    /// A hook of the host program that fires events passes the scope of its call to [`Runtime::fire_in`] instead, so
    /// that the limit of nested events applies; see [`EventScope::from_call`].
    #[must_use]
    pub fn fire(&self, event: &Event) -> Outcome {
        if !self.registry.may_listen(&event.name) {
            return self.dispatch(&self.parts.empty_set, event, &self.parts.idle_scope);
        }
        self.dispatch(&self.hooks(), event, PooledScope::acquire().scope())
    }

    /// Fires an event in a scope: first the hooks of the runtime, then those of the scope's agent.
    ///
    /// The outcome is on the tape before it is returned. If the tape can no longer be written, guarded events are
    /// denied.
    #[must_use]
    pub fn fire_in(&self, event: &Event, scope: &EventScope) -> Outcome {
        self.dispatch(&scope.overlay.apply_to(self.hooks()), event, scope)
    }

    /// Whether any hook of the runtime or the scope's agent is registered for an event. The check is cheap, so that
    /// hosts can skip creating a payload that no hook needs.
    #[must_use]
    pub fn listens(&self, name: &EventName, scope: &EventScope) -> bool {
        if self.tape().is_some_and(|tape| tape.error_text().is_some()) && tape_gate::is_guarded(name) {
            return true;
        }
        let may_listen = self.registry.may_listen(name) || !scope.overlay.is_empty();
        may_listen && scope.overlay.apply_to(self.hooks()).has_hooks_for(name)
    }

    /// Whether any hook of the runtime or the scope's agent can deny or rewrite an event. If so, a host must not show
    /// the event's data before it has fired the event.
    #[must_use]
    pub fn may_change(&self, name: &EventName, scope: &EventScope) -> bool {
        !self.parts.is_shadow && self.listens(name, scope) && scope.overlay.apply_to(self.hooks()).may_change(name)
    }

    fn dispatch(&self, set: &HookSet, event: &Event, scope: &EventScope) -> Outcome {
        let (parts, journals) = (&*self.parts, &self.journals);
        let holding = scope.held.as_deref().map(|held| HoldingJournal { held, journals, set });
        let (journal, clock): (&dyn Journal, &dyn Clock) = match journals.has_listeners() {
            true => (holding.as_ref().map_or(journals as &dyn Journal, |holding| holding), &*parts.clock),
            // Without hooks and journals no one needs the ID, and threads need not share a counter.
            false if std::ptr::eq(set, &parts.empty_set) => (&NullJournal, &FrozenClock),
            false => (journals.call_counter(), &FrozenClock),
        };
        let context = DispatchContext {
            journal,
            clock,
            effects: &self.effects(&event.origin, scope),
            approver: scope.approver.as_deref().unwrap_or(&*parts.approver),
            cancel: &scope.cancel,
            shadow: parts.is_shadow,
            cause: scope.cause,
            memory: scope.memory.as_deref().map(|memory| memory as &dyn CallMemory),
        };
        if let Some(refused) = payload_gate::refuse(event).filter(|_| !parts.is_shadow) {
            return refused;
        }
        // In shadow mode nothing is enforced, including this; the other journals were notified that the tape ended.
        if !parts.is_shadow
            && let Some(reason) = tape_gate::denial_reason(journals, event)
        {
            let dispatch = journal.begin_dispatch(&JournalEntry::Event { event, cause: scope.cause });
            let outcome = Outcome { dispatch, ..tape_gate::denied_outcome(event, reason) };
            journal.record(dispatch, &JournalEntry::Outcome { event, outcome: &outcome });
            return outcome;
        }
        let mut outcome = dispatch(set, event, &context);
        if outcome.hooks_called > 0 {
            scope.deliver_reminders(&mut outcome);
        }
        if !parts.is_shadow {
            tape_gate::deny_unrecorded(journals, event, &mut outcome);
        }
        outcome
    }

    /// Writes the records that a scope held back ([`EventScope::held`]). Those that follow are written at once.
    pub fn release_records(&self, records: &HeldRecords) {
        records.release(&self.journals);
    }

    /// Whether a hook of the runtime or the scope's agent for one of these events depends on the order of its calls
    /// ([`pintle_contract::Handler::needs_order`]). If not, a host may fire them about several things at once.
    #[must_use]
    pub fn needs_order(&self, events: &[EventKind], scope: &EventScope) -> bool {
        scope.overlay.apply_to(self.hooks()).needs_order(events)
    }

    /// The effect runner for a tool's script.
    #[must_use]
    pub fn effects<'a>(&'a self, origin: &'a Arc<Origin>, scope: &'a EventScope) -> ScopedEffects<'a> {
        ScopedEffects { runtime: self, scope, origin }
    }

    /// The policy files, which an agent's tools must not change.
    #[must_use]
    pub fn policy_files(&self) -> &Arc<PolicyFiles> {
        &self.parts.policy_files
    }

    /// The directory whose files hook scripts may read if no agent specifies another one.
    pub(crate) fn workspace(&self) -> Option<&Path> {
        self.parts.workspace.as_deref()
    }

    /// The current set of hooks.
    #[must_use]
    pub fn hooks(&self) -> Arc<HookSet> {
        self.registry.current_set()
    }

    /// The thresholds in per cent that `budget.threshold` hooks of the runtime and the scope's agent set.
    #[must_use]
    pub fn threshold_percents(&self, scope: &EventScope) -> Vec<f64> {
        let set = scope.overlay.apply_to(self.hooks());
        let listening = set.hooks().filter(|(_, hook)| hook.event.kind() == EventKind::BudgetThreshold);
        listening.filter_map(|(_, hook)| hook.matcher.as_ref()?.threshold_percent()).collect()
    }

    /// Compiles declarations to chains, such as the hooks of one agent.
    #[must_use]
    pub fn compile_chains(
        &self,
        source: &str,
        layer: Layer,
        declarations: &[HookDeclaration],
    ) -> (Vec<Chain>, Vec<Diagnostic>) {
        let (mut chains, diagnostics) =
            pintle_loader::compile_chains(source, layer, declarations, &self.parts.handler_factory);
        if let Some(choose) = &self.parts.handler_override {
            override_handlers(&mut chains, &**choose);
        }
        self.journals.enable_redaction(&chains);
        (chains, diagnostics)
    }

    /// The hooks of an agent. Sessions of the same agent share them, as they share the hooks of the runtime.
    ///
    /// # Errors
    /// With every error in the declarations.
    pub fn agent_overlay(&self, agent: &Arc<AgentSpec>) -> Result<Arc<HookOverlay>, Vec<Diagnostic>> {
        let mut overlays = self.parts.agent_overlays.lock().unwrap_or_else(PoisonError::into_inner);
        overlays.retain(|(_, overlay)| overlay.strong_count() > 0);
        let mut known = overlays.iter().filter(|(known, _)| ptr::eq(known.as_ptr(), Arc::as_ptr(agent)));
        if let Some(overlay) = known.find_map(|(_, overlay)| overlay.upgrade()) {
            self.journals.enable_redaction(overlay.chains());
            return Ok(overlay);
        }
        let source = format!("agent {}", agent.name);
        let chains = self.compile_or_reject(&source, Layer::Agent, &agent.hooks)?;
        let overlay = Arc::new(HookOverlay::new(chains));
        // The address of an agent is not used again while this refers to it.
        overlays.push((Arc::downgrade(agent), Arc::downgrade(&overlay)));
        Ok(overlay)
    }

    /// Registers a hook on the running runtime. It runs after all other hooks and can only restrict further.
    ///
    /// # Errors
    /// With every error in the declaration; nothing is registered then.
    pub fn register(&self, declaration: &HookDeclaration) -> Result<(), LoadReport> {
        let chains = self.compile_or_reject(SOURCE, Layer::Runtime, std::slice::from_ref(declaration))?;
        self.add_chains(self.registry.next_number(), None, chains);
        Ok(())
    }

    /// Adds a chain made in code to the running runtime, like [`RuntimeBuilder::chain`](crate::RuntimeBuilder::chain). It
    /// runs after all other hooks and can only restrict further.
    pub fn register_chain(&self, chain: Chain) -> HookRegistration {
        let chains = vec![native::translate_chain(chain)];
        self.register_chains(self.registry.next_number(), None, chains)
    }

    /// Whether a call may wait for something outside this process: a program, a worker, the approver.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.parts.approver.is_available() || self.hooks().may_wait()
    }

    /// Compiles declarations to chains, or returns all diagnostics if one of them cannot run.
    pub(crate) fn compile_or_reject(
        &self,
        source: &str,
        layer: Layer,
        declarations: &[HookDeclaration],
    ) -> Result<Vec<Chain>, Vec<Diagnostic>> {
        let (chains, diagnostics) = self.compile_chains(source, layer, declarations);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(diagnostics);
        }
        Ok(chains)
    }

    /// Activates chains. They are recorded on the tape before they are called.
    pub(crate) fn add_chains(&self, number: u64, kind: Option<SurfaceKind>, chains: Vec<Chain>) {
        self.registry.add_chains(number, kind, chains, |chains| {
            if let Some(tape) = self.tape() {
                tape.record_hooks(chains);
            }
        });
    }

    /// All counters and gauges, sorted by name. If several configuration layers use one name, the highest layer keeps
    /// the plain name and the others have their layer added, as in `calls (project)`.
    #[must_use]
    pub fn metrics(&self) -> Map<String, Value> {
        self.run_state.metrics()
    }

    /// Whether shadow mode is on: hooks are called but not enforced.
    #[must_use]
    pub fn is_shadow(&self) -> bool {
        self.parts.is_shadow
    }

    /// The tape, if the runtime records one.
    #[must_use]
    pub fn tape(&self) -> Option<&Arc<Tape>> {
        self.journals.tape()
    }

    /// The redactor, if redaction is enabled, for example by a hook (`redact_secrets`). The tape is redacted with it,
    /// and a host should redact its output. Other journals receive unredacted steps.
    #[must_use]
    pub fn redactor(&self) -> Option<&Arc<dyn Redactor>> {
        self.journals.redactor()
    }

    /// The gateway through which scripts and tools make HTTP requests.
    #[must_use]
    pub fn http_gateway(&self) -> &HttpGateway {
        &self.parts.http_gateway
    }

    /// The approver, which responds to approval requests.
    #[must_use]
    pub fn approver(&self) -> &Arc<dyn Approver> {
        &self.parts.approver
    }

    /// The judge, which calls language models for hooks; `None` if there is none.
    #[must_use]
    pub fn judge(&self) -> Option<&Arc<dyn Judge>> {
        self.parts.handler_factory.judge()
    }

    /// The clock of the runtime.
    #[must_use]
    pub fn clock(&self) -> &dyn Clock {
        &*self.parts.clock
    }

    /// The source of random numbers for scripts.
    #[must_use]
    pub fn random(&self) -> &dyn RandomSource {
        &*self.parts.random
    }

    #[cfg(feature = "script")]
    pub(crate) fn handler_factory(&self) -> &handlers::DefaultHandlerFactory {
        &self.parts.handler_factory
    }

    pub(crate) fn run_state(&self) -> &RunState {
        &self.run_state
    }

    /// How the state of scripts is shared with other processes; `None` if it is not.
    pub(crate) fn state_sharing(&self) -> Option<&StateSharing> {
        self.parts.state_sharing.as_ref()
    }

    pub(crate) fn journals(&self) -> &JournalFanout {
        &self.journals
    }
}

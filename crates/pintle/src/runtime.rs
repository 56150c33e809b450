//! The runtime: one set of hooks and the state its scripts share.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    Approver, Chain, Clock, Diagnostic, Event, EventName, HookDeclaration, Journal, JournalEntry, Judge, Layer, Origin,
    Outcome, Redactor, ScriptSource, Severity, ToolSpec,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_handlers::http::HttpGateway;
use pintle_handlers::{self as handlers, ScriptTool};
use pintle_loader::PolicyFiles;
use pintle_tape::Tape;
use serde_json::{Map, Value};

use crate::clock::FrozenClock;
use crate::journal_fanout::JournalFanout;
use crate::nesting::NestingGuard;
use crate::register::{HookRegistry, SOURCE, SurfaceKind};
use crate::state::RunState;
use crate::{EventScope, RandomSource, RuntimeBuilder, ScopedEffects, tape_gate};

thread_local! {
    /// The scope of this thread's last event that had no agent behind it, emptied, for the next one. It belongs to no
    /// runtime.
    static SPARE: Cell<Option<Box<EventScope>>> = const { Cell::new(None) };
}

/// One compiled set of hooks, ready to be fired at from any thread.
#[derive(Debug)]
pub struct Runtime {
    pub(crate) registry: Arc<HookRegistry>,
    /// What events happen in that no hook listens to: nothing ever touches it, so it is made once.
    idle_scope: EventScope,
    /// The hooks that listen to those.
    empty_set: HookSet,
    pub(crate) parts: RuntimeParts,
}

/// What a runtime is made of besides its hooks.
#[derive(Debug)]
pub(crate) struct RuntimeParts {
    pub(crate) handler_factory: handlers::DefaultHandlerFactory,
    pub(crate) run_state: RunState,
    pub(crate) http_gateway: HttpGateway,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn RandomSource>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) journals: JournalFanout,
    pub(crate) policy_files: PolicyFiles,
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) is_shadow: bool,
}

/// The scope of one event that has no agent behind it. What scripts left in it goes with the event, and the scope is kept
/// for the next one.
struct PooledScope(Option<Box<EventScope>>);

impl PooledScope {
    #[inline]
    fn acquire() -> Self {
        // A thread that ends has no spare scope any more.
        Self(SPARE.try_with(Cell::take).ok().flatten())
    }

    #[inline]
    fn scope(&mut self) -> &EventScope {
        self.0.get_or_insert_with(|| Box::new(EventScope::root()))
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
    /// Begins to put a runtime together.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// `registered` is how many registrations were numbered already.
    pub(crate) fn new(set: HookSet, registered: u64, parts: RuntimeParts) -> Self {
        Self {
            registry: Arc::new(HookRegistry::new(set, registered)),
            idle_scope: EventScope::root(),
            empty_set: HookSet::empty(),
            parts,
        }
    }

    /// Fires an event with no agent behind it.
    #[must_use]
    pub fn fire(&self, event: &Event) -> Outcome {
        if !self.registry.may_listen(&event.name) {
            return self.dispatch(&self.empty_set, event, &self.idle_scope);
        }
        self.dispatch(&self.hooks(), event, PooledScope::acquire().scope())
    }

    /// Fires an event in a scope: the hooks of the runtime and then those of the scope's agent.
    ///
    /// The outcome is on the tape before it is returned. Where the tape cannot be written any more, guarded events are denied.
    #[must_use]
    pub fn fire_in(&self, event: &Event, scope: &EventScope) -> Outcome {
        self.dispatch(&scope.overlay.apply_to(self.hooks()), event, scope)
    }

    /// Whether any hook of the runtime or of the scope's agent listens to an event. Cheap: hosts ask it before they put
    /// together the payload of an event that few listen to.
    #[must_use]
    pub fn listens(&self, name: &EventName, scope: &EventScope) -> bool {
        if self.tape().is_some_and(|tape| tape.error_text().is_some()) && tape_gate::is_guarded(name) {
            return true;
        }
        let may_listen = self.registry.may_listen(name) || !scope.overlay.is_empty();
        may_listen && scope.overlay.apply_to(self.hooks()).has_hooks_for(name)
    }

    /// Whether any hook of the runtime or of the scope's agent can deny or rewrite an event. Nothing that it may take out
    /// should be read before the event was fired.
    #[must_use]
    pub fn may_change(&self, name: &EventName, scope: &EventScope) -> bool {
        !self.parts.is_shadow && self.listens(name, scope) && scope.overlay.apply_to(self.hooks()).may_change(name)
    }

    fn dispatch(&self, set: &HookSet, event: &Event, scope: &EventScope) -> Outcome {
        let parts = &self.parts;
        let _nested = NestingGuard::enter(scope.depth);
        let (journal, clock): (&dyn Journal, &dyn Clock) = match parts.journals.has_listeners() {
            true => (&parts.journals, &*parts.clock),
            false => (parts.journals.call_counter(), &FrozenClock),
        };
        let around = DispatchContext {
            journal,
            clock,
            effects: &self.effects(&event.origin, scope),
            approver: scope.approver.as_deref().unwrap_or(&*parts.approver),
            cancel: &scope.cancel,
            shadow: parts.is_shadow,
            cause: scope.cause,
        };
        // In shadow mode nothing is enforced, this neither; whoever follows the tape was told that it ended.
        if !parts.is_shadow
            && let Some(reason) = tape_gate::denial_reason(&parts.journals, event)
        {
            journal.record(&JournalEntry::Event { event, cause: scope.cause });
            let outcome = tape_gate::denied_outcome(event, reason);
            journal.record(&JournalEntry::Outcome { event, outcome: &outcome });
            return outcome;
        }
        let mut outcome = dispatch(set, event, &around);
        if !parts.is_shadow {
            tape_gate::deny_unrecorded(&parts.journals, event, &mut outcome);
        }
        outcome
    }

    /// The door through which a tool's script reaches the world.
    #[must_use]
    pub fn effects<'a>(&'a self, origin: &'a Arc<Origin>, scope: &'a EventScope) -> ScopedEffects<'a> {
        ScopedEffects { runtime: self, scope, origin }
    }

    /// The files that hold policy, which no tool of an agent may change.
    #[must_use]
    pub fn policy_files(&self) -> &PolicyFiles {
        &self.parts.policy_files
    }

    /// The folder whose files scripts of hooks read where no agent says another one.
    pub(crate) fn workspace(&self) -> Option<&Path> {
        self.parts.workspace.as_deref()
    }

    /// The hooks as they stand now.
    #[must_use]
    pub fn hooks(&self) -> Arc<HookSet> {
        self.registry.current_set()
    }

    /// The marks in per cent that hooks of `budget.threshold` wait for, those of the runtime and of the scope's agent.
    #[must_use]
    pub fn threshold_percents(&self, scope: &EventScope) -> Vec<f64> {
        let set = scope.overlay.apply_to(self.hooks());
        let listening = set.hooks().filter(|(_, hook)| hook.event.as_str() == "budget.threshold");
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
        let (chains, diagnostics) =
            pintle_loader::compile_chains(source, layer, declarations, &self.parts.handler_factory);
        self.parts.journals.enable_redaction(&chains);
        (chains, diagnostics)
    }

    /// Adds a hook while running. It goes behind all others and can only narrow what they allow.
    ///
    /// # Errors
    /// With everything that is wrong with it; then nothing was added.
    pub fn register(&self, declaration: &HookDeclaration) -> Result<(), Vec<Diagnostic>> {
        let chains = self.compile_or_reject(SOURCE, Layer::Runtime, std::slice::from_ref(declaration))?;
        self.add_chains(self.registry.next_number(), None, chains);
        Ok(())
    }

    /// Compiles declarations to chains, or gives everything that was found when one of them does not run.
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

    /// Puts chains in force. The tape knows them before they are asked.
    pub(crate) fn add_chains(&self, number: u64, kind: Option<SurfaceKind>, chains: Vec<Chain>) {
        self.registry.add_chains(number, kind, chains, |chains| {
            if let Some(tape) = self.tape() {
                tape.record_hooks(chains);
            }
        });
    }

    /// Compiles a tool's script.
    ///
    /// # Errors
    /// With everything that is wrong with it.
    pub fn compile_tool(&self, tool: &ToolSpec) -> Result<ScriptTool, Vec<Diagnostic>> {
        self.parts.handler_factory.compile_tool(tool)
    }

    /// Compiles a verify script.
    ///
    /// # Errors
    /// With everything that is wrong with it.
    pub fn compile_verifier(&self, owner: &str, script: &ScriptSource) -> Result<ScriptTool, Vec<Diagnostic>> {
        self.parts.handler_factory.compile_verifier(owner, script)
    }

    /// All counters and gauges, sorted by name. Where several configuration layers use one name, the highest has it alone
    /// and the others carry their layer, as in `calls (project)`.
    #[must_use]
    pub fn metrics(&self) -> Map<String, Value> {
        self.parts.run_state.metrics()
    }

    /// Whether hooks are asked and nothing is enforced.
    #[must_use]
    pub fn is_shadow(&self) -> bool {
        self.parts.is_shadow
    }

    /// The tape, when there is one.
    #[must_use]
    pub fn tape(&self) -> Option<&Arc<Tape>> {
        self.parts.journals.tape()
    }

    /// What takes secrets out of texts, when a hook that was compiled is there for that (`redact_secrets`). The tape is
    /// kept clean by it; a host does the same with what it shows. Watchers get every step as it is.
    #[must_use]
    pub fn redactor(&self) -> Option<&Arc<dyn Redactor>> {
        self.parts.journals.redactor()
    }

    /// The gate through which scripts and tools reach the network.
    #[must_use]
    pub fn http_gateway(&self) -> &HttpGateway {
        &self.parts.http_gateway
    }

    /// Who answers asks.
    #[must_use]
    pub fn approver(&self) -> &Arc<dyn Approver> {
        &self.parts.approver
    }

    /// Who asks language models for hooks, when somebody does.
    #[must_use]
    pub fn judge(&self) -> Option<&Arc<dyn Judge>> {
        self.parts.handler_factory.judge()
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &dyn Clock {
        &*self.parts.clock
    }

    /// The source of randomness.
    #[must_use]
    pub fn random(&self) -> &dyn RandomSource {
        &*self.parts.random
    }

    pub(crate) fn run_state(&self) -> &RunState {
        &self.parts.run_state
    }

    pub(crate) fn journals(&self) -> &JournalFanout {
        &self.parts.journals
    }
}

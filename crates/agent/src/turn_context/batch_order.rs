//! The calls of one answer on their way at once, and what of it stays in their order.
//!
//! A call passes its checks, runs its tool and has its result reviewed, while the other calls do the same. What others
//! can tell apart stays in the order of the calls: the records of its hooks, their effects, and questions to the user.
//! They are held back until the call's turn has come ([`CallTurn`]). Hooks that keep state have their turn before they
//! are called ([`BatchOrder::new`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard};
use pintle_host::HeldRecords;
use pintle_host::{ApprovalRequest, ApprovalResponse, Approver, EventKind};

use super::TurnContext;

/// The events before a tool.
const CHECKS: [EventKind; 5] = [
    EventKind::ToolTransform,
    EventKind::ToolGuard,
    EventKind::ToolPre,
    EventKind::PermissionAsk,
    EventKind::PermissionReply,
];
/// The events after a tool.
const REVIEWS: [EventKind; 2] = [EventKind::ToolResult, EventKind::ToolPost];

/// A part of a call's way that ends in the order of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPhase {
    /// The checks before the tool.
    Check,
    /// The start of the tool, if no tool starts before all checks have ended.
    Start,
    /// The events after the tool, which end once all checks have ended.
    Review,
}

/// The order of the calls of one batch.
#[derive(Debug)]
pub(crate) struct BatchOrder {
    checks_in_order: bool,
    reviews_in_order: bool,
    progress: Mutex<BatchProgress>,
    changed: Condvar,
}

/// How many calls there are, and how many have ended each phase.
#[derive(Debug, Default)]
struct BatchProgress {
    calls: usize,
    checked: usize,
    started: usize,
    reviewed: usize,
}

impl BatchProgress {
    /// Whether the turn of the call at this index has come in a phase.
    fn is_due(&self, phase: CallPhase, index: usize) -> bool {
        let is_all_checked = self.checked >= self.calls;
        match phase {
            CallPhase::Check => self.checked >= index,
            CallPhase::Start => is_all_checked && self.started >= index,
            CallPhase::Review => is_all_checked && self.reviewed >= index,
        }
    }
}

impl BatchOrder {
    /// The order of a number of calls. Hooks that keep state hear the calls one after another, as in AI Harness: with
    /// such hooks before a tool, all checks come first and then all tools. All other hooks hear the calls at once, as in
    /// docker-agent.
    pub(crate) fn new(turn: &TurnContext, calls: usize) -> Arc<Self> {
        let runtime = &turn.agent.shared.runtime;
        Arc::new(Self {
            checks_in_order: runtime.needs_order(&CHECKS, &turn.scope),
            reviews_in_order: runtime.needs_order(&REVIEWS, &turn.scope),
            progress: Mutex::new(BatchProgress { calls, ..BatchProgress::default() }),
            changed: Condvar::new(),
        })
    }

    /// Leaves out the calls from this index on.
    pub(crate) fn limit_to(&self, calls: usize) {
        self.lock().calls = calls;
        self.changed.notify_all();
    }

    /// Begins a phase of a call. It ends when the result is dropped.
    pub(crate) fn open(self: &Arc<Self>, phase: CallPhase, index: usize) -> OpenPhase {
        OpenPhase(self.position(phase, index))
    }

    /// The position of a call in a phase.
    pub(crate) fn position(self: &Arc<Self>, phase: CallPhase, index: usize) -> PhasePosition {
        PhasePosition { order: Arc::clone(self), phase, index }
    }

    /// Whether no tool starts before all checks have ended.
    pub(crate) fn checks_in_order(&self) -> bool {
        self.checks_in_order
    }

    fn is_in_order(&self, phase: CallPhase) -> bool {
        match phase {
            CallPhase::Check => self.checks_in_order,
            CallPhase::Start => true,
            CallPhase::Review => self.reviews_in_order,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BatchProgress> {
        self.progress.lock()
    }
}

/// A call in a phase.
#[derive(Debug, Clone)]
pub(crate) struct PhasePosition {
    order: Arc<BatchOrder>,
    phase: CallPhase,
    index: usize,
}

impl PhasePosition {
    /// Waits until the call's turn has come.
    fn wait(&self) {
        let is_early = |progress: &mut BatchProgress| !progress.is_due(self.phase, self.index);
        self.order.changed.wait_while(&mut self.order.lock(), is_early);
    }

    /// Whether the phase begins when the call's turn has come: because hooks keep state, or because it has come.
    fn starts_in_turn(&self) -> bool {
        self.order.is_in_order(self.phase) || self.order.lock().is_due(self.phase, self.index)
    }
}

/// A phase of a call that has not ended. Dropping it waits for the call's turn and ends it, even after a panic, because
/// later calls wait for it.
#[derive(Debug)]
pub(crate) struct OpenPhase(PhasePosition);

impl OpenPhase {
    /// Waits until the call's turn has come.
    pub(crate) fn wait(&self) {
        self.0.wait();
    }

    pub(crate) fn position(&self) -> &PhasePosition {
        &self.0
    }
}

impl Drop for OpenPhase {
    fn drop(&mut self) {
        self.wait();
        let mut progress = self.0.order.lock();
        match self.0.phase {
            CallPhase::Check => progress.checked += 1,
            CallPhase::Start => progress.started += 1,
            CallPhase::Review => progress.reviewed += 1,
        }
        drop(progress);
        self.0.order.changed.notify_all();
    }
}

/// The turn of a call in one phase. Until it has come, the records and effects of its hooks are held back.
#[derive(Debug)]
pub(crate) struct CallTurn {
    position: PhasePosition,
    has_come: AtomicBool,
    held: Arc<HeldRecords>,
}

impl CallTurn {
    /// Waits for the turn, then writes and applies what is held back.
    fn come(&self, turn: &TurnContext) {
        if self.has_come.swap(true, Ordering::AcqRel) {
            return;
        }
        self.position.wait();
        turn.agent.shared.runtime.release_records(&self.held);
    }

    pub(super) fn index(&self) -> usize {
        self.position.index
    }
}

impl TurnContext {
    /// The context of a call in a phase, for its hooks.
    pub(crate) fn in_phase(&self, position: &PhasePosition) -> Self {
        let starts_in_turn = position.starts_in_turn();
        if starts_in_turn {
            position.wait();
        }
        let call_turn = Arc::new(CallTurn {
            position: position.clone(),
            has_come: AtomicBool::new(starts_in_turn),
            held: Arc::default(),
        });
        let mut context = self.clone();
        if !starts_in_turn {
            context.scope.held = Some(Arc::clone(&call_turn.held));
            let approver = ApproverInTurn { turn: self.clone(), call_turn: Arc::clone(&call_turn) };
            context.scope.approver = Some(Arc::new(approver));
        }
        context.call_turn = Some(call_turn);
        context
    }

    /// Does something when it is the turn of this context's call, after the records that are held back until then.
    pub(crate) fn in_turn(&self, step: impl FnOnce(&Self) + Send + 'static) {
        let Some(held) = &self.scope.held else { return step(self) };
        let mut context = self.clone();
        context.scope.held = None;
        held.run_after(move || step(&context));
    }

    /// Waits until it is the turn of this context's call, in the order of the calls of its batch.
    pub(crate) fn await_turn(&self) {
        if let Some(call_turn) = &self.call_turn {
            call_turn.come(self);
        }
    }
}

/// Asks the user when the call's turn has come.
#[derive(Debug)]
struct ApproverInTurn {
    /// The context whose approver is asked.
    turn: TurnContext,
    call_turn: Arc<CallTurn>,
}

impl Approver for ApproverInTurn {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.call_turn.come(&self.turn);
        self.turn.approver().request_approval(question)
    }

    fn is_available(&self) -> bool {
        self.turn.approver().is_available()
    }
}

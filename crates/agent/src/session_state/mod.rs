//! What a session and its turns keep, as data: nothing here fires an event.

mod approval_queue;
mod background_tasks;
mod child_limiter;
mod context_notes;
mod delegation_bounds;
mod inbox;
mod meta_registry;
mod pending_work;
mod persona_registry;
mod sleeper;
mod started_agents;
mod transcript;
mod turn_output;

use std::sync::Arc;

use pintle::contract::{BudgetSpec, PriceSpec};

use crate::budget::{BudgetMeter, ThresholdQueue};
use crate::edits::EditQueue;

pub use inbox::Inbox;
pub use persona_registry::PausedPersona;
pub use sleeper::{RealSleeper, Sleeper};
pub use turn_output::TurnOutput;

pub(crate) use approval_queue::{ApprovalQueue, PendingApproval};
pub(crate) use background_tasks::{BackgroundTask, BackgroundTasks, DelegationResult, TaskInfo};
pub(crate) use child_limiter::ChildLimiter;
pub(crate) use context_notes::ContextNotes;
pub(crate) use delegation_bounds::DelegationBounds;
pub(crate) use meta_registry::MetaRegistry;
pub(crate) use pending_work::{PendingWork, WorkItem, WorkKind};
pub(crate) use persona_registry::PersonaRegistry;
pub(crate) use started_agents::StartedAgents;
pub(crate) use transcript::ConversationTranscript;

/// What a session keeps while it runs, for all of its agents.
pub(crate) struct SessionState {
    /// Tools, hooks and agents registered at run time; the first agent's limits apply to all of them.
    pub(crate) meta_registry: MetaRegistry,
    pub(crate) background: BackgroundTasks,
    /// Messages from the user that arrive while an agent runs.
    pub(crate) inbox: Inbox,
    /// Running tool calls and background tasks.
    pub(crate) pending_work: PendingWork,
    /// Changed files that hooks have not been notified of yet.
    pub(crate) edits: EditQueue,
    /// Approval requests that wait for the user.
    pub(crate) approvals: ApprovalQueue,
    pub(crate) personas: PersonaRegistry,
    /// Adds up the usage of all model calls of the session.
    pub(crate) meter: Arc<BudgetMeter>,
    /// Budget thresholds that hooks have not been notified of yet.
    pub(crate) threshold_queue: ThresholdQueue,
    /// Names of the agents whose `session.start` hooks have run.
    pub(crate) started_agents: StartedAgents,
}

impl SessionState {
    pub(crate) fn new(budget: BudgetSpec, prices: &[PriceSpec]) -> Self {
        Self {
            meta_registry: MetaRegistry::default(),
            background: BackgroundTasks::default(),
            inbox: Inbox::default(),
            pending_work: PendingWork::default(),
            edits: EditQueue::default(),
            approvals: ApprovalQueue::default(),
            personas: PersonaRegistry::default(),
            meter: Arc::new(BudgetMeter::new("session", budget, prices)),
            threshold_queue: ThresholdQueue::default(),
            started_agents: StartedAgents::default(),
        }
    }
}

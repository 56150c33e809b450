//! What a session and its turns keep, as data: nothing here fires an event.

mod approval_queue;
mod background_tasks;
mod child_limiter;
mod context_notes;
mod delegation_bounds;
mod inbox;
mod pending_work;
mod persona_registry;
mod sleeper;
mod turn_output;

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::contract::{BudgetSpec, PriceSpec};

use crate::budget::{BudgetMeter, ThresholdQueue};
use crate::edits::EditQueue;
use crate::model::ModelMessage;

pub use inbox::Inbox;
pub use persona_registry::PausedPersona;
pub use sleeper::{RealSleeper, Sleeper};
pub use turn_output::TurnOutput;

pub(crate) use approval_queue::{ApprovalQueue, PendingApproval};
pub(crate) use background_tasks::{BackgroundTask, BackgroundTasks, DelegationResult, TaskInfo};
pub(crate) use child_limiter::ChildLimiter;
pub(crate) use context_notes::ContextNotes;
pub(crate) use delegation_bounds::DelegationBounds;
pub(crate) use pending_work::{PendingWork, WorkItem, WorkKind};
pub(crate) use persona_registry::PersonaRegistry;

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

/// The tools, hooks and agents registered in a session.
#[derive(Debug, Default)]
pub(crate) struct MetaRegistry {
    pub(crate) tools: Mutex<BTreeSet<String>>,
    pub(crate) hooks: Mutex<BTreeSet<String>>,
    pub(crate) agents: Mutex<BTreeSet<String>>,
}

/// The names of the agents whose `session.start` hooks have run.
#[derive(Debug, Default)]
pub(crate) struct StartedAgents(Mutex<BTreeSet<String>>);

impl StartedAgents {
    /// Registers that an agent's hooks run.
    pub(crate) fn add(&self, agent: &str) {
        self.0.lock().insert(agent.to_owned());
    }

    /// Whether an agent's hooks have run.
    pub(crate) fn contains(&self, agent: &str) -> bool {
        self.0.lock().contains(agent)
    }

    /// Forgets all agents, because another session begins.
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }
}

/// A copy of the conversation of a turn.
#[derive(Debug, Default)]
pub(crate) struct ConversationTranscript(Mutex<Vec<ModelMessage>>);

impl ConversationTranscript {
    /// Replaces all messages.
    pub(crate) fn replace(&self, messages: &[ModelMessage]) {
        *self.0.lock() = messages.to_vec();
    }

    pub(crate) fn push(&self, message: &ModelMessage) {
        self.0.lock().push(message.clone());
    }

    /// The current messages.
    pub(crate) fn messages(&self) -> Vec<ModelMessage> {
        self.0.lock().clone()
    }
}

//! The state that all agents of a session share.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pintle::{BudgetSpec, CancelToken, EventCause, Host, MetaSpec, ModelSpec, Origin, PriceSpec, Runtime};
use serde_json::Value;

use super::TurnContext;
use super::agent::Agent;
use super::state::TurnState;
use crate::budget::{BudgetMeter, ThresholdQueue};
use crate::edits::EditQueue;
use crate::model::{Model, ModelError};
use crate::observer::{AgentEvent, Observer};
use crate::permission::PermissionChecker;
use crate::session_state::{
    ApprovalQueue, BackgroundTasks, Inbox, MetaRegistry, PendingWork, PersonaRegistry, Sleeper, StartedAgents,
    TurnOutput,
};
use crate::workspace::Workspace;

/// Opens the model of an agent whose declaration names its own model.
pub type ModelOpener = dyn Fn(&ModelSpec) -> Result<Arc<dyn Model>, ModelError> + Send + Sync;

/// Opens the host of a turn: of its agent, its origin and its state.
type OpenHost = fn(&Arc<Agent>, &Arc<Origin>, &Arc<TurnState>) -> Arc<dyn Host>;

/// What a turn needs from the parts that are built on it.
#[derive(Clone, Copy)]
pub(crate) struct SessionPorts {
    /// Opens the host that runs the effect requests of a turn's scripts.
    pub(crate) open_host: OpenHost,
    /// Gives a hook's request to another agent and returns its answer.
    pub(crate) redirect: fn(&TurnContext, &Value) -> Result<TurnOutput, String>,
}

/// The members of a team, each opened on first use.
pub(crate) trait TeamMembers: Send + Sync + Debug {
    /// The member as an agent that takes over the conversation, at the same depth.
    ///
    /// # Errors
    /// When the member does not exist or cannot be opened.
    fn as_successor(&self, agent: &Agent, name: &str) -> Result<Arc<Agent>, String>;

    /// The member as an agent that works on a task.
    ///
    /// # Errors
    /// When the member does not exist, cannot be opened, or already waits for this agent.
    fn as_child(&self, parent: &Agent, name: &str) -> Result<Arc<Agent>, String>;

    /// Closes the members. A member that is needed again is opened again.
    fn close(&self);
}

/// State shared by all agents of a session.
pub(crate) struct SessionContext {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) workspace: Workspace,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) cancel: CancelToken,
    /// What started the session.
    pub(crate) cause: EventCause,
    pub(crate) sleeper: Arc<dyn Sleeper>,
    pub(crate) open_model: Option<Box<ModelOpener>>,
    pub(crate) session: String,
    /// The absolute path of the session's tape; empty if the session is not recorded.
    pub(crate) transcript: String,
    /// Tools, hooks and agents registered at run time, counted against the first agent's limits.
    pub(crate) meta_registry: MetaRegistry,
    /// Whether and how agents may change themselves. The first agent's setting applies to the whole session.
    pub(crate) meta: MetaSpec,
    pub(crate) background: BackgroundTasks,
    /// The team that the first agent belongs to, if any.
    pub(crate) team: Option<Arc<dyn TeamMembers>>,
    /// What the parts above the turn provide.
    pub(crate) ports: SessionPorts,
    /// Messages from the user that arrive while an agent runs.
    pub(crate) inbox: Inbox,
    /// Decides which tool calls run without approval.
    pub(crate) permissions: PermissionChecker,
    /// Running tool calls and background tasks.
    pub(crate) pending_work: PendingWork,
    /// Changed files that hooks have not been notified of yet.
    pub(crate) edits: EditQueue,
    /// A random text that marks the host's own messages to models.
    nonce: OnceLock<String>,
    /// Approval requests that wait for the user.
    pub(crate) approvals: ApprovalQueue,
    pub(crate) personas: PersonaRegistry,
    /// Counts the usage of all model calls of the session.
    pub(crate) meter: Arc<BudgetMeter>,
    /// Budget thresholds that hooks have not been notified of yet.
    pub(crate) threshold_queue: ThresholdQueue,
    /// Names of the agents whose `session.start` hooks have run.
    pub(crate) started_agents: StartedAgents,
    name_counter: AtomicU64,
}

impl std::fmt::Debug for SessionContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionContext").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The parts of [`SessionContext`] that the builder chooses.
pub(crate) struct SessionConfig {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) workspace: Workspace,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) cancel: CancelToken,
    /// What started the session.
    pub(crate) cause: EventCause,
    pub(crate) sleeper: Arc<dyn Sleeper>,
    pub(crate) open_model: Option<Box<ModelOpener>>,
    pub(crate) session: String,
    pub(crate) meta: MetaSpec,
    pub(crate) permissions: PermissionChecker,
    pub(crate) team: Option<Arc<dyn TeamMembers>>,
    pub(crate) ports: SessionPorts,
    pub(crate) budget: BudgetSpec,
    pub(crate) prices: Vec<PriceSpec>,
}

impl SessionContext {
    pub(crate) fn new(choices: SessionConfig) -> Self {
        let SessionConfig {
            runtime,
            workspace,
            observer,
            cancel,
            cause,
            sleeper,
            open_model,
            session,
            meta,
            permissions,
            team,
            ports,
            budget,
            prices,
        } = choices;
        let tape = runtime.tape().and_then(|tape| std::path::absolute(tape.path()?).ok());
        Self {
            transcript: tape.map(|path| path.display().to_string()).unwrap_or_default(),
            runtime,
            workspace,
            observer,
            cancel,
            cause,
            sleeper,
            open_model,
            session,
            meta_registry: MetaRegistry::default(),
            meta,
            background: BackgroundTasks::default(),
            inbox: Inbox::default(),
            permissions,
            pending_work: PendingWork::default(),
            edits: EditQueue::default(),
            team,
            ports,
            nonce: OnceLock::new(),
            approvals: ApprovalQueue::default(),
            personas: PersonaRegistry::default(),
            meter: Arc::new(BudgetMeter::new("session", budget, &prices)),
            threshold_queue: ThresholdQueue::default(),
            started_agents: StartedAgents::default(),
            name_counter: AtomicU64::new(0),
        }
    }

    /// Stops what outlives a turn: background agents, tool servers and shell jobs.
    pub(crate) fn close(&self) {
        self.background.join();
        if let Some(team) = &self.team {
            team.close();
        }
    }

    /// A random text that marks the host's own messages, so that no text the model reads can imitate them.
    pub(crate) fn nonce(&self) -> &str {
        self.nonce.get_or_init(|| format!("{:016x}", self.runtime.random().next_bits()))
    }

    /// Shows the user a warning about an agent that is not running yet.
    pub(crate) fn show_warning(&self, agent: &str, warning: &str) {
        let origin = Origin { session: self.session.clone(), agent: agent.to_owned(), ..Origin::default() };
        self.observer.observe(&origin, &AgentEvent::Notice { message: &format!("agent `{agent}`: {warning}") });
    }

    /// Skips generated names up to this number, because a resumed session has used them.
    pub(crate) fn skip_names_up_to(&self, number: u64) {
        self.name_counter.fetch_max(number, Ordering::Relaxed);
    }

    /// A name that is unique in the session, such as `delegation_3`.
    pub(crate) fn unique_name(&self, kind: &str) -> String {
        format!("{kind}_{}", self.name_counter.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

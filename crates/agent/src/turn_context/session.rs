//! The state that all agents of a session share.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pintle_host::Host;
use pintle_host::contract::{EventCause, MetaSpec, ModelSpec};
use pintle_host::{CancelToken, Origin, Runtime};
use serde_json::Value;

use super::TurnContext;
use super::agent::Agent;
use super::state::TurnState;
use super::tool::ToolPlayer;
use crate::model::{Model, ModelError};
use crate::observer::{AgentEvent, Observer};
use crate::permission::PermissionChecker;
use crate::session_state::{SessionState, Sleeper, TurnOutput};
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
    /// Gives results of tools without running them, if the session is rehearsed.
    pub(crate) tool_player: Option<Arc<dyn ToolPlayer>>,
    pub(crate) open_model: Option<Box<ModelOpener>>,
    pub(crate) session: String,
    /// The absolute path of the session's tape; empty if the session is not recorded.
    pub(crate) transcript: String,
    /// Whether and how agents may change themselves. The first agent's setting applies to the whole session.
    pub(crate) meta: MetaSpec,
    /// Decides which tool calls run without approval.
    pub(crate) permissions: PermissionChecker,
    /// The team that the first agent belongs to, if any.
    pub(crate) team: Option<Arc<dyn TeamMembers>>,
    /// What the parts above the turn provide.
    pub(crate) ports: SessionPorts,
    /// What the session keeps while it runs.
    pub(crate) state: SessionState,
    pub(crate) names: GeneratedNames,
}

/// Names and marks that the session makes up.
#[derive(Debug, Default)]
pub(crate) struct GeneratedNames {
    /// A random text that marks the host's own messages to models.
    nonce: OnceLock<String>,
    count: AtomicU64,
}

impl std::fmt::Debug for SessionContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionContext").field("session", &self.session).finish_non_exhaustive()
    }
}

impl SessionContext {
    /// Stops what outlives a turn: background agents, tool servers and shell jobs.
    pub(crate) fn close(&self) {
        self.state.background.join();
        if let Some(team) = &self.team {
            team.close();
        }
    }

    /// A random text that marks the host's own messages, so that no text the model reads can imitate them.
    pub(crate) fn nonce(&self) -> &str {
        self.names.nonce.get_or_init(|| format!("{:016x}", self.runtime.random().next_bits()))
    }

    /// Shows the user a warning about an agent that is not running yet.
    pub(crate) fn show_warning(&self, agent: &str, warning: &str) {
        let origin = Origin { session: self.session.clone(), agent: agent.to_owned(), ..Origin::default() };
        self.observer.observe(&origin, &AgentEvent::Notice { message: &format!("agent `{agent}`: {warning}") });
    }

    /// Skips generated names up to this number, because a resumed session has used them.
    pub(crate) fn skip_names_up_to(&self, number: u64) {
        self.names.count.fetch_max(number, Ordering::Relaxed);
    }

    /// A name that is unique in the session, such as `delegation_3`.
    pub(crate) fn unique_name(&self, kind: &str) -> String {
        format!("{kind}_{}", self.names.count.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

//! The session builder.

use std::path::PathBuf;
use std::sync::Arc;

use pintle_host::contract::{AgentSpec, BudgetSpec, EventCause, PermissionMode, PermissionsSpec, PriceSpec, TeamSpec};
use pintle_host::tape::TapeSource;
use pintle_host::{CancelToken, Runtime};
use serde_json::Value;

use super::restore::{self, RestoredSession};
use super::{Session, SessionBuildError};
use crate::delegation;
use crate::host::AgentHost;
use crate::model::Model;
use crate::observer::{NoObserver, Observer};
use crate::permission::PermissionChecker;
use crate::session_state::{RealSleeper, SessionState, Sleeper};
use crate::team::Team;
use crate::turn_context::{GeneratedNames, ModelOpener, SessionContext, SessionPorts, TeamMembers, Tool, ToolPlayer};
use crate::workspace::Workspace;

/// Configures and builds a [`Session`].
pub struct SessionBuilder {
    runtime: Arc<Runtime>,
    agent: Arc<AgentSpec>,
    model: Arc<dyn Model>,
    workspace: PathBuf,
    read_only: Vec<PathBuf>,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
    cause: EventCause,
    sleeper: Arc<dyn Sleeper>,
    tool_player: Option<Arc<dyn ToolPlayer>>,
    open_model: Option<Box<ModelOpener>>,
    name: Option<String>,
    tools: Vec<Arc<dyn Tool>>,
    team: Option<TeamSpec>,
    permissions: Option<PermissionsSpec>,
    mode: Option<PermissionMode>,
    budget: BudgetSpec,
    prices: Vec<PriceSpec>,
    reopen_data: Value,
    resume: Option<TapeSource>,
    should_forget_grants: bool,
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder").field("agent", &self.agent.name).finish_non_exhaustive()
    }
}

impl Session {
    /// Starts a builder for a session of this agent with this model, under the runtime's hooks. Sessions that are given the
    /// same `Arc` of an agent share its compiled hooks.
    pub fn builder(runtime: Arc<Runtime>, agent: impl Into<Arc<AgentSpec>>, model: Arc<dyn Model>) -> SessionBuilder {
        SessionBuilder {
            runtime,
            agent: agent.into(),
            model,
            workspace: PathBuf::from("."),
            read_only: Vec::new(),
            observer: Arc::new(NoObserver),
            cancel: CancelToken::default(),
            cause: EventCause::default(),
            sleeper: Arc::new(RealSleeper),
            tool_player: None,
            open_model: None,
            name: None,
            tools: Vec::new(),
            team: None,
            permissions: None,
            mode: None,
            budget: BudgetSpec::default(),
            prices: Vec::new(),
            reopen_data: Value::Null,
            resume: None,
            should_forget_grants: false,
        }
    }
}

impl SessionBuilder {
    /// The directory the agent works in and cannot leave. Default: the current directory.
    #[must_use]
    pub fn workspace(mut self, dir: impl Into<PathBuf>) -> Self {
        self.workspace = dir.into();
        self
    }

    /// Paths that tools may read but not change, such as a tape inside the workspace. The files that the runtime's
    /// hooks were read from or refer to are always read-only, and so are directories with configuration or tapes, such
    /// as `.harness` and `.pintle`.
    #[must_use]
    pub fn read_only(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.read_only.extend(paths);
        self
    }

    /// The observer of what the agent does. Default: none.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// The cancellation token of the session. Default: a new one, see [`Session::cancel`].
    #[must_use]
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// What starts the session. A hook that runs a session of its own passes the cause of its call
    /// (`event.scope().cause`), so that the limit of nested events applies. Default: the host.
    #[must_use]
    pub fn cause(mut self, cause: EventCause) -> Self {
        self.cause = cause;
        self
    }

    /// How the session waits between retries. Default: real time.
    #[must_use]
    pub fn sleeper(mut self, sleeper: Arc<dyn Sleeper>) -> Self {
        self.sleeper = sleeper;
        self
    }

    /// Gives results of tools without running them. Default: every tool runs.
    #[must_use]
    pub(crate) fn play_tools(mut self, player: Arc<dyn ToolPlayer>) -> Self {
        self.tool_player = Some(player);
        self
    }

    /// Opens the models that delegated agents declare. Default: they use this session's model.
    #[must_use]
    pub fn open_model(mut self, open: Box<ModelOpener>) -> Self {
        self.open_model = Some(open);
        self
    }

    /// The session's id on the tape. Default: a random one.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a tool made in code. A declared tool of the agent with the same name replaces it.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// The team that the agent belongs to, with the agents it can call and its permissions. Default: none.
    #[must_use]
    pub fn team(mut self, team: TeamSpec) -> Self {
        self.team = Some(team);
        self
    }

    /// The permission rules. Default: those that the team declares; without any declaration every call runs that no
    /// hook denies or asks about.
    #[must_use]
    pub fn permissions(mut self, permissions: PermissionsSpec) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// What happens to calls without a permission rule. Default: what the agent declares, then the team.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// The data the program needs to open the session again: an object that is stored on the tape and returned by
    /// [`SessionSummary`]. Default: null.
    ///
    /// [`SessionSummary`]: crate::SessionSummary
    #[must_use]
    pub fn reopen_data(mut self, opened: Value) -> Self {
        self.reopen_data = opened;
        self
    }

    /// Resumes the session on this tape, with the same agent. The runtime's tape should be the same one, opened with
    /// [`Tape::append_to`](pintle_host::tape::Tape::append_to), so that the session continues on it.
    #[must_use]
    pub fn resume(mut self, tape: impl Into<TapeSource>) -> Self {
        self.resume = Some(tape.into());
        self
    }

    /// Ignores the user's approvals on the tape, because the tape may not be trustworthy.
    #[must_use]
    pub fn without_grants(mut self) -> Self {
        self.should_forget_grants = true;
        self
    }

    /// The budget for all model calls of the session, including those of delegated agents; limiting cost requires
    /// `prices`. Default: no limit.
    #[must_use]
    pub fn budget(mut self, budget: BudgetSpec, prices: impl IntoIterator<Item = PriceSpec>) -> Self {
        self.budget = budget;
        self.prices.extend(prices);
        self
    }

    /// Compiles the agent's tools and hooks. No event is fired yet.
    ///
    /// # Errors
    /// When the workspace cannot be opened, or a tool, hook or policy of the agent is not valid; when the
    /// session to resume does not exist, or the agent that answered last in it no longer exists.
    pub fn build(self) -> Result<Session, SessionBuildError> {
        let unresumable = |reason| SessionBuildError::Resume { reason };
        let unusable = |reason| SessionBuildError::Agent { reason };
        let policy = Arc::clone(self.runtime.policy_files());
        let workspace = Workspace::open(&self.workspace)?.with_policy(policy, self.read_only);
        // A team member without a team forms a team of one.
        let alone = || TeamSpec { agents: vec![Arc::clone(&self.agent)], ..TeamSpec::default() };
        let team = self.team.or_else(|| self.agent.member.is_some().then(alone));
        let rules = self.permissions.as_ref().or_else(|| team.as_ref().map(|team| &team.permissions));
        let permissions = PermissionChecker::new(rules, self.mode.or(self.agent.permission_mode))
            .map_err(|reason| SessionBuildError::Permissions { reason })?;
        let past = match (&self.name, &self.resume) {
            (None, Some(tape)) => restore::find_session(tape).map_err(unresumable)?,
            _ => None,
        };
        let session =
            self.name.or(past).unwrap_or_else(|| format!("session-{:016x}", self.runtime.random().next_bits()));
        let mut restored =
            self.resume.map(|tape| RestoredSession::from_tape(&tape, &session)).transpose().map_err(unresumable)?;
        if let Some(restored) = restored.as_mut().filter(|_| self.should_forget_grants) {
            restored.forget_grants();
        }
        // The rules are compiled.
        let team = team.map(|team| TeamSpec { permissions: PermissionsSpec::default(), ..team });
        let team = team.map(|team| Arc::new(Team::new(team)));
        let tape = self.runtime.tape().and_then(|tape| std::path::absolute(tape.path()?).ok());
        let shared = Arc::new(SessionContext {
            transcript: tape.map(|path| path.display().to_string()).unwrap_or_default(),
            runtime: self.runtime,
            workspace,
            observer: self.observer,
            cancel: self.cancel,
            cause: self.cause,
            sleeper: self.sleeper,
            tool_player: self.tool_player,
            open_model: self.open_model,
            session,
            meta: self.agent.meta,
            permissions,
            team: team.clone().map(|team| team as Arc<dyn TeamMembers>),
            ports: SessionPorts { open_host: AgentHost::open, redirect: delegation::redirect },
            state: SessionState::new(self.budget, &self.prices),
            names: GeneratedNames::default(),
        });
        let agent = match team.filter(|_| self.agent.member.is_some()) {
            Some(team) => team.open_first(&shared, &self.agent, self.model, self.tools).map_err(unusable)?,
            None => delegation::new_root(shared, self.agent, self.model, self.tools).map_err(unusable)?,
        };
        let session = Session::new(agent, self.reopen_data);
        match restored {
            Some(restored) => session.with_restored(restored).map_err(unresumable),
            None => Ok(session),
        }
    }
}

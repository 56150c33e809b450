//! Putting a session together.

use std::path::PathBuf;
use std::sync::Arc;

use pintle::tape::LoadedTape;
use pintle::{AgentSpec, BudgetSpec, CancelToken, PermissionMode, PermissionsSpec, PriceSpec, Runtime, TeamSpec};
use serde_json::Value;

use super::restore::{self, RestoredSession};
use super::{RealSleeper, Session, Sleeper};
use crate::agent::{Agent, ModelOpener, SessionConfig, SessionContext};
use crate::model::Model;
use crate::observer::{NoObserver, Observer};
use crate::permission::PermissionChecker;
use crate::tools::Tool;
use crate::workspace::Workspace;

/// What a session is to be made of.
pub struct SessionBuilder {
    runtime: Arc<Runtime>,
    agent: AgentSpec,
    model: Arc<dyn Model>,
    workspace: PathBuf,
    read_only: Vec<PathBuf>,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
    sleeper: Arc<dyn Sleeper>,
    open_model: Option<Box<ModelOpener>>,
    name: Option<String>,
    tools: Vec<Arc<dyn Tool>>,
    team: Option<TeamSpec>,
    permissions: Option<PermissionsSpec>,
    mode: Option<PermissionMode>,
    budget: BudgetSpec,
    prices: Vec<PriceSpec>,
    reopen_data: Value,
    resume: Option<LoadedTape>,
    should_forget_grants: bool,
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder").field("agent", &self.agent.name).finish_non_exhaustive()
    }
}

impl Session {
    /// Begins to put a session together: this agent with this model, under the runtime's hooks.
    pub fn builder(runtime: Arc<Runtime>, agent: AgentSpec, model: Arc<dyn Model>) -> SessionBuilder {
        SessionBuilder {
            runtime,
            agent,
            model,
            workspace: PathBuf::from("."),
            read_only: Vec::new(),
            observer: Arc::new(NoObserver),
            cancel: CancelToken::default(),
            sleeper: Arc::new(RealSleeper),
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
    /// The folder the agent works in, and cannot leave. Default: the current one.
    #[must_use]
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = folder.into();
        self
    }

    /// Paths that tools may read and not change, such as a tape that lies in the workspace. The files that the runtime's hooks
    /// were read from and those that they name are so without a word, as is what has the name of policy or records, such as
    /// `.harness` and `.pintle`.
    #[must_use]
    pub fn read_only(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.read_only.extend(paths);
        self
    }

    /// Who is told of what the agent does. Default: nobody.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// The flag that stops the session. Default: one of its own, see [`Session::cancel`].
    #[must_use]
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// How the waits between retries pass. Default: really.
    #[must_use]
    pub fn sleeper(mut self, sleeper: Arc<dyn Sleeper>) -> Self {
        self.sleeper = sleeper;
        self
    }

    /// How the models of delegated agents are opened that declare one. Default: they use this session's model.
    #[must_use]
    pub fn open_model(mut self, open: Box<ModelOpener>) -> Self {
        self.open_model = Some(open);
        self
    }

    /// The session's name on the tape. Default: a random one.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a tool made in code. The agent's own tool of the same name takes its place.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// The team that the agent is of: whom it can call, and what may run without a question. Default: none.
    #[must_use]
    pub fn team(mut self, team: TeamSpec) -> Self {
        self.team = Some(team);
        self
    }

    /// What may run without a question. Default: what the team declares; without any declaration everything runs that no
    /// hook speaks against, and nobody is asked.
    #[must_use]
    pub fn permissions(mut self, permissions: PermissionsSpec) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// What happens to a call that no permission rule names. Default: what the agent declares, then the team.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// What the program needs to open the session again: an object of its own, which the tape keeps and [`SessionSummary`] gives
    /// back. Default: null.
    ///
    /// [`SessionSummary`]: crate::Past
    #[must_use]
    pub fn reopen_data(mut self, opened: Value) -> Self {
        self.reopen_data = opened;
        self
    }

    /// Takes up the session that a tape tells of, with the same agent. The runtime's tape should be the one that was read,
    /// opened with [`Tape::append_to`](pintle::tape::Tape::append_to), so that the session goes on in it.
    #[must_use]
    pub fn resume(mut self, reading: LoadedTape) -> Self {
        self.resume = Some(reading);
        self
    }

    /// Takes no permission over that the tape says a person gave: it may be somebody else's tape.
    #[must_use]
    pub fn without_grants(mut self) -> Self {
        self.should_forget_grants = true;
        self
    }

    /// What all model calls of the session may use up, those of delegated agents included; `prices` are needed to bound
    /// money. Default: no bound.
    #[must_use]
    pub fn budget(mut self, budget: BudgetSpec, prices: impl IntoIterator<Item = PriceSpec>) -> Self {
        self.budget = budget;
        self.prices.extend(prices);
        self
    }

    /// Compiles the agent's tools and hooks. Nothing has been fired yet.
    ///
    /// # Errors
    /// When the workspace cannot be opened, or a tool, hook or policy of the agent is not valid; when there is no session
    /// to take up, or the agent that spoke last in it is gone.
    pub fn build(self) -> Result<Session, String> {
        let policy = self.runtime.policy_files().clone().with_paths(self.read_only);
        let workspace = Workspace::open(&self.workspace)?.with_policy(policy);
        // A member that was given no team is one alone.
        let alone = || TeamSpec { agents: vec![Arc::new(self.agent.clone())], ..TeamSpec::default() };
        let team = self.team.or_else(|| self.agent.member.is_some().then(alone));
        let rules = self.permissions.as_ref().or_else(|| team.as_ref().map(|team| &team.permissions));
        let declared = self.agent.member.as_ref().map_or(self.agent.permission_mode, |member| member.permission_mode);
        let permissions = PermissionChecker::new(rules, self.mode.or(declared))?;
        let past = self.resume.as_ref().and_then(restore::find_session).map(|session| session.origin.session.clone());
        let session =
            self.name.or(past).unwrap_or_else(|| format!("session-{:016x}", self.runtime.random().next_bits()));
        let mut restored = self.resume.map(|reading| RestoredSession::from_tape(&reading, &session)).transpose()?;
        if let Some(restored) = restored.as_mut().filter(|_| self.should_forget_grants) {
            restored.forget_grants();
        }
        let shared = SessionContext::new(SessionConfig {
            runtime: self.runtime,
            workspace,
            observer: self.observer,
            cancel: self.cancel,
            sleeper: self.sleeper,
            open_model: self.open_model,
            session,
            meta: self.agent.meta,
            permissions,
            team,
            budget: self.budget,
            prices: self.prices,
        });
        let session =
            Session::new(Agent::new_root(Arc::new(shared), self.agent, self.model, self.tools)?, self.reopen_data);
        match restored {
            Some(restored) => session.with_restored(restored),
            None => Ok(session),
        }
    }
}

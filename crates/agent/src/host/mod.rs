//! What scripts ask of the agent behind them: programs, files, tools, and the agent itself.

mod exec;
mod facts;
mod fs;

use std::sync::Arc;

use pintle::{Caller, Host, Origin, Reply, Request, Scope, SeamError};

use crate::agent::Agent;
use crate::meta;
use crate::turn::{Turn, TurnState};

/// The agent behind the scripts of one turn.
#[derive(Debug)]
pub(crate) struct AgentHost {
    agent: Arc<Agent>,
    origin: Arc<Origin>,
    state: Arc<TurnState>,
    /// How many `meta.call_tool` the script stands in.
    call_depth: u32,
}

impl AgentHost {
    pub(crate) fn new(agent: Arc<Agent>, origin: Arc<Origin>, state: Arc<TurnState>) -> Self {
        Self { agent, origin, state, call_depth: 0 }
    }

    /// The turn as it stands for what a script causes, one event deeper.
    fn turn(&self, scope: &Scope) -> Result<Turn, SeamError> {
        Ok(Turn {
            agent: Arc::clone(&self.agent),
            origin: Arc::clone(&self.origin),
            scope: scope.deeper()?,
            state: Arc::clone(&self.state),
        })
    }

    /// The same, with a host that knows it stands in one more `meta.call_tool`.
    fn nested(&self, scope: &Scope) -> Result<Turn, SeamError> {
        let mut turn = self.turn(scope)?;
        turn.scope.host = Some(Arc::new(Self {
            agent: Arc::clone(&self.agent),
            origin: Arc::clone(&self.origin),
            state: Arc::clone(&self.state),
            call_depth: self.call_depth + 1,
        }));
        Ok(turn)
    }
}

impl Host for AgentHost {
    fn perform(&self, _caller: Caller<'_>, request: Request, scope: &Scope) -> Result<Reply, SeamError> {
        let workspace = &self.agent.shared.workspace;
        let reply = match request {
            Request::Exec { program, arguments, timeout_ms, directory } => {
                let asked = exec::Asked { program, arguments, timeout_ms, directory };
                exec::run(workspace, asked, &scope.cancel).map(Reply::Value)
            }
            Request::Fs { function, arguments } => fs::perform(workspace, &function, &arguments),
            Request::Host { fact, key } => Ok(Reply::Value(facts::tell(workspace, &fact, key.as_deref()))),
            Request::CallTool { name, arguments } => {
                meta::call_tool(&self.nested(scope)?, &name, arguments, self.call_depth).map(Reply::Value)
            }
            Request::Meta { function, arguments } => {
                meta::perform(&self.turn(scope)?, &function, &arguments, self.call_depth).map(Reply::Value)
            }
            _ => Err(String::from("the agent cannot do that")),
        };
        reply.map_err(SeamError)
    }
}

//! What scripts ask of the agent behind them: programs, files, tools, and the agent itself.

mod environment;
mod exec;
mod fs;
mod session;

use std::sync::Arc;

use pintle::event::{EventPayload, FileEdited};
use pintle::script::DONE_KEY;
use pintle::{
    EffectCaller, EffectError, EffectReply, EffectRequest, EventName, EventScope, Host, Origin, Outcome, jail,
};

use serde_json::Value;

use crate::agent::Agent;
use crate::edits::{EditAuthor, TrackedFiles};
use crate::meta;
use crate::persona::StepContext;
use crate::turn_context::{TurnContext, TurnState};

/// The agent behind the scripts of one turn.
#[derive(Debug)]
pub(crate) struct AgentHost {
    agent: Arc<Agent>,
    origin: Arc<Origin>,
    state: Arc<TurnState>,
    /// The step at work, when one is.
    step_context: Option<Arc<StepContext>>,
    /// How many `meta.call_tool` the script stands in.
    call_depth: u32,
}

impl AgentHost {
    pub(crate) fn new(agent: Arc<Agent>, origin: Arc<Origin>, state: Arc<TurnState>) -> Self {
        let work = state.step_context.clone();
        Self { agent, origin, state, step_context: work, call_depth: 0 }
    }

    /// The turn as it stands for what a script causes, one event deeper.
    ///
    /// What a hook causes belongs to no step: the one at work is suspended while its hooks are asked (Harn behaviour,
    /// section 1.3). What a tool causes belongs to the step that uses it.
    fn caller_turn(&self, caller: EffectCaller<'_>, scope: &EventScope) -> Result<TurnContext, EffectError> {
        let mut turn = TurnContext {
            agent: Arc::clone(&self.agent),
            origin: Arc::clone(&self.origin),
            scope: scope.nested()?,
            state: Arc::clone(&self.state),
            step_context: self.step_context.clone(),
        };
        if caller.is_hook() && turn.step_context.take().is_some() {
            let outside = Origin { persona: String::new(), step: String::new(), ..Origin::clone(&self.origin) };
            turn.origin = Arc::new(outside);
        }
        Ok(turn)
    }

    /// The same, with a host that knows it stands in one more `meta.call_tool`.
    fn nested_turn(&self, caller: EffectCaller<'_>, scope: &EventScope) -> Result<TurnContext, EffectError> {
        let mut turn = self.caller_turn(caller, scope)?;
        turn.scope.host = Some(Arc::new(Self {
            agent: Arc::clone(&self.agent),
            origin: Arc::clone(&turn.origin),
            state: Arc::clone(&self.state),
            step_context: turn.step_context.clone(),
            call_depth: self.call_depth + 1,
        }));
        Ok(turn)
    }
}

impl Host for AgentHost {
    fn apply_outcome(&self, caller: EffectCaller<'_>, event: &EventName, outcome: &Outcome, scope: &EventScope) {
        if let Ok(turn) = self.caller_turn(caller, scope) {
            turn.take_effects(event, outcome);
        }
    }

    fn context_value(&self, key: &str) -> Option<Value> {
        (key == DONE_KEY).then(|| self.state.done_flag()).flatten()
    }

    fn perform(
        &self,
        caller: EffectCaller<'_>,
        request: EffectRequest,
        scope: &EventScope,
    ) -> Result<EffectReply, EffectError> {
        let workspace = &self.agent.shared.workspace;
        let reply = match request {
            request if caller.is_hook() && !is_allowed_for_hook(&request) => {
                Err(String::from("hooks deliberately have no such thing"))
            }
            EffectRequest::Exec { program, arguments, timeout_ms, directory } => {
                let asked = exec::ExecRequest { program, arguments, timeout_ms, directory };
                exec::run(workspace, asked, &scope.cancel).map(EffectReply::Value)
            }
            EffectRequest::Fs { function, arguments } if caller.is_hook() => {
                jail::answer_fs(workspace, &function, &arguments, jail::MAX_HOOK_FILE_BYTES, &scope.cancel)
            }
            EffectRequest::Fs { function, arguments } => {
                let is_told = self.agent.shared.runtime.listens(&EventName::from_def(FileEdited::def()), scope);
                let by = EditAuthor { run: &self.origin.run, tool: caller.name, call_id: None };
                let told = is_told.then_some((&self.agent.shared.edits, by));
                fs::perform(&TrackedFiles { workspace, edit_sink: told }, &function, &arguments, &scope.cancel)
            }
            EffectRequest::Host { fact, key } => {
                Ok(EffectReply::Value(environment::lookup(workspace, &fact, key.as_deref())))
            }
            EffectRequest::CallTool { name, arguments } => {
                meta::call_tool(&self.nested_turn(caller, scope)?, caller, &name, arguments, self.call_depth)
                    .map(EffectReply::Value)
            }
            EffectRequest::Meta { function, arguments } => {
                meta::perform(&self.caller_turn(caller, scope)?, &function, &arguments, self.call_depth)
                    .map(EffectReply::Value)
            }
            EffectRequest::Session { function, arguments } => {
                session::perform(&self.caller_turn(caller, scope)?, &function, &arguments)
            }
            _ => Err(String::from("the agent cannot do that")),
        };
        reply.map_err(EffectError)
    }
}

/// Whether a hook may ask for something. Its script is not compiled where it says otherwise; this holds whatever a script
/// comes to.
fn is_allowed_for_hook(request: &EffectRequest) -> bool {
    match request {
        EffectRequest::Exec { .. } | EffectRequest::Host { .. } => false,
        EffectRequest::Fs { .. } => request.reads_files(),
        _ => true,
    }
}

//! Runs the effect requests of scripts: programs, files, tools and functions of the session.

mod environment;
mod exec;
mod fs;
mod session;

use std::sync::Arc;

use pintle_host::Host;
use pintle_host::contract::{EffectCaller, EffectError, EffectReply, EffectRequest};
use pintle_host::jail;
use pintle_host::script::DONE_KEY;
use pintle_host::{EventKind, EventName, EventScope, Origin, Outcome};

use serde_json::Value;

use crate::edits::{EditAuthor, TrackedFiles};
use crate::meta;
use crate::turn_context::{Agent, StepContext, TurnContext, TurnState};

/// Runs the effect requests of the scripts of one turn.
#[derive(Debug)]
pub(crate) struct AgentHost {
    agent: Arc<Agent>,
    origin: Arc<Origin>,
    state: Arc<TurnState>,
    /// The running step, if any.
    step_context: Option<Arc<StepContext>>,
    /// The current nesting depth of `meta.call_tool`.
    call_depth: u32,
}

impl AgentHost {
    /// Opens the host of a turn.
    pub(crate) fn open(agent: &Arc<Agent>, origin: &Arc<Origin>, state: &Arc<TurnState>) -> Arc<dyn Host> {
        Arc::new(Self {
            agent: Arc::clone(agent),
            origin: Arc::clone(origin),
            state: Arc::clone(state),
            step_context: state.step_context.clone(),
            call_depth: 0,
        })
    }

    /// The turn context for what a script causes, one event deeper.
    ///
    /// What a hook causes does not belong to a step, because the running step is suspended while its hooks run. What a
    /// tool causes belongs to the step that uses the tool.
    fn caller_turn(&self, caller: EffectCaller<'_>, scope: &EventScope) -> Result<TurnContext, EffectError> {
        let mut turn = TurnContext {
            agent: Arc::clone(&self.agent),
            origin: Arc::clone(&self.origin),
            // What a tool or an agent does is on the tape before it happens.
            scope: EventScope { held: None, ..scope.nested()? },
            state: Arc::clone(&self.state),
            step_context: self.step_context.clone(),
            call_turn: None,
        };
        if caller.is_hook() && turn.step_context.take().is_some() {
            let outside = Origin { persona: String::new(), step: String::new(), ..Origin::clone(&self.origin) };
            turn.origin = Arc::new(outside);
        }
        Ok(turn)
    }

    /// The same context, with the nesting depth of `meta.call_tool` increased by one.
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
            turn.take_effects(event.kind(), outcome);
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
                Err(String::from("this function is not available to hooks"))
            }
            EffectRequest::Exec { program, arguments, timeout_ms, directory } => {
                let asked = exec::ExecRequest { program, arguments, timeout_ms, directory };
                exec::run(workspace, asked, &scope.cancel).map(EffectReply::Value)
            }
            EffectRequest::Fs { function, arguments } if caller.is_hook() => {
                jail::answer_fs(workspace, &function, &arguments, jail::MAX_HOOK_FILE_BYTES, &scope.cancel)
                    .map_err(|error| error.to_string())
            }
            EffectRequest::Fs { function, arguments } => {
                let is_told = self.agent.shared.runtime.listens(&EventKind::FileEdited.into(), scope);
                let by = EditAuthor { run: &self.origin.run, tool: caller.name, call_id: None };
                let told = is_told.then_some((&self.agent.shared.state.edits, by));
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
            _ => Err(String::from("the agent does not support this function")),
        };
        reply.map_err(EffectError)
    }
}

/// Whether a hook may make this effect request. A script that says otherwise does not compile; this check applies in
/// any case.
fn is_allowed_for_hook(request: &EffectRequest) -> bool {
    match request {
        EffectRequest::Exec { .. } | EffectRequest::Host { .. } => false,
        EffectRequest::Fs { .. } => request.reads_files(),
        _ => true,
    }
}

//! The context of one turn of one agent.
//!
//! A turn consists of its agent and origin (who acts), its scope (what its hooks see) and its state. The files of this
//! module are the types that every other part of the agent works on. They import nothing from the parts above: what
//! these provide is behind [`SessionPorts`] and [`Tool`].

mod agent;
mod batch_order;
mod policy;
mod session;
mod state;
mod step;
mod tool;
mod tool_error;
mod toolbox;

use std::borrow::Cow;
use std::sync::Arc;

use pintle_host::contract::{HookId, LoopRules, ModelSpec};
use pintle_host::event::EventPayload;
use pintle_host::tape::record::host::{HostRecord, ReminderRecord};
use pintle_host::tools::{ToolVocabulary, own_vocabulary, vocabulary_by_name};
use pintle_host::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Effect, Event, EventKind, EventScope, Origin, Outcome,
    Reminder,
};
use pintle_host::{LogBuffer, ScratchValues, ScriptLogLine};
use serde_json::Value;

use crate::model::{Model, ModelTool};
use crate::observer::AgentEvent;
use crate::reminders::{ConversationReminders, ReminderQueue, TransitionLog};

use batch_order::CallTurn;

pub use session::ModelOpener;
pub(crate) use tool::ToolPlayer;
pub use tool::{Tool, ToolContext};
pub use tool_error::ToolError;

pub(crate) use agent::{Agent, AgentParts};
pub(crate) use batch_order::{BatchOrder, CallPhase};
pub(crate) use policy::ToolPolicies;
pub(crate) use session::{GeneratedNames, SessionContext, SessionPorts, TeamMembers};
pub(crate) use state::TurnState;
pub(crate) use step::{ActivePersona, MeterCharge, StepContext};
pub(crate) use toolbox::{Toolbox, alternate_name};

/// The context of one turn of one agent: the agent, its origin, and what its hooks see.
#[derive(Debug, Clone)]
pub(crate) struct TurnContext {
    pub(crate) agent: Arc<Agent>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) scope: EventScope,
    pub(crate) state: Arc<TurnState>,
    /// The running step, if any.
    pub(crate) step_context: Option<Arc<StepContext>>,
    /// The turn of the tool call that it belongs to, among the calls of its batch.
    pub(crate) call_turn: Option<Arc<CallTurn>>,
}

impl TurnContext {
    /// Creates the context of a turn, with its own log lines. Cancelling `cancel` stops the turn and everything it
    /// started.
    pub(crate) fn new(
        agent: &Arc<Agent>,
        number: u32,
        scratch: Arc<ScratchValues>,
        cancel: CancelToken,
        state: TurnState,
    ) -> Self {
        let shared = &agent.shared;
        let origin = Arc::new(Origin {
            session: shared.session.clone(),
            turn: number,
            agent: agent.spec.name.clone(),
            depth: agent.depth,
            run: state.delegation.clone().unwrap_or_default(),
            persona: state.step_context.as_ref().map(|work| work.persona_name().to_owned()).unwrap_or_default(),
            step: state.step_context.as_ref().map(|work| work.step_name().to_owned()).unwrap_or_default(),
            deny_continues: false,
            cwd: shared.workspace.root().display().to_string(),
            transcript: shared.transcript.clone(),
            sent: None,
        });
        let state = Arc::new(state);
        let host = (shared.ports.open_host)(agent, &origin, &state);
        let scope = EventScope {
            overlay: Arc::clone(&agent.overlay),
            host: Some(host),
            cancel,
            logs: Arc::new(LogBuffer::default()),
            scratch,
            cause: shared.cause,
            ..EventScope::default()
        };
        let work = state.step_context.clone();
        Self { agent: Arc::clone(agent), origin, scope, state, step_context: work, call_turn: None }
    }

    /// The context for another agent that takes over the turn, with the conversation's context from hooks.
    pub(crate) fn with_agent(&self, agent: &Arc<Agent>) -> Self {
        let origin = Arc::new(Origin { agent: agent.spec.name.clone(), ..Origin::clone(&self.origin) });
        let host = (agent.shared.ports.open_host)(agent, &origin, &self.state);
        let scope = EventScope { overlay: Arc::clone(&agent.overlay), host: Some(host), ..self.scope.clone() };
        Self {
            agent: Arc::clone(agent),
            origin,
            scope,
            state: Arc::clone(&self.state),
            step_context: self.step_context.clone(),
            call_turn: None,
        }
    }

    /// The context with a child token that can stop a part of its work.
    pub(crate) fn child(&self) -> Self {
        let mut part = self.clone();
        part.scope.cancel = self.scope.cancel.child_token();
        part
    }

    /// The approver, which asks the user.
    pub(crate) fn approver(&self) -> &dyn Approver {
        self.scope.approver.as_deref().unwrap_or_else(|| &**self.agent.shared.runtime.approver())
    }

    /// The model that the agent uses in this turn.
    pub(crate) fn model(&self) -> &Arc<dyn Model> {
        self.step_context
            .as_ref()
            .and_then(|work| work.model_of(&self.agent))
            .map_or(&self.agent.model, |(_, model)| model)
    }

    /// The declaration of that model, if there is one.
    pub(crate) fn model_spec(&self) -> Option<&ModelSpec> {
        let of_work = self.step_context.as_ref().and_then(|work| work.model_of(&self.agent)).map(|(spec, _)| spec);
        of_work.or(self.agent.spec.model.as_ref())
    }

    /// Whether the agent may use a tool in this turn.
    pub(crate) fn allows(&self, tool: &str) -> bool {
        self.agent.allows(tool) && self.step_context.as_ref().is_none_or(|work| work.allows(tool))
    }

    /// The tools that are offered to the model.
    pub(crate) fn definitions(&self) -> Vec<ModelTool> {
        let tools = self.agent.definitions();
        match &self.step_context {
            Some(work) => work.filter_tools(tools),
            None => tools,
        }
    }

    /// The rules of the agent's system.
    pub(crate) fn rules(&self) -> &LoopRules {
        &self.agent.spec.rules
    }

    /// The vocabulary of the agent's own tool calls.
    pub(crate) fn tool_vocabulary(&self, name: &str) -> &'static ToolVocabulary {
        self.rules().tool_vocabulary.and_then(vocabulary_by_name).unwrap_or_else(|| own_vocabulary(name, &Value::Null))
    }

    /// Whether to fire an event of teams, see [`LoopRules::fires_team_events`].
    pub(crate) fn team_listens<P: EventPayload>(&self) -> bool {
        self.hears_team_event(P::KIND)
    }

    /// The same for a kind of event.
    pub(crate) fn hears_team_event(&self, kind: EventKind) -> bool {
        self.rules().fires_team_events || self.agent.shared.runtime.listens(&kind.into(), &self.scope)
    }

    /// Whether a hook listens to an event, for events that are only fired then.
    pub(crate) fn has_listener<P: EventPayload>(&self) -> bool {
        self.agent.shared.runtime.listens(&P::KIND.into(), &self.scope)
    }

    /// Whether a hook can deny or rewrite an event.
    pub(crate) fn can_change<P: EventPayload>(&self) -> bool {
        self.agent.shared.runtime.may_change(&P::KIND.into(), &self.scope)
    }

    /// Fires an event only if a hook listens.
    pub(crate) fn fire_if_listened<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.has_listener::<P>().then(|| self.fire_end(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event and applies the effects of its hooks.
    pub(crate) fn fire(&self, event: &Event) -> Outcome {
        self.fire_in(event, &self.scope)
    }

    /// Fires an event with this payload.
    pub(crate) fn fire_payload<P: EventPayload>(&self, payload: &P) -> Outcome {
        self.fire(&Event::from_payload(payload, Arc::clone(&self.origin)))
    }

    /// Fires an event in a scope derived from this one's, and applies the effects of its hooks.
    pub(crate) fn fire_in(&self, event: &Event, scope: &EventScope) -> Outcome {
        let outcome = self.agent.shared.runtime.fire_in(event, scope);
        self.take_effects(event.name.kind(), &outcome);
        outcome
    }

    /// Fires an event that only teams need, see [`TurnContext::team_listens`].
    pub(crate) fn fire_team<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.team_listens::<P>().then(|| self.fire_payload(&payload()))
    }

    /// Fires an event only teams need that reports an end, see [`TurnContext::fire_end`].
    pub(crate) fn fire_team_end<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.team_listens::<P>().then(|| self.fire_end(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event and leaves its asks undecided ([`pintle_host::Decision::Ask`]), because the loop itself asks the user.
    pub(crate) fn fire_deferring_asks(&self, event: &Event) -> Outcome {
        self.fire_in(event, &defer_asks(self.scope.clone()))
    }

    /// Fires an event that reports an end. Its hooks are called even if the turn was cancelled, so that an audit sees
    /// the end of everything it saw begin. The time limit of a waiting script still applies.
    pub(crate) fn fire_end(&self, event: &Event) -> Outcome {
        let scope = EventScope { cancel: self.scope.cancel.time_limit_token(), ..self.scope.clone() };
        self.fire_in(event, &scope)
    }

    pub(crate) fn notify(&self, event: AgentEvent<'_>) {
        self.agent.shared.observer.observe(&self.origin, &event);
    }

    /// Adds a reminder for the next requests to the model.
    pub(crate) fn remind(&self, reminder: Reminder) {
        self.change_reminders(&self.state.reminders, |held| held.inject(reminder, self.origin.turn));
    }

    /// Changes the reminders of a conversation and records what happened to them.
    pub(crate) fn change_reminders(
        &self,
        reminders: &ConversationReminders,
        act: impl FnOnce(&mut ReminderQueue) -> TransitionLog,
    ) {
        reminders.change(act, |transitions| self.record_reminders(transitions));
    }

    fn record_reminders(&self, transitions: &TransitionLog) {
        let Some(tape) = self.agent.shared.runtime.tape() else { return };
        for (transition, reminder) in transitions {
            tape.record_host(HostRecord::Reminder(ReminderRecord {
                origin: Cow::Borrowed(&*self.origin),
                transition: *transition,
                reminder: Cow::Borrowed(reminder),
            }));
        }
    }

    /// Applies the effects of an outcome, whatever the decision: a hook that denies may still return effects.
    pub(crate) fn take_effects(&self, event: EventKind, outcome: &Outcome) {
        for (hook, effect) in &outcome.effects {
            let (hook, effect) = (hook.clone(), effect.clone());
            self.in_turn(move |context| context.apply_effect(event, &hook, &effect));
        }
    }

    fn apply_effect(&self, event: EventKind, hook: &HookId, effect: &Effect) {
        match effect {
            Effect::Context(text) => self.state.add_note(event, text),
            Effect::Reminder(reminder) => self.remind(reminder.clone()),
            Effect::Notice(text) => self.notify(AgentEvent::Notice { message: text }),
            Effect::Log { level, message } => {
                self.scope.logs.push(ScriptLogLine { level: *level, hook: hook.to_string(), message: message.clone() })
            }
            // Summaries are handled by compaction, and redirects by the caller.
            _ => {}
        }
    }

    /// Ends the run after the running calls. The reason of the first call of a batch wins.
    pub(crate) fn request_stop(&self, reason: String) {
        let index = self.call_turn.as_ref().map_or(0, |call_turn| call_turn.index());
        self.state.request_stop(index, reason);
    }
}

/// The scope of an event whose asks the loop itself resolves.
pub(crate) fn defer_asks(scope: EventScope) -> EventScope {
    EventScope { approver: Some(Arc::new(DeferringApprover)), ..scope }
}

/// Defers asks to the loop.
#[derive(Debug)]
struct DeferringApprover;

impl Approver for DeferringApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::Deferred
    }
}

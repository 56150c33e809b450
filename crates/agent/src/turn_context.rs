//! The context of one turn of one agent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::event::{EventPayload, TokenUsage};
use pintle::tools::{ToolVocabulary, own_vocabulary, vocabulary_by_name};
use pintle::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Effect, Event, EventName, EventScope, LogBuffer,
    LoopRules, ModelSpec, Origin, Outcome, Reminder, ScratchValues,
};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::context_notes::ContextNotes;
use crate::host::AgentHost;
use crate::model::{Model, ModelTool};
use crate::observer::AgentEvent;
use crate::persona::StepContext;
use crate::reminders::ConversationReminders;
use crate::session::ConversationTranscript;

/// The context of one turn of one agent: the agent, its origin, and what its hooks see.
#[derive(Debug, Clone)]
pub(crate) struct TurnContext {
    pub(crate) agent: Arc<Agent>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) scope: EventScope,
    pub(crate) state: Arc<TurnState>,
    /// The running step, if any.
    pub(crate) step_context: Option<Arc<StepContext>>,
}

/// The state of a turn that changes while it runs.
#[derive(Debug, Default)]
pub(crate) struct TurnState {
    /// Context from hooks during this turn.
    notes: Mutex<ContextNotes>,
    /// The summary of the model's `done` call, until the loop takes it.
    done: Mutex<Option<String>>,
    /// The summary with its claims, for hooks: `ctx.agent.done_flag()` and the verification chain read it.
    done_flag: Mutex<Option<Value>>,
    /// The tokens of other agents that were called in this turn and are not counted yet.
    delegated_usage: Mutex<TokenUsage>,
    /// The agent to hand the conversation over to, if requested and not done yet.
    handoff: Mutex<Option<String>>,
    /// Why a hook ends the run, if one does.
    stop: Mutex<Option<String>>,
    /// The reminders of the turn's conversation.
    pub(crate) reminders: Arc<ConversationReminders>,
    /// The delegation this turn works on; empty for the agent that talks to the user.
    pub(crate) delegation: Option<String>,
    /// The requests that hooks redirected to other agents, from the first agent down to this one.
    pub(crate) redirects: Vec<Value>,
    /// The step in which the turn began, if any.
    pub(crate) step_context: Option<Arc<StepContext>>,
    /// The current conversation, for scripts.
    pub(crate) transcript: ConversationTranscript,
    /// Whether hooks of the delegating agents can still change or block the answer after the turn.
    pub(crate) is_reviewed: bool,
}

impl TurnState {
    /// The state of a turn whose conversation has these reminders, for a delegation if there is one.
    pub(crate) fn new(
        reminders: &Arc<ConversationReminders>,
        delegation: Option<String>,
        redirects: Vec<Value>,
    ) -> Self {
        Self { reminders: Arc::clone(reminders), delegation, redirects, ..Self::default() }
    }

    /// Sets the step.
    pub(crate) fn in_step(self, work: Option<Arc<StepContext>>) -> Self {
        Self { step_context: work, ..self }
    }

    /// Sets whether hooks of the delegating agent can still change or block the answer.
    pub(crate) fn with_review(self, is_reviewed: bool) -> Self {
        Self { is_reviewed, ..self }
    }

    /// Records that the model called `done` with these arguments.
    pub(crate) fn set_done(&self, arguments: &Value) {
        let summary = arguments.get("summary").and_then(Value::as_str).unwrap_or_default();
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary.to_owned());
        let flag = json!({"summary": summary, "claims": arguments.get("claims")});
        *self.done_flag.lock().unwrap_or_else(PoisonError::into_inner) = Some(flag);
    }

    /// What the model declared with its last `done` in this turn.
    pub(crate) fn done_flag(&self) -> Option<Value> {
        self.done_flag.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the summary of the model's `done` call.
    pub(crate) fn take_done(&self) -> Option<String> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Requests a hand-off to another agent after the calls of the model's message.
    ///
    /// # Errors
    /// When another call of the same message has already requested one.
    pub(crate) fn request_handoff(&self, agent: &str) -> Result<(), String> {
        let mut handoff = self.handoff.lock().unwrap_or_else(PoisonError::into_inner);
        match &*handoff {
            Some(other) => Err(format!("the conversation already goes to `{other}`; hand it over to one agent only")),
            None => {
                *handoff = Some(agent.to_owned());
                Ok(())
            }
        }
    }

    /// Takes the agent to hand the conversation over to.
    pub(crate) fn take_handoff(&self) -> Option<String> {
        self.handoff.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the run after the running calls. The first reason wins.
    pub(crate) fn request_stop(&self, reason: String) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
    }

    /// Whether a hook ends the run.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Takes the reason why a hook ends the run.
    pub(crate) fn take_stop(&self) -> Option<String> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Drops the context that belongs to the user's last message, because there is a newer one.
    pub(crate) fn forget_prompt(&self) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).prompt.clear();
    }

    /// Restores context from before the turn was interrupted.
    pub(crate) fn restore_notes(&self, notes: ContextNotes) {
        *self.notes.lock().unwrap_or_else(PoisonError::into_inner) = notes;
    }

    /// Adds the tokens of another agent.
    pub(crate) fn add_usage(&self, usage: TokenUsage) {
        let mut spent = self.delegated_usage.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = spent.plus(usage);
    }

    /// Takes the tokens of other agents since the last call of this function.
    pub(crate) fn take_usage(&self) -> TokenUsage {
        std::mem::take(&mut *self.delegated_usage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The current context; the part for one call is removed.
    pub(crate) fn notes_for_call(&self) -> ContextNotes {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let now = notes.clone();
        notes.call.clear();
        now
    }

    /// Takes the context that stays for the session.
    pub(crate) fn take_persistent(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner).persistent)
    }
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
            cwd: shared.workspace.root().display().to_string(),
            transcript: shared.transcript.clone(),
        });
        let state = Arc::new(state);
        let host = AgentHost::new(Arc::clone(agent), Arc::clone(&origin), Arc::clone(&state));
        let scope = EventScope {
            overlay: Arc::clone(&agent.overlay),
            host: Some(Arc::new(host)),
            cancel,
            logs: Arc::new(LogBuffer::default()),
            scratch,
            cause: shared.cause,
            ..EventScope::default()
        };
        let work = state.step_context.clone();
        Self { agent: Arc::clone(agent), origin, scope, state, step_context: work }
    }

    /// The context for another agent that takes over the turn, with the conversation's context from hooks.
    pub(crate) fn with_agent(&self, agent: &Arc<Agent>) -> Self {
        let origin = Arc::new(Origin { agent: agent.spec.name.clone(), ..Origin::clone(&self.origin) });
        let host = AgentHost::new(Arc::clone(agent), Arc::clone(&origin), Arc::clone(&self.state));
        let scope =
            EventScope { overlay: Arc::clone(&agent.overlay), host: Some(Arc::new(host)), ..self.scope.clone() };
        Self {
            agent: Arc::clone(agent),
            origin,
            scope,
            state: Arc::clone(&self.state),
            step_context: self.step_context.clone(),
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
    pub(crate) fn tool_vocabulary(&self, name: &str, args: &Value) -> &'static ToolVocabulary {
        self.rules().tool_vocabulary.and_then(vocabulary_by_name).unwrap_or_else(|| own_vocabulary(name, args))
    }

    /// Whether to fire an event of teams, see [`LoopRules::fires_team_events`].
    pub(crate) fn team_listens<P: EventPayload>(&self) -> bool {
        self.rules().fires_team_events || self.agent.shared.runtime.listens(&EventName::from_def(P::def()), &self.scope)
    }

    /// Whether a hook listens to an event, for events that are only fired then.
    pub(crate) fn has_listener<P: EventPayload>(&self) -> bool {
        self.agent.shared.runtime.listens(&EventName::from_def(P::def()), &self.scope)
    }

    /// Whether a hook can deny or rewrite an event.
    pub(crate) fn can_change<P: EventPayload>(&self) -> bool {
        self.agent.shared.runtime.may_change(&EventName::from_def(P::def()), &self.scope)
    }

    /// Fires an event only if a hook listens.
    pub(crate) fn fire_if_listened<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.has_listener::<P>().then(|| self.fire_end(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event and applies the effects of its hooks.
    pub(crate) fn fire(&self, event: &Event) -> Outcome {
        let outcome = self.agent.shared.runtime.fire_in(event, &self.scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    /// Fires an event that only teams need, see [`TurnContext::team_listens`].
    pub(crate) fn fire_team<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.team_listens::<P>().then(|| self.fire(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event only teams need that reports an end, see [`TurnContext::fire_end`].
    pub(crate) fn fire_team_end<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.team_listens::<P>().then(|| self.fire_end(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event and leaves its asks undecided ([`pintle::Decision::Ask`]), because the loop itself asks the user.
    pub(crate) fn fire_deferring_asks(&self, event: &Event) -> Outcome {
        let scope = EventScope { approver: Some(Arc::new(DeferringApprover)), ..self.scope.clone() };
        let outcome = self.agent.shared.runtime.fire_in(event, &scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    /// Fires an event that reports an end. Its hooks are called even if the turn was cancelled, so that an audit sees
    /// the end of everything it saw begin. The time limit of a waiting script still applies.
    pub(crate) fn fire_end(&self, event: &Event) -> Outcome {
        let scope = EventScope { cancel: self.scope.cancel.time_limit_token(), ..self.scope.clone() };
        let outcome = self.agent.shared.runtime.fire_in(event, &scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    pub(crate) fn notify(&self, what: AgentEvent<'_>) {
        self.agent.shared.observer.observe(&self.origin, &what);
    }

    /// Adds a reminder for the next requests to the model.
    pub(crate) fn remind(&self, reminder: Reminder) {
        self.state.reminders.inject(self, reminder);
    }

    /// Applies the effects of an outcome, whatever the decision: a hook that denies may still return effects.
    pub(crate) fn take_effects(&self, event: &EventName, outcome: &Outcome) {
        for (_, effect) in &outcome.effects {
            match effect {
                Effect::Context(text) => self.lock_notes().add(event, text),
                Effect::Reminder(reminder) => self.remind(reminder.clone()),
                Effect::Notice(text) => self.notify(AgentEvent::Notice { message: text }),
                // Summaries are handled by compaction, log lines were recorded as effect requests, and redirects by the
                // caller.
                _ => {}
            }
        }
    }

    fn lock_notes(&self) -> MutexGuard<'_, ContextNotes> {
        self.state.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Defers asks to the loop.
#[derive(Debug)]
struct DeferringApprover;

impl Approver for DeferringApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::Deferred
    }
}

/// The redirect that a hook requested (`delegate(request)`), if any.
pub(crate) fn redirect(outcome: &Outcome) -> Option<&Value> {
    outcome.effects.iter().find_map(|(_, effect)| match effect {
        Effect::Delegate(request) => Some(request),
        _ => None,
    })
}

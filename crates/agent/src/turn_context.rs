//! What one turn of one agent happens in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::event::{ContextScope, EventPayload, TokenUsage};
use pintle::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Effect, Event, EventName, EventScope, LogBuffer,
    ModelSpec, Origin, Outcome, Reminder, ScratchValues,
};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::host::AgentHost;
use crate::model::{Model, ModelTool};
use crate::observer::AgentEvent;
use crate::persona::StepContext;
use crate::reminders::ConversationReminders;
use crate::session::ConversationTranscript;

/// One turn of one agent: who, where in the session, and what its hooks see.
#[derive(Debug, Clone)]
pub(crate) struct TurnContext {
    pub(crate) agent: Arc<Agent>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) scope: EventScope,
    pub(crate) state: Arc<TurnState>,
    /// The step at work, when one is.
    pub(crate) step_context: Option<Arc<StepContext>>,
}

/// What changes in the course of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnState {
    /// What hooks told the model in this turn.
    notes: Mutex<ContextNotes>,
    /// What the model said when it called `done`, until the loop has seen it.
    done: Mutex<Option<String>>,
    /// The same with its claims, for hooks: `ctx.agent.done_flag()` and the verification chain read it.
    done_flag: Mutex<Option<Value>>,
    /// The tokens of other agents that were called in this turn and that nobody has counted yet.
    delegated_usage: Mutex<TokenUsage>,
    /// The agent that the model handed the conversation to, when it did and nobody took it up yet.
    handoff: Mutex<Option<String>>,
    /// Why a hook ends the run, when one does.
    stop: Mutex<Option<String>>,
    /// What hooks remind the model of, for the conversation that the turn is of.
    pub(crate) reminders: Arc<ConversationReminders>,
    /// The delegation this turn works on; empty for the agent the person talks to.
    pub(crate) delegation: Option<String>,
    /// What hooks redirected to other agents, from the first agent down to this one.
    pub(crate) redirects: Vec<Value>,
    /// The step that the turn begins in, when there is one.
    pub(crate) step_context: Option<Arc<StepContext>>,
    /// The conversation as it stands, for scripts.
    pub(crate) transcript: ConversationTranscript,
    /// Whether hooks of the delegating agents can change or block the answer once the turn is over.
    pub(crate) is_reviewed: bool,
}

/// Texts of hooks for the model, by how long they stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ContextNotes {
    /// For the rest of the session.
    pub(crate) persistent: Vec<String>,
    /// For as long as the model answers what the person said last.
    pub(crate) prompt: Vec<String>,
    /// For the rest of the turn.
    pub(crate) turn: Vec<String>,
    /// For the next model call.
    pub(crate) call: Vec<String>,
}

impl ContextNotes {
    /// Adds what a hook of an event told the model.
    pub(crate) fn add(&mut self, event: &EventName, text: &str) {
        let scope = match event.as_str() {
            // That is for the summary and not for the conversation.
            "compact.pre" => return,
            _ if is_prompt(event) => return self.prompt.push(text.to_owned()),
            _ => event.def().context,
        };
        match scope {
            ContextScope::None => {}
            ContextScope::Persistent => self.persistent.push(text.to_owned()),
            ContextScope::Turn => self.turn.push(text.to_owned()),
            ContextScope::Call => self.call.push(text.to_owned()),
        }
    }
}

impl TurnState {
    /// A turn of a conversation that has these reminders, for a delegation if there is one.
    pub(crate) fn new(
        reminders: &Arc<ConversationReminders>,
        delegation: Option<String>,
        redirects: Vec<Value>,
    ) -> Self {
        Self { reminders: Arc::clone(reminders), delegation, redirects, ..Self::default() }
    }

    /// The same turn in a step.
    pub(crate) fn in_step(self, work: Option<Arc<StepContext>>) -> Self {
        Self { step_context: work, ..self }
    }

    /// The same turn, whose answer hooks of the delegating agents can still change or block.
    pub(crate) fn with_review(self, is_reviewed: bool) -> Self {
        Self { is_reviewed, ..self }
    }

    /// Takes note that the model called `done` with these arguments.
    pub(crate) fn set_done(&self, arguments: &Value) {
        let summary = arguments.get("summary").and_then(Value::as_str).unwrap_or_default();
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary.to_owned());
        let flag = json!({"summary": summary, "claims": arguments.get("claims")});
        *self.done_flag.lock().unwrap_or_else(PoisonError::into_inner) = Some(flag);
    }

    /// What the model declared when it called `done` last in this turn.
    pub(crate) fn done_flag(&self) -> Option<Value> {
        self.done_flag.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the model said when it called `done`, once.
    pub(crate) fn take_done(&self) -> Option<String> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Hands the conversation to another agent once the calls of the model's message have been made.
    ///
    /// # Errors
    /// When another call of the same message did that already.
    pub(crate) fn request_handoff(&self, agent: &str) -> Result<(), String> {
        let mut handoff = self.handoff.lock().unwrap_or_else(PoisonError::into_inner);
        match &*handoff {
            Some(other) => Err(format!("the conversation goes to `{other}` already; hand it to one agent only")),
            None => {
                *handoff = Some(agent.to_owned());
                Ok(())
            }
        }
    }

    /// The agent that the conversation goes to, once.
    pub(crate) fn take_handoff(&self) -> Option<String> {
        self.handoff.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the run after the calls that are under way. The first word counts.
    pub(crate) fn request_stop(&self, why: String) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// Whether a hook ends the run.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Why a hook ends the run, once.
    pub(crate) fn take_stop(&self) -> Option<String> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Forgets what hooks told the model about the person's last message: there is a newer one.
    pub(crate) fn forget_prompt(&self) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).prompt.clear();
    }

    /// Takes over what hooks told the model before the turn was cut off.
    pub(crate) fn restore_notes(&self, notes: ContextNotes) {
        *self.notes.lock().unwrap_or_else(PoisonError::into_inner) = notes;
    }

    /// Adds the tokens of another agent.
    pub(crate) fn add_usage(&self, usage: TokenUsage) {
        let mut spent = self.delegated_usage.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = spent.plus(usage);
    }

    /// The tokens of other agents since this was last asked.
    pub(crate) fn take_usage(&self) -> TokenUsage {
        std::mem::take(&mut *self.delegated_usage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The notes as they stand; those for one call are taken out.
    pub(crate) fn notes_for_call(&self) -> ContextNotes {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let now = notes.clone();
        notes.call.clear();
        now
    }

    /// Takes out the notes that stay for the session.
    pub(crate) fn take_persistent(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner).persistent)
    }
}

impl TurnContext {
    /// A turn of an agent, with log lines of its own. Raising `cancel` ends it and everything it started.
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
            ..EventScope::default()
        };
        let work = state.step_context.clone();
        Self { agent: Arc::clone(agent), origin, scope, state, step_context: work }
    }

    /// The same turn with another agent at work: it takes over the conversation and what hooks said in it.
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

    /// The same turn with a flag of its own that stops a part of its work.
    pub(crate) fn child(&self) -> Self {
        let mut part = self.clone();
        part.scope.cancel = self.scope.cancel.child_token();
        part
    }

    /// Who answers for the person.
    pub(crate) fn approver(&self) -> &dyn Approver {
        self.scope.approver.as_deref().unwrap_or_else(|| &**self.agent.shared.runtime.approver())
    }

    /// The model that the agent uses here.
    pub(crate) fn model(&self) -> &Arc<dyn Model> {
        self.step_context
            .as_ref()
            .and_then(|work| work.model_of(&self.agent))
            .map_or(&self.agent.model, |(_, model)| model)
    }

    /// What is declared of that model, if anything is.
    pub(crate) fn model_spec(&self) -> Option<&ModelSpec> {
        let of_work = self.step_context.as_ref().and_then(|work| work.model_of(&self.agent)).map(|(spec, _)| spec);
        of_work.or(self.agent.spec.model.as_ref())
    }

    /// Whether the agent may use a tool here.
    pub(crate) fn allows(&self, tool: &str) -> bool {
        self.agent.allows(tool) && self.step_context.as_ref().is_none_or(|work| work.allows(tool))
    }

    /// The tools that the model is told of.
    pub(crate) fn definitions(&self) -> Vec<ModelTool> {
        let tools = self.agent.definitions();
        match &self.step_context {
            Some(work) => work.filter_tools(tools),
            None => tools,
        }
    }

    /// Whether the agent is one of a team.
    pub(crate) fn is_member(&self) -> bool {
        self.agent.spec.member.is_some()
    }

    /// Whether an event is fired that only teams need: for their members always, for others where a hook listens.
    pub(crate) fn team_listens<P: EventPayload>(&self) -> bool {
        self.is_member() || self.agent.shared.runtime.listens(&EventName::from_def(P::def()), &self.scope)
    }

    /// Whether a hook listens to an event, so that it is worth firing: for events that no team needs.
    pub(crate) fn has_listener<P: EventPayload>(&self) -> bool {
        self.agent.shared.runtime.listens(&EventName::from_def(P::def()), &self.scope)
    }

    /// Whether a hook can deny or rewrite an event.
    pub(crate) fn can_change<P: EventPayload>(&self) -> bool {
        self.agent.shared.runtime.may_change(&EventName::from_def(P::def()), &self.scope)
    }

    /// Fires an event that is for those who listen alone.
    pub(crate) fn fire_if_listened<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.has_listener::<P>().then(|| self.fire_end(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event and takes over what its hooks have for the model and the person.
    pub(crate) fn fire(&self, event: &Event) -> Outcome {
        let outcome = self.agent.shared.runtime.fire_in(event, &self.scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    /// Fires an event that only teams need, see [`TurnContext::team_listens`].
    pub(crate) fn fire_team<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.team_listens::<P>().then(|| self.fire(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// The same for the end of something, see [`TurnContext::fire_end`].
    pub(crate) fn fire_team_end<P: EventPayload>(&self, payload: impl FnOnce() -> P) -> Option<Outcome> {
        self.team_listens::<P>().then(|| self.fire_end(&Event::from_payload(&payload(), Arc::clone(&self.origin))))
    }

    /// Fires an event whose asks come back as [`pintle::Decision::Ask`]: the loop itself asks the person, once.
    pub(crate) fn fire_deferring_asks(&self, event: &Event) -> Outcome {
        let scope = EventScope { approver: Some(Arc::new(DeferringApprover)), ..self.scope.clone() };
        let outcome = self.agent.shared.runtime.fire_in(event, &scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    /// The same for the end of something that has begun: its hooks are asked even when the turn was cancelled, so that
    /// an audit sees the end of everything it saw begin. The time of a script that waits for it still holds.
    pub(crate) fn fire_end(&self, event: &Event) -> Outcome {
        let scope = EventScope { cancel: self.scope.cancel.time_limit_token(), ..self.scope.clone() };
        let outcome = self.agent.shared.runtime.fire_in(event, &scope);
        self.take_effects(&event.name, &outcome);
        outcome
    }

    pub(crate) fn notify(&self, what: AgentEvent<'_>) {
        self.agent.shared.observer.observe(&self.origin, &what);
    }

    /// Reminds the model of something, from its next request on.
    pub(crate) fn remind(&self, reminder: Reminder) {
        self.state.reminders.inject(self, reminder);
    }

    /// Effects count whatever the decision was: a hook that denies may still have something to say.
    pub(crate) fn take_effects(&self, event: &EventName, outcome: &Outcome) {
        for (_, effect) in &outcome.effects {
            match effect {
                Effect::Context(text) => self.lock_notes().add(event, text),
                Effect::Reminder(reminder) => self.remind(reminder.clone()),
                Effect::Notice(text) => self.notify(AgentEvent::Notice { message: text }),
                // A summary is for compaction, log lines went through the seam, and redirects are for those who asked.
                _ => {}
            }
        }
    }

    fn lock_notes(&self) -> MutexGuard<'_, ContextNotes> {
        self.state.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an event is about what the person said: what its hooks tell the model holds until the person says more.
fn is_prompt(event: &EventName) -> bool {
    matches!(event.as_str(), "prompt.submit" | "prompt.steer" | "prompt.followup")
}

/// Leaves asks to the loop.
#[derive(Debug)]
struct DeferringApprover;

impl Approver for DeferringApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::Deferred
    }
}

/// What the hooks that deny said, for a person: their own words, or that they said nothing (docker-agent behaviour,
/// section 6.7).
pub(crate) fn denial_text(outcome: &Outcome) -> String {
    let said: Vec<&str> =
        outcome.reasons.iter().map(|reason| reason.text.trim()).filter(|text| !text.is_empty()).collect();
    if said.is_empty() { String::from("Agent terminated by a hook.") } else { said.join("\n") }
}

/// The redirect a hook asked for (`delegate(request)`), if any did.
pub(crate) fn redirect(outcome: &Outcome) -> Option<&Value> {
    outcome.effects.iter().find_map(|(_, effect)| match effect {
        Effect::Delegate(request) => Some(request),
        _ => None,
    })
}

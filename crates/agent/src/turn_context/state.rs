//! The state of a turn that changes while it runs.

use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::EventKind;
use pintle_host::event::TokenUsage;
use serde_json::{Value, json};

use super::step::StepContext;
use crate::reminders::ConversationReminders;
use crate::session_state::{ContextNotes, ConversationTranscript};

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
    /// Why a hook ends the run, if one does, and the index of the call in its batch.
    stop: Mutex<Option<(usize, String)>>,
    /// The tools that hooks removed from the last request to the model.
    withheld_tools: Mutex<Vec<String>>,
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
        *self.done.lock() = Some(summary.to_owned());
        let flag = json!({"summary": summary, "claims": arguments.get("claims")});
        *self.done_flag.lock() = Some(flag);
    }

    /// What the model declared with its last `done` in this turn.
    pub(crate) fn done_flag(&self) -> Option<Value> {
        self.done_flag.lock().clone()
    }

    /// Takes the summary of the model's `done` call.
    pub(crate) fn take_done(&self) -> Option<String> {
        self.done.lock().take()
    }

    /// Sets the tools that hooks removed from the request to the model.
    pub(crate) fn withhold_tools(&self, names: Vec<String>) {
        *self.withheld_tools.lock() = names;
    }

    /// Whether hooks removed a tool from the last request to the model.
    pub(crate) fn is_withheld(&self, tool: &str) -> bool {
        self.withheld_tools.lock().iter().any(|name| name == tool)
    }

    /// Requests a hand-off to another agent after the calls of the model's message.
    ///
    /// # Errors
    /// When another call of the same message has already requested one.
    pub(crate) fn request_handoff(&self, agent: &str) -> Result<(), String> {
        let mut handoff = self.handoff.lock();
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
        self.handoff.lock().take()
    }

    /// Ends the run after the running calls. The reason of the first call wins, whichever call gave its reason first.
    pub(crate) fn request_stop(&self, index: usize, reason: String) {
        let mut stop = self.stop.lock();
        if stop.as_ref().is_none_or(|(known, _)| index < *known) {
            *stop = Some((index, reason));
        }
    }

    /// Whether a hook ends the run.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.lock().is_some()
    }

    /// Takes the reason why a hook ends the run.
    pub(crate) fn take_stop(&self) -> Option<String> {
        self.stop.lock().take().map(|(_, reason)| reason)
    }

    /// Drops the context that belongs to the user's last message, because there is a newer one.
    pub(crate) fn forget_prompt(&self) {
        self.notes.lock().prompt.clear();
    }

    /// Restores context from before the turn was interrupted.
    pub(crate) fn restore_notes(&self, notes: ContextNotes) {
        *self.notes.lock() = notes;
    }

    /// Adds the tokens of another agent.
    pub(crate) fn add_usage(&self, usage: TokenUsage) {
        let mut spent = self.delegated_usage.lock();
        *spent = spent.plus(usage);
    }

    /// Takes the tokens of other agents since the last call of this function.
    pub(crate) fn take_usage(&self) -> TokenUsage {
        std::mem::take(&mut *self.delegated_usage.lock())
    }

    /// The current context; the part for one call is removed.
    pub(crate) fn notes_for_call(&self) -> ContextNotes {
        let mut notes = self.notes.lock();
        let now = notes.clone();
        notes.call.clear();
        now
    }

    /// Takes the context that stays for the session.
    pub(crate) fn take_persistent(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().persistent)
    }

    /// Adds context from a hook.
    pub(super) fn add_note(&self, event: EventKind, text: &str) {
        self.notes.lock().add(event, text);
    }
}

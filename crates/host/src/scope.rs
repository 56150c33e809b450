//! The scope that an event is fired in.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{
    Approver, CancelToken, Effect, EffectCaller, EffectError, EventCause, HookCall, HookId, Outcome, Reminder,
};

use crate::{AgentConversation, HeldRecords, HookOverlay, Host, LogBuffer, RecheckMemory, ScratchValues};

/// The context of a dispatch: the agent's own hooks, its host, and what causes the event. The default is an event that
/// the host fires without an agent.
///
/// Cheap to clone; clones share everything but the cause.
#[derive(Debug, Clone, Default)]
pub struct EventScope {
    /// The agent's chains, in addition to those of the runtime.
    pub overlay: Arc<HookOverlay>,
    /// Performs effect requests that only a host can perform; `None` without an agent.
    pub host: Option<Arc<dyn Host>>,
    /// The conversation that scripts may look back on without a host; `None` if nothing shows it.
    pub conversation: Option<Arc<dyn AgentConversation>>,
    /// Responds to approval requests instead of the runtime's approver; `None` uses the runtime's.
    pub approver: Option<Arc<dyn Approver>>,
    /// Cancelled when the outcome is no longer needed.
    pub cancel: CancelToken,
    /// Collects log lines for `turn.end`.
    pub logs: Arc<LogBuffer>,
    /// The reminders that scripts gave without an agent: they become effects of the outcome.
    pub reminders: Arc<Mutex<Vec<(HookId, Reminder)>>>,
    /// The scratch values of the turn (`ctx`).
    pub scratch: Arc<ScratchValues>,
    /// What causes the events fired here.
    pub cause: EventCause,
    /// What hooks did in earlier events about the same call; `None` if events are independent. It does not apply to the
    /// events that hooks fire.
    pub memory: Option<Arc<RecheckMemory>>,
    /// Holds the records of the events fired here back; `None` writes them at once.
    pub held: Option<Arc<HeldRecords>>,
}

impl EventScope {
    /// Creates a scope for the events that a closure fires while it is called. They count against the limit of nested
    /// events and are cancelled with the call, on whichever thread they are fired. For events of another runtime, which
    /// has its own IDs, detach the cause ([`EventCause::detached`]).
    #[must_use]
    pub fn from_call(call: &HookCall<'_>) -> Self {
        Self { cancel: call.cancel.clone(), cause: call.cause(), ..Self::default() }
    }

    /// Creates a scope for an event that a script in this one causes.
    ///
    /// # Errors
    /// When events are nested more than 8 levels deep.
    pub fn nested(&self) -> Result<Self, EffectError> {
        if self.cause.depth >= EventCause::MAX_DEPTH {
            return Err(EffectError(format!(
                "events are nested more than {} levels deep; does a hook emit the event that it runs on?",
                EventCause::MAX_DEPTH
            )));
        }
        Ok(Self { cause: EventCause { depth: self.cause.depth + 1, ..self.cause }, memory: None, ..self.clone() })
    }

    /// Creates a scope for what a script in this one causes; it ends with the script's own time limit.
    pub(crate) fn for_caller(&self, caller: EffectCaller<'_>) -> Self {
        let mut scope = Self { memory: None, ..self.clone() };
        if let Some(cancel) = caller.cancel {
            scope.cancel = cancel.clone();
        }
        if caller.is_hook() {
            scope.cause = EventCause { parent: Some(caller.dispatch), call: Some(caller.call), ..self.cause };
        }
        scope
    }

    /// Keeps the reminder of a script.
    pub(crate) fn remind(&self, hook: HookId, reminder: Reminder) {
        self.reminders.lock().unwrap_or_else(PoisonError::into_inner).push((hook, reminder));
    }

    /// Keeps what hooks on an event that a script caused say to the model, for the outcome of the host's own event.
    pub(crate) fn keep_context(&self, outcome: &Outcome) {
        for (hook, effect) in &outcome.effects {
            if let Effect::Context(text) = effect
                && let Ok(reminder) = Reminder::parse(text.as_str().into())
            {
                self.remind(hook.clone(), reminder);
            }
        }
    }

    /// Adds the reminders of scripts to the outcome of the event that the host fired.
    pub(crate) fn deliver_reminders(&self, outcome: &mut Outcome) {
        if self.host.is_some() || self.cause.parent.is_some() {
            return;
        }
        let reminders = std::mem::take(&mut *self.reminders.lock().unwrap_or_else(PoisonError::into_inner));
        outcome.effects.extend(reminders.into_iter().map(|(hook, reminder)| (hook, Effect::Reminder(reminder))));
    }

    /// Clears the state that scripts kept, so that the scope can be reused.
    pub(crate) fn clear(&self) {
        self.logs.clear();
        self.scratch.clear();
    }
}

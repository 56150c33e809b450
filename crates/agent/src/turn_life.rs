//! A turn as a host of the protocol of an agent's life: which events it fires, and what a deny means for the turn.

use std::sync::Arc;

use pintle_host::contract::{ListPrefix, Payload};
use pintle_host::event::{EventKind, EventPayload};
use pintle_host::lifecycle::{AnswerChange, LifeHost};
use pintle_host::{Event, Outcome};
use serde_json::Value;

use crate::session_state::TurnOutput;
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;

/// Events that only fire if a hook listens, or if the rules of the agent's system want them recorded.
const TEAM_EVENTS: [EventKind; 6] = [
    EventKind::PromptSubmit,
    EventKind::PromptSteer,
    EventKind::PromptFollowup,
    EventKind::CompactPre,
    EventKind::CompactBefore,
    EventKind::CompactPost,
];

/// Events before something that a cancelled turn does not do.
const BEFORE_WORK: [EventKind; 4] =
    [EventKind::PromptSubmit, EventKind::CompletionPre, EventKind::CompactPre, EventKind::CompactBefore];

/// One event of a turn.
pub(crate) struct TurnLife<'a> {
    turn: &'a TurnContext,
    /// The messages of the event, which its payload is without, and how they begin.
    messages: Option<(Vec<Value>, Option<ListPrefix>)>,
    /// The payload that was fired with these messages.
    fired: Option<Payload>,
}

/// The field of the messages.
const MESSAGES: &str = "messages";

impl<'a> TurnLife<'a> {
    pub(crate) fn new(turn: &'a TurnContext) -> Self {
        Self { turn, messages: None, fired: None }
    }

    /// An event whose payload gets these messages when it is fired.
    pub(crate) fn with_messages(turn: &'a TurnContext, messages: Vec<Value>, prefix: Option<ListPrefix>) -> Self {
        Self { messages: Some((messages, prefix)), ..Self::new(turn) }
    }

    /// Takes the messages back; empty if something still uses the payload.
    pub(crate) fn into_messages(self) -> Vec<Value> {
        if let Some((messages, _)) = self.messages {
            return messages;
        }
        match self.fired.and_then(Payload::into_unshared) {
            Some(Value::Object(mut fields)) => match fields.get_mut(MESSAGES).map(Value::take) {
                Some(Value::Array(messages)) => messages,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

impl LifeHost for TurnLife<'_> {
    type Refusal = TurnError;

    fn hears(&self, kind: EventKind) -> bool {
        !TEAM_EVENTS.contains(&kind) || self.turn.hears_team_event(kind)
    }

    fn fire<P: EventPayload>(&mut self, payload: &P) -> Result<Outcome, TurnError> {
        let mut event = Event::from_payload(payload, Arc::clone(&self.turn.origin));
        if let Some((messages, prefix)) = self.messages.take() {
            let mut value = event.payload.into_value();
            if let Some(fields) = value.as_object_mut() {
                fields.insert(MESSAGES.to_owned(), Value::Array(messages));
            }
            event.payload = Payload::new(value);
            prefix.into_iter().for_each(|prefix| prefix.attach_to(&event.payload));
            self.fired = Some(event.payload.clone());
        }
        // What has happened is reported even if the turn was cancelled meanwhile.
        let outcome =
            if P::KIND == EventKind::CompactPost { self.turn.fire_end(&event) } else { self.turn.fire(&event) };
        if BEFORE_WORK.contains(&P::KIND) && self.turn.scope.cancel.is_cancelled() {
            return Err(TurnError::cancelled());
        }
        Ok(outcome)
    }

    fn refuse(&mut self, kind: EventKind, outcome: &Outcome) -> TurnError {
        match kind {
            EventKind::PromptSubmit => {
                TurnError::from_denial(self.turn, "prompt", outcome).with_stop_reason("user_prompt_submit_blocked")
            }
            EventKind::CompletionPre | EventKind::CompletionPost => {
                TurnError::from_denial(self.turn, "completion", outcome)
            }
            EventKind::TurnStart | EventKind::TurnEnd => TurnError::blocked("turn", outcome),
            // The agent that tries again learns only what is wrong with its result.
            EventKind::DelegationPostVerify => TurnError::denied(outcome.reason_for_model()),
            EventKind::DelegationPre | EventKind::DelegationPost => {
                TurnError::denied(format!("delegation blocked: {}", outcome.reason_for_model()))
            }
            _ => TurnError::denied(outcome.denial_text()),
        }
    }
}

/// An answer as hooks changed it.
pub(crate) fn apply_change(answer: TurnOutput, change: AnswerChange) -> TurnOutput {
    TurnOutput {
        text: change.text.unwrap_or(answer.text),
        tool_calls: change.tool_calls.unwrap_or(answer.tool_calls),
        tool_results: change.tool_results.unwrap_or(answer.tool_results),
        ..answer
    }
}

//! A turn as a host of the protocol of an agent's life: which events it fires, and what a deny means for the turn.

use std::sync::Arc;

use pintle_host::event::{EventKind, EventPayload};
use pintle_host::lifecycle::{AnswerChange, LifeHost};
use pintle_host::tape::ListPrefix;
use pintle_host::{Event, Outcome};

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
    /// What the messages of the event share with those of the one before, for the tape.
    prefix: Option<ListPrefix>,
}

impl<'a> TurnLife<'a> {
    pub(crate) fn new(turn: &'a TurnContext) -> Self {
        Self { turn, prefix: None }
    }

    pub(crate) fn with_prefix(turn: &'a TurnContext, prefix: Option<ListPrefix>) -> Self {
        Self { turn, prefix }
    }
}

impl LifeHost for TurnLife<'_> {
    type Refusal = TurnError;

    fn hears(&self, kind: EventKind) -> bool {
        !TEAM_EVENTS.contains(&kind) || self.turn.hears_team_event(kind)
    }

    fn fire<P: EventPayload>(&mut self, payload: &P) -> Result<Outcome, TurnError> {
        let event = Event::from_payload(payload, Arc::clone(&self.turn.origin));
        if let Some(prefix) = self.prefix.take() {
            prefix.attach_to(&event.payload);
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

//! Holds back an agent's text until every hook that can change or block it has been called.
//!
//! A reply of the model can be changed or blocked by hooks of `completion.post`. An answer can also be changed or
//! blocked by hooks of `agent.stop` and `turn.end`, by those of the delegating agent, and in a step by those of
//! `step.post`. If there are no such hooks, text is reported as it arrives.

use pintle_host::event::{
    AgentStop, CompletionPost, DelegationPost, DelegationPostVerify, StepPost, ToolPost, ToolResultPayload, TurnEnd,
};

use crate::observer::AgentEvent;
use crate::turn_context::TurnContext;

/// What observers have received of the model's last reply.
#[derive(Debug, Default)]
pub(crate) struct TextGate {
    /// The text, if it was reported.
    sent_text: Option<String>,
    /// The text, if it is held back because it may be or become the answer.
    held_text: Option<String>,
}

impl TextGate {
    /// Whether text may be reported while it arrives.
    pub(crate) fn is_open(turn: &TurnContext) -> bool {
        !turn.can_change::<CompletionPost>()
            && !turn.can_change::<AgentStop>()
            && !turn.can_change::<TurnEnd>()
            && !is_reviewed(turn)
    }

    /// Takes a reply that may be an answer. `streamed` says whether observers received its text as it arrived.
    pub(crate) fn take_reply(&mut self, turn: &TurnContext, text: &str, streamed: bool) {
        (self.sent_text, self.held_text) = (None, None);
        if streamed {
            turn.notify(AgentEvent::Message { text, streamed });
            self.sent_text = Some(text.to_owned());
        } else if !text.is_empty() {
            self.held_text = Some(text.to_owned());
        }
    }

    /// Reports the held reply: it is not an answer, and its own hooks have been called.
    pub(crate) fn release(&mut self, turn: &TurnContext) {
        if let Some(text) = self.held_text.take() {
            self.send_text(turn, text);
        }
    }

    /// Takes the held reply out, so that another one can be taken before either is reported.
    pub(crate) fn take_held(&mut self) -> Option<String> {
        self.held_text.take()
    }

    /// Drops the held reply, because hooks did not accept it.
    pub(crate) fn discard(&mut self) {
        self.held_text = None;
    }

    /// Reports a text that hooks have accepted, unless it was reported before.
    pub(crate) fn accept(&mut self, turn: &TurnContext, text: &str) {
        self.held_text = None;
        if !text.is_empty() && self.sent_text.as_deref() != Some(text) {
            self.send_text(turn, text.to_owned());
        }
    }

    /// Reports a turn's answer after the turn's own hooks. If other hooks can still change it, the code that fires
    /// their events reports the result instead.
    pub(crate) fn conclude(&mut self, turn: &TurnContext, text: &str) {
        match is_reviewed(turn) {
            true => {
                self.held_text = None;
                if let Some(work) = turn.state.step_context.as_ref().filter(|_| turn.state.delegation.is_none()) {
                    work.withhold_answer();
                }
            }
            false => self.accept(turn, text),
        }
    }

    fn send_text(&mut self, turn: &TurnContext, text: String) {
        turn.notify(AgentEvent::Message { text: &text, streamed: false });
        self.sent_text = Some(text);
    }
}

/// Whether hooks can change or block the answer of a turn after its end.
fn is_reviewed(turn: &TurnContext) -> bool {
    turn.state.is_reviewed
        || (turn.state.delegation.is_none() && turn.step_context.is_some() && turn.can_change::<StepPost>())
}

/// Whether hooks of an agent can change or block the answer of an agent that works for it.
pub(crate) fn can_review_answers(turn: &TurnContext) -> bool {
    turn.state.is_reviewed
        || turn.can_change::<DelegationPost>()
        || turn.can_change::<DelegationPostVerify>()
        || turn.can_change::<ToolResultPayload>()
        || turn.can_change::<ToolPost>()
}

//! Holding back what an agent says until every hook that can change or block it has been called.
//!
//! A reply of the model can be changed or blocked by the hooks of `completion.post`; an answer also by those of `agent.stop`
//! and `turn.end`, by those of the delegating agent, and in a step by those of `step.post`. Where none of them can, text is
//! told as it arrives.

use pintle::event::{
    AgentStop, CompletionPost, DelegationPost, DelegationPostVerify, StepPost, ToolPost, ToolResultPayload, TurnEnd,
};

use crate::observe::Happening;
use crate::turn::Turn;

/// What observers know of the model's last reply.
#[derive(Debug, Default)]
pub(super) struct TextGate {
    /// The text, when they have been told.
    told: Option<String>,
    /// The text, when they have not: it may be or become the answer.
    held: Option<String>,
}

impl TextGate {
    /// Whether text may be told while it arrives.
    pub(super) fn is_open(turn: &Turn) -> bool {
        !turn.may_change::<CompletionPost>()
            && !turn.may_change::<AgentStop>()
            && !turn.may_change::<TurnEnd>()
            && !is_reviewed(turn)
    }

    /// Takes a reply that may be an answer. `streamed` says that observers were told of its text as it arrived.
    pub(super) fn take_reply(&mut self, turn: &Turn, text: &str, streamed: bool) {
        (self.told, self.held) = (None, None);
        if streamed {
            turn.tell(Happening::Message { text, streamed });
            self.told = Some(text.to_owned());
        } else if !text.is_empty() {
            self.held = Some(text.to_owned());
        }
    }

    /// Tells of the reply: it is no answer, and its own hooks have been called.
    pub(super) fn release(&mut self, turn: &Turn) {
        if let Some(text) = self.held.take() {
            self.tell(turn, text);
        }
    }

    /// Takes the reply out, so that another one can be taken before it is decided who hears it.
    pub(super) fn take_held(&mut self) -> Option<String> {
        self.held.take()
    }

    /// Forgets the reply: hooks did not accept it.
    pub(super) fn discard(&mut self) {
        self.held = None;
    }

    /// Tells of a text that hooks have accepted, unless observers know it.
    pub(super) fn accept(&mut self, turn: &Turn, text: &str) {
        self.held = None;
        if !text.is_empty() && self.told.as_deref() != Some(text) {
            self.tell(turn, text.to_owned());
        }
    }

    /// Tells of a turn's answer, which the hooks of the turn have accepted. Where others can still change it, whoever fires
    /// their events tells of what they leave.
    pub(super) fn conclude(&mut self, turn: &Turn, text: &str) {
        match is_reviewed(turn) {
            true => {
                self.held = None;
                if let Some(work) = turn.state.work.as_ref().filter(|_| turn.state.delegation.is_none()) {
                    work.withhold_answer();
                }
            }
            false => self.accept(turn, text),
        }
    }

    fn tell(&mut self, turn: &Turn, text: String) {
        turn.tell(Happening::Message { text: &text, streamed: false });
        self.told = Some(text);
    }
}

/// Whether hooks can change or block the answer of a turn after its end.
fn is_reviewed(turn: &Turn) -> bool {
    turn.state.is_reviewed || (turn.state.delegation.is_none() && turn.work.is_some() && turn.may_change::<StepPost>())
}

/// Whether hooks of an agent can change or block the answer of another one that works for it.
pub(crate) fn reviews_answers(turn: &Turn) -> bool {
    turn.state.is_reviewed
        || turn.may_change::<DelegationPost>()
        || turn.may_change::<DelegationPostVerify>()
        || turn.may_change::<ToolResultPayload>()
        || turn.may_change::<ToolPost>()
}

//! Messages of the user: `prompt.submit`, and during a turn `prompt.steer` and `prompt.followup`.
//!
//! A hook of `prompt.submit` that filters prompts must also see the messages sent during a turn. docker-agent has
//! separate events for these, so `prompt.submit` does not fire for them where its rules apply.

use pintle_host::event::PromptSubmit;
use pintle_host::lifecycle;
use pintle_host::tape::record::host::MessageSource;

use crate::conversation::Conversation;
use crate::model::ModelMessage;
use crate::observer::AgentEvent;
use crate::recording;
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;
use crate::turn_life::TurnLife;

/// Whether the user started the turn, not another agent.
pub(super) fn is_of_person(turn: &TurnContext) -> bool {
    turn.state.delegation.is_none()
}

/// Fires `prompt.submit` for a prompt and returns it after the rewrites.
pub(super) fn submit(turn: &TurnContext, prompt: &str) -> Result<String, TurnError> {
    if !is_of_person(turn) {
        return Ok(prompt.to_owned());
    }
    let prompt = PromptSubmit { prompt: prompt.to_owned(), source: None, host: None };
    lifecycle::submit_prompt(&mut TurnLife::new(turn), prompt)
}

/// Adds the messages that the user sent meanwhile to the conversation. Returns whether there were any.
pub(super) fn take_steering(turn: &TurnContext, conversation: &mut Conversation) -> bool {
    if !is_of_person(turn) {
        return false;
    }
    let mut messages = turn.agent.shared.state.inbox.take_steering();
    if messages.is_empty() {
        return false;
    }
    messages.iter().for_each(|text| recording::record_user_message(turn, MessageSource::Steer, text));
    turn.state.forget_prompt();
    match lifecycle::steer(&mut TurnLife::new(turn), messages) {
        Ok(left) => messages = left,
        Err(refusal) => {
            turn.notify(AgentEvent::Notice { message: &format!("your message was dropped: {}", refusal.message) });
            return false;
        }
    }
    messages.retain_mut(|message| is_admitted(turn, message));
    let count = messages.len();
    messages.into_iter().for_each(|message| conversation.push(turn, ModelMessage::user(message)));
    count > 0
}

/// Fires `prompt.submit` for a message sent during a turn and applies the rewrites. Returns whether the message is
/// added to the conversation; if not, the user is notified.
fn is_admitted(turn: &TurnContext, prompt: &mut String) -> bool {
    if !turn.rules().submits_steering {
        return true;
    }
    match submit(turn, prompt) {
        Ok(text) => {
            *prompt = text;
            true
        }
        Err(error) => {
            turn.notify(AgentEvent::Notice { message: &format!("your message was dropped: {}", error.message) });
            false
        }
    }
}

/// Adds the oldest queued prompt that hooks allow to the conversation. Returns whether there was one.
pub(super) fn take_follow_up(turn: &TurnContext, conversation: &mut Conversation) -> bool {
    if !is_of_person(turn) {
        return false;
    }
    while let Some((mut prompt, waiting)) = turn.agent.shared.state.inbox.take_follow_up() {
        recording::record_user_message(turn, MessageSource::FollowUp, &prompt);
        turn.state.forget_prompt();
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        match lifecycle::follow_up(&mut TurnLife::new(turn), prompt, waiting) {
            Ok(left) => prompt = left,
            Err(refusal) => {
                turn.notify(AgentEvent::Notice { message: &format!("your prompt was dropped: {}", refusal.message) });
                continue;
            }
        }
        if !is_admitted(turn, &mut prompt) {
            continue;
        }
        turn.notify(AgentEvent::TurnStarted { message: &prompt });
        conversation.push(turn, ModelMessage::user(prompt));
        return true;
    }
    false
}

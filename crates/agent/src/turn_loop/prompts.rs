//! Messages of the user: `prompt.submit`, and during a turn `prompt.steer` and `prompt.followup`.
//!
//! A hook of `prompt.submit` that filters prompts must also see the messages sent during a turn. docker-agent has
//! separate events for these, so `prompt.submit` does not fire for them where its rules apply.

use pintle::event::{PromptFollowup, PromptSteer, PromptSubmit};
use pintle::tape::record::host::MessageSource;
use serde_json::Value;

use crate::conversation::Conversation;
use crate::model::ModelMessage;
use crate::observer::AgentEvent;
use crate::recording;
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;

/// Whether the user started the turn, not another agent.
pub(super) fn is_of_person(turn: &TurnContext) -> bool {
    turn.state.delegation.is_none()
}

/// Fires `prompt.submit` for a prompt and returns it after the rewrites.
pub(super) fn submit(turn: &TurnContext, prompt: &str) -> Result<String, TurnError> {
    if !is_of_person(turn) {
        return Ok(prompt.to_owned());
    }
    let Some(outcome) = turn.fire_team(|| PromptSubmit { prompt: prompt.to_owned(), source: None, host: None }) else {
        return Ok(prompt.to_owned());
    };
    if turn.scope.cancel.is_cancelled() {
        return Err(TurnError::cancelled());
    }
    if !outcome.is_allowed() {
        return Err(TurnError::from_denial(turn, "prompt", &outcome).with_stop_reason("user_prompt_submit_blocked"));
    }
    let fields = outcome.payload.value();
    Ok(fields.get("prompt").and_then(Value::as_str).unwrap_or(prompt).to_owned())
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
    if let Some(outcome) = turn.fire_team(|| PromptSteer { messages: messages.clone() }) {
        if !outcome.is_allowed() {
            turn.notify(AgentEvent::Notice {
                message: &format!("your message was dropped: {}", outcome.denial_text()),
            });
            return false;
        }
        if outcome.rewritten {
            let listed = outcome.payload.field("messages").and_then(Value::as_array);
            messages = listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
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
        if let Some(outcome) = turn.fire_team(|| PromptFollowup { prompt: prompt.clone(), waiting }) {
            if !outcome.is_allowed() {
                turn.notify(AgentEvent::Notice {
                    message: &format!("your prompt was dropped: {}", outcome.denial_text()),
                });
                continue;
            }
            if let Some(text) = outcome.payload.field("prompt").and_then(Value::as_str) {
                text.clone_into(&mut prompt);
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

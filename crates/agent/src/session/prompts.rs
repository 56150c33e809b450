//! What the person says: `prompt.submit`, and while the agent is at work `prompt.steer` and `prompt.followup`.
//!
//! A hook of `prompt.submit` that keeps something out of the conversation has to see what is said while the agent is at
//! work too. Hooks of docker-agent have events of their own for that, so that in a team it is not fired again.

use pintle::event::{PromptFollowup, PromptSteer, PromptSubmit};
use pintle::tape::record::host::MessageSource;
use serde_json::Value;

use super::{Conversation, Fault};
use crate::model::Message;
use crate::observe::Happening;
use crate::taping;
use crate::turn::{Turn, words};

/// Whether a turn is a person's, and not a task that another agent gave.
pub(super) fn is_of_person(turn: &Turn) -> bool {
    turn.state.delegation.is_none()
}

/// Shows a prompt to the hooks before it enters the conversation, and gives it as they left it.
pub(super) fn submitted(turn: &Turn, prompt: &str) -> Result<String, Fault> {
    if !is_of_person(turn) {
        return Ok(prompt.to_owned());
    }
    let Some(outcome) = turn.fire_of(|| PromptSubmit { prompt: prompt.to_owned(), source: None, host: None }) else {
        return Ok(prompt.to_owned());
    };
    if turn.scope.cancel.is_cancelled() {
        return Err(Fault::cancelled());
    }
    if !outcome.is_allowed() {
        return Err(Fault::blocked(turn, "prompt", &outcome).stopped_by("user_prompt_submit_blocked"));
    }
    let fields = outcome.payload.value();
    Ok(fields.get("prompt").and_then(Value::as_str).unwrap_or(prompt).to_owned())
}

/// Takes what the person said in the meantime into the conversation. Gives whether there was anything.
pub(super) fn steer(turn: &Turn, conversation: &mut Conversation) -> bool {
    if !is_of_person(turn) {
        return false;
    }
    let mut messages = turn.agent.shared.inbox.take_steering();
    if messages.is_empty() {
        return false;
    }
    messages.iter().for_each(|text| taping::said(turn, MessageSource::Steer, text));
    turn.state.forget_prompt();
    if let Some(outcome) = turn.fire_of(|| PromptSteer { messages: messages.clone() }) {
        if !outcome.is_allowed() {
            turn.tell(Happening::Notice { message: &format!("your message was dropped: {}", words(&outcome)) });
            return false;
        }
        if outcome.rewritten {
            let listed = outcome.payload.field("messages").and_then(Value::as_array);
            messages = listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        }
    }
    messages.retain_mut(|message| is_admitted(turn, message));
    let count = messages.len();
    messages.into_iter().for_each(|message| conversation.push(turn, Message::user(message)));
    count > 0
}

/// Shows the hooks of `prompt.submit` what was said while the agent is at work, and takes over what they make of it. Gives
/// whether it may enter the conversation; if not, the person is told.
fn is_admitted(turn: &Turn, prompt: &mut String) -> bool {
    if turn.is_member() {
        return true;
    }
    match submitted(turn, prompt) {
        Ok(text) => {
            *prompt = text;
            true
        }
        Err(fault) => {
            turn.tell(Happening::Notice { message: &format!("your message was dropped: {}", fault.message) });
            false
        }
    }
}

/// Takes up the oldest prompt that waits and that hooks let pass. Gives whether there was one.
pub(super) fn follow_up(turn: &Turn, conversation: &mut Conversation) -> bool {
    if !is_of_person(turn) {
        return false;
    }
    while let Some((mut prompt, waiting)) = turn.agent.shared.inbox.take_follow_up() {
        taping::said(turn, MessageSource::FollowUp, &prompt);
        turn.state.forget_prompt();
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        if let Some(outcome) = turn.fire_of(|| PromptFollowup { prompt: prompt.clone(), waiting }) {
            if !outcome.is_allowed() {
                turn.tell(Happening::Notice { message: &format!("your prompt was dropped: {}", words(&outcome)) });
                continue;
            }
            if let Some(text) = outcome.payload.field("prompt").and_then(Value::as_str) {
                text.clone_into(&mut prompt);
            }
        }
        if !is_admitted(turn, &mut prompt) {
            continue;
        }
        turn.tell(Happening::TurnStarted { message: &prompt });
        conversation.push(turn, Message::user(prompt));
        return true;
    }
    false
}

//! Asks the agent's own model to write the summary.

use pintle_host::EventKind;
use pintle_host::event::TokenUsage;

use crate::completion;
use crate::conversation::{Conversation, estimate_tokens};
use crate::model::{MessageRole, ModelMessage, ModelRequest};
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;

/// The system prompt of the summary request.
const SYSTEM: &str = "You summarize a conversation between a user and an agent, so that the agent can continue with \
                      your summary alone. Do not answer the conversation and do not call tools: return the summary \
                      and nothing else.";

/// The user message of the summary request.
const PROMPT: &str = "Summarize the conversation above. Keep what the user wants, what was decided and why, what was \
                      done and with which result, the files, commands, names and numbers that matter, open \
                      questions, and the next step. Leave out what no longer matters.";

/// Tokens of the model's window reserved for the summary.
const RESERVED_TOKENS: u64 = 8_192;

/// Requests a summary from the model. No completion events fire, because the request is the host's own.
pub(super) fn write(
    turn: &TurnContext,
    conversation: &mut Conversation,
    removed: &[ModelMessage],
    limit: u64,
    steering: &[String],
) -> Result<String, TurnError> {
    let mut prompt = String::from(PROMPT);
    for text in steering.iter().filter(|text| !text.trim().is_empty()) {
        prompt.push_str("\n\n");
        prompt.push_str(text);
    }
    let mut messages = vec![ModelMessage::system(SYSTEM)];
    messages.extend_from_slice(take_newest(removed, limit));
    messages.push(ModelMessage::user(prompt));
    let spec = &turn.agent.spec;
    let declared = turn.model_spec().filter(|model| model.provider.is_empty());
    let request = ModelRequest {
        agent: spec.name.clone(),
        conversation: conversation.id.clone(),
        model: declared.map(|model| model.name.clone()).unwrap_or_default(),
        messages,
        ..ModelRequest::default()
    };
    // A summary is for the model, so observers do not see it as an answer.
    let reply = completion::call_model(turn, &request, None, &|_| {})?.reply;
    conversation.usage = conversation.usage.plus(TokenUsage::new(reply.usage.input_tokens, reply.usage.output_tokens));
    let summary = reply.text.trim();
    if summary.is_empty() {
        return Err(
            TurnError::failed("model", "the model gave no summary; try again").with_event(EventKind::CompactBefore)
        );
    }
    Ok(summary.to_owned())
}

/// The newest messages that fit into the model's window beside its answer, starting at a user or model message.
fn take_newest(messages: &[ModelMessage], limit: u64) -> &[ModelMessage] {
    if limit == 0 {
        return messages;
    }
    let most = limit.saturating_sub(RESERVED_TOKENS).max(limit / 2);
    let (mut from, mut tokens) = (messages.len(), 0);
    for (index, message) in messages.iter().enumerate().rev() {
        tokens += estimate_tokens(message) as u64;
        if tokens > most {
            break;
        }
        if message.role != MessageRole::Tool {
            from = index;
        }
    }
    messages.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_model_takes_is_sent_to_be_summed_up() {
        let messages: Vec<ModelMessage> =
            (0..4).map(|at| ModelMessage::user(format!("{at}{}", "x".repeat(400)))).collect();
        assert_eq!(take_newest(&messages, 0).len(), 4);
        assert_eq!(take_newest(&messages, 100_000).len(), 4);
        assert_eq!(take_newest(&messages, 500).len(), 2);
        assert!(take_newest(&messages, 10).is_empty());
    }
}

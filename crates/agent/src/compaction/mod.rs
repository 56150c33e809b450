//! Compaction: replaces the older part of a long conversation with a summary.
//!
//! `compact.pre` may veto it or steer the summary, `compact.before` may veto it or supply the summary, and
//! `compact.post` reports the result. Every agent compacts by the length of what is sent to the model, which for agents
//! outside a team is limited by their history settings.

mod split;
mod summary;
mod window;

use std::sync::Arc;

use pintle::Event;
use pintle::event::{CompactBefore, CompactPost, CompactPre};
use pintle::tape::record::host::MessagesReplacedBy;
use pintle::{Effect, Outcome};

use crate::completion::to_event_message;
use crate::conversation::{Conversation, ConversationLength, SUMMARY, estimate_tokens};
use crate::model::{MessageRole, ModelMessage, is_context_overflow};
use crate::observer::AgentEvent;
use crate::turn_context::TurnContext;
use crate::turn_error::{TurnError, TurnErrorKind};

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompactionTrigger {
    /// The conversation reached the threshold.
    Threshold,
    /// The results of the last tool calls pushed the conversation over the threshold.
    ToolResults,
    /// The model rejected the conversation as too long.
    Overflow,
    /// The user requested it.
    Manual,
}

impl CompactionTrigger {
    /// The value of `source` in `compact.pre`.
    fn source(self) -> &'static str {
        match self {
            Self::Threshold => "auto",
            Self::ToolResults => "tool_overflow",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
        }
    }

    /// The value of `reason` in `compact.before` and `compact.post`.
    fn reason(self) -> &'static str {
        match self {
            Self::Threshold | Self::ToolResults => "threshold",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
        }
    }
}

/// The result of a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionResult {
    /// The text that replaces the removed messages.
    pub summary: String,
    /// The number of removed messages.
    pub removed_messages: usize,
    /// The number of remaining messages, the summary included.
    pub remaining_messages: usize,
    /// The estimated number of tokens before the compaction.
    pub tokens_before: u64,
    /// The estimated number of tokens after the compaction.
    pub tokens_after: u64,
}

/// The reason to compact before the next model call, if there is one.
pub(crate) fn check_trigger(turn: &TurnContext, conversation: &Conversation) -> Option<CompactionTrigger> {
    let spec = turn.agent.spec.compaction;
    let limit = context_limit(turn).filter(|_| spec.enabled)?;
    let share = if spec.threshold > 0.0 && spec.threshold <= 1.0 { spec.threshold } else { 0.9 };
    let over = |tokens: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a threshold need not be exact")]
        let (tokens, limit) = (tokens as f64, limit as f64);
        tokens > limit * share
    };
    let tokens = count_tokens(conversation);
    // Another compaction cannot shorten what the last one had to keep.
    if !over(tokens) || tokens < conversation.length.compacted_tokens.saturating_mul(2) {
        return None;
    }
    let newer = conversation.messages.get(conversation.length.counted_messages..).unwrap_or_default();
    let by_tools =
        !over(conversation.length.counted_tokens) && newer.iter().any(|message| message.role == MessageRole::Tool);
    Some(if by_tools { CompactionTrigger::ToolResults } else { CompactionTrigger::Threshold })
}

/// Whether a turn failed because the model rejected the conversation as too long, so that compacting may save it.
pub(crate) fn is_overflow(turn: &TurnContext, error: &TurnError) -> bool {
    turn.agent.spec.compaction.enabled
        && matches!(error.kind, TurnErrorKind::Failed { source: "model", .. })
        && is_context_overflow(&error.message)
}

/// Compacts a conversation. Returns `None` if it stays unchanged; the user has then been told why.
///
/// # Errors
/// When the turn was cancelled. When the model gives no summary, and the user requested the compaction or the model
/// rejected the conversation. In other cases a failure is shown to the user and the conversation is sent as it is.
pub(crate) fn compact(
    turn: &TurnContext,
    conversation: &mut Conversation,
    cause: CompactionTrigger,
    instructions: Option<&str>,
) -> Result<Option<CompactionResult>, TurnError> {
    let tell = |message: &str| turn.notify(AgentEvent::Notice { message });
    let limit = context_limit(turn).unwrap_or(0);
    let split = split::split_conversation(&conversation.messages, limit, cause != CompactionTrigger::Manual);
    if split.removed.is_empty() {
        tell("there is nothing to compact");
        return Ok(None);
    }
    // Reminders that hooks queue from here on are meant for the compacted conversation.
    let mark = conversation.reminders.last_number();
    let Some(steering) = fire_compact_pre(turn, conversation, cause, instructions)? else { return Ok(None) };
    let tokens_before = count_tokens(conversation);
    let output_tokens = conversation.usage.output_tokens;
    let Some(given) = fire_compact_before(turn, &split.removed, cause, (tokens_before, output_tokens, limit))? else {
        return Ok(None);
    };
    let written = match given {
        Some(summary) => Ok(summary),
        None => summary::write(turn, conversation, &split.removed, limit, &steering),
    };
    let summary = match written {
        Ok(summary) => summary,
        Err(error) if cause == CompactionTrigger::Manual || matches!(error.kind, TurnErrorKind::Cancelled) => {
            return Err(error);
        }
        Err(error) => {
            tell(&format!("the conversation was not compacted: {}", error.message));
            return Ok(None);
        }
    };
    let before = conversation.messages.len();
    let mut messages = vec![ModelMessage::user(format!("{SUMMARY}{summary}"))];
    messages.extend(split.retained);
    let tokens_after = messages.iter().map(|message| estimate_tokens(message) as u64).sum();
    conversation.replace(turn, MessagesReplacedBy::Compact, messages);
    conversation.length.compacted_tokens = tokens_after;
    turn.change_reminders(&conversation.reminders, |held| held.on_compacted(mark));
    let remaining = conversation.messages.len();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let removed_messages = (before + 1).saturating_sub(remaining);
    let post = || CompactPost {
        reason: cause.reason().to_owned(),
        summary: summary.clone(),
        removed_messages: count(removed_messages),
        remaining_messages: count(remaining),
        input_tokens: tokens_before,
        output_tokens,
        input_tokens_after: tokens_after,
        context_limit: limit,
        host: None,
    };
    let _ = turn.fire_team_end(post);
    tell(&format!("compacted {removed_messages} messages of the conversation"));
    Ok(Some(CompactionResult { summary, removed_messages, remaining_messages: remaining, tokens_before, tokens_after }))
}

/// Fires `compact.pre`. Returns the instructions for the summary, or `None` for a compaction veto.
fn fire_compact_pre(
    turn: &TurnContext,
    conversation: &Conversation,
    cause: CompactionTrigger,
    instructions: Option<&str>,
) -> Result<Option<Vec<String>>, TurnError> {
    let payload = || CompactPre {
        source: cause.source().to_owned(),
        message_count: u32::try_from(conversation.messages.len()).unwrap_or(u32::MAX),
        instructions: instructions.map(str::to_owned),
        host: None,
    };
    let mut steering: Vec<String> = instructions.map(str::to_owned).into_iter().collect();
    let Some(outcome) = turn.fire_team(payload) else { return Ok(Some(steering)) };
    if is_vetoed(turn, &outcome)? {
        return Ok(None);
    }
    steering.extend(outcome.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::Context(text) => Some(text.clone()),
        _ => None,
    }));
    Ok(Some(steering))
}

/// Fires `compact.before`. Returns the summary if a hook supplied one, or `None` if a hook vetoes the compaction.
fn fire_compact_before(
    turn: &TurnContext,
    removed: &[ModelMessage],
    cause: CompactionTrigger,
    (input_tokens, output_tokens, context_limit): (u64, u64, u64),
) -> Result<Option<Option<String>>, TurnError> {
    if !turn.team_listens::<CompactBefore>() {
        return Ok(Some(None));
    }
    let payload = CompactBefore {
        reason: cause.reason().to_owned(),
        input_tokens,
        output_tokens,
        context_limit,
        messages: removed.iter().map(to_event_message).collect(),
        host: None,
    };
    let outcome = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    if is_vetoed(turn, &outcome)? {
        return Ok(None);
    }
    Ok(Some(outcome.effects.into_iter().find_map(|(_, effect)| match effect {
        Effect::Summary(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    })))
}

fn is_vetoed(turn: &TurnContext, outcome: &Outcome) -> Result<bool, TurnError> {
    if turn.scope.cancel.is_cancelled() {
        return Err(TurnError::cancelled());
    }
    if outcome.is_allowed() {
        return Ok(false);
    }
    turn.notify(AgentEvent::Notice {
        message: &format!("the conversation was not compacted: {}", outcome.denial_text()),
    });
    Ok(true)
}

/// The model's context window in tokens, if it is known.
fn context_limit(turn: &TurnContext) -> Option<u64> {
    let declared = turn.agent.spec.compaction.context_limit;
    let named = turn.model_spec().map_or_else(|| turn.model().name(), |model| &model.name);
    declared.filter(|limit| *limit > 0).or_else(|| window::context_window(named))
}

/// The approximate number of tokens: the provider's count plus an estimate for the messages added since.
fn count_tokens(conversation: &Conversation) -> u64 {
    let ConversationLength { counted_tokens, counted_messages, .. } = conversation.length;
    let from = if counted_tokens == 0 { 0 } else { counted_messages };
    let newer = conversation.messages.get(from..).unwrap_or_default();
    counted_tokens + newer.iter().map(|message| estimate_tokens(message) as u64).sum::<u64>()
}

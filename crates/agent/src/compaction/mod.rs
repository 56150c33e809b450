//! Compaction: replaces the older part of a long conversation with a summary.
//!
//! `compact.pre` may veto it or steer the summary, `compact.before` may veto it or supply the summary, and
//! `compact.post` reports the result. Every agent compacts by the length of what is sent to the model, which for agents
//! outside a team is limited by their history settings.

mod split;
mod summary;
mod window;

use pintle_host::event::{CompactBefore, CompactPost, CompactPre};
use pintle_host::lifecycle::{plan_compaction, report_compaction};
use pintle_host::tape::record::host::MessagesReplacedBy;

use crate::completion::to_event_message;
use crate::conversation::{Conversation, ConversationLength, SUMMARY, estimate_tokens};
use crate::model::{MessageRole, ModelMessage, is_context_overflow};
use crate::observer::AgentEvent;
use crate::turn_context::TurnContext;
use crate::turn_error::{TurnError, TurnErrorKind};
use crate::turn_life::TurnLife;

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
    let tokens_before = count_tokens(conversation);
    let output_tokens = conversation.usage.output_tokens;
    let pre = || CompactPre {
        source: cause.source().to_owned(),
        message_count: u32::try_from(conversation.messages.len()).unwrap_or(u32::MAX),
        instructions: instructions.map(str::to_owned),
        host: None,
    };
    let before = || CompactBefore {
        reason: cause.reason().to_owned(),
        input_tokens: tokens_before,
        output_tokens,
        context_limit: limit,
        messages: split.removed.iter().map(to_event_message).collect(),
        host: None,
    };
    let plan = match plan_compaction(&mut TurnLife::new(turn), pre, before) {
        Ok(plan) => plan,
        Err(error) if matches!(error.kind, TurnErrorKind::Cancelled) => return Err(error),
        Err(refusal) => {
            tell(&format!("the conversation was not compacted: {}", refusal.message));
            return Ok(None);
        }
    };
    let written = match plan.summary {
        Some(summary) => Ok(summary),
        None => {
            let steering: Vec<String> = instructions.map(str::to_owned).into_iter().chain(plan.instructions).collect();
            summary::write(turn, conversation, &split.removed, limit, &steering)
        }
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
    report_compaction(&mut TurnLife::new(turn), post)?;
    tell(&format!("compacted {removed_messages} messages of the conversation"));
    Ok(Some(CompactionResult { summary, removed_messages, remaining_messages: remaining, tokens_before, tokens_after }))
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

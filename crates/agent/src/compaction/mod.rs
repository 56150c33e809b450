//! Compaction: a conversation that grows too long is summed up, and goes on with the summary.
//!
//! `compact.pre` may veto it or steer the summary, `compact.before` may veto it or write the summary itself, and
//! `compact.post` tells of it (docker-agent behaviour, section 6.1). So it is for every agent: what counts is what is sent,
//! which for agents outside a team their history bounds cut.

mod split;
mod summary;
mod window;

use std::sync::Arc;

use pintle::Event;
use pintle::event::{CompactBefore, CompactPost, CompactPre};
use pintle::tape::record::host::MessagesReplacedBy;
use pintle::{CompactionSpec, Effect, Outcome};

use crate::model::{Message, Role};
use crate::observe::Happening;
use crate::session::{Conversation, Fault, FaultKind, Length, estimate, shown};
use crate::turn::{Turn, words};

/// What begins the message that stands for everything that was summed up (docker-agent).
pub(crate) const SUMMARY: &str = "Session Summary: ";

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It grew to the threshold.
    Threshold,
    /// The results of the last tool calls pushed it over the threshold.
    ToolResults,
    /// The model refused it for its length.
    Overflow,
    /// The person wants it.
    Manual,
}

impl Cause {
    /// The word of `compact.pre`.
    fn source(self) -> &'static str {
        match self {
            Self::Threshold => "auto",
            Self::ToolResults => "tool_overflow",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
        }
    }

    /// The word of `compact.before` and `compact.post`.
    fn reason(self) -> &'static str {
        match self {
            Self::Threshold | Self::ToolResults => "threshold",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
        }
    }
}

/// What a compaction came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted {
    /// What stands for the messages that were removed.
    pub summary: String,
    /// The messages that were removed.
    pub removed_messages: usize,
    /// The messages that are left, the summary included.
    pub remaining_messages: usize,
    /// About how many tokens the conversation had before.
    pub tokens_before: u64,
    /// About how many tokens it has now.
    pub tokens_after: u64,
}

/// What is declared for the agent at work.
fn declared(turn: &Turn) -> CompactionSpec {
    let spec = &turn.agent.spec;
    spec.member.as_ref().map_or(spec.compaction, |member| member.compaction)
}

/// Whether the conversation has to be compacted before the next model call, and why.
pub(crate) fn due(turn: &Turn, conversation: &Conversation) -> Option<Cause> {
    let spec = declared(turn);
    let limit = context_limit(turn).filter(|_| spec.enabled)?;
    let share = if spec.threshold > 0.0 && spec.threshold <= 1.0 { spec.threshold } else { 0.9 };
    let over = |tokens: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a threshold need not be exact")]
        let (tokens, limit) = (tokens as f64, limit as f64);
        tokens > limit * share
    };
    let tokens = tokens_of(conversation);
    // What the last compaction had to leave cannot be made shorter by another one.
    if !over(tokens) || tokens < conversation.length.compacted_tokens.saturating_mul(2) {
        return None;
    }
    let newer = conversation.messages.get(conversation.length.counted_messages..).unwrap_or_default();
    let by_tools = !over(conversation.length.counted_tokens) && newer.iter().any(|message| message.role == Role::Tool);
    Some(if by_tools { Cause::ToolResults } else { Cause::Threshold })
}

/// Whether a failed turn can be saved by compacting: the model says that the conversation is too long.
pub(crate) fn is_overflow(turn: &Turn, fault: &Fault) -> bool {
    declared(turn).enabled
        && matches!(fault.kind, FaultKind::Failed { what: "model", .. })
        && says_too_long(&fault.message)
}

/// Whether a provider's words mean that the conversation is too long for the model.
pub(crate) fn says_too_long(message: &str) -> bool {
    window::says_too_long(message)
}

/// Compacts a conversation. `None` is one that stays as it is; the person was told why.
///
/// # Errors
/// When the turn was cancelled. When the person asked for it or the model refused the conversation, also when the model
/// gives no summary; otherwise the person is told, and the conversation is sent as it is.
pub(crate) fn compact(
    turn: &Turn,
    conversation: &mut Conversation,
    cause: Cause,
    instructions: Option<&str>,
) -> Result<Option<Compacted>, Fault> {
    let tell = |message: &str| turn.tell(Happening::Notice { message });
    let limit = context_limit(turn).unwrap_or(0);
    let split = split::of(&conversation.messages, limit, cause != Cause::Manual);
    if split.removed.is_empty() {
        tell("there is nothing to compact");
        return Ok(None);
    }
    // What the hooks that are asked from here on want the model to be told is about what comes.
    let mark = conversation.reminders.mark();
    let Some(steering) = announce(turn, conversation, cause, instructions)? else { return Ok(None) };
    let tokens_before = tokens_of(conversation);
    let output_tokens = conversation.usage.output_tokens;
    let Some(given) = replaced(turn, &split.removed, cause, (tokens_before, output_tokens, limit))? else {
        return Ok(None);
    };
    let written = match given {
        Some(summary) => Ok(summary),
        None => summary::write(turn, conversation, &split.removed, limit, &steering),
    };
    let summary = match written {
        Ok(summary) => summary,
        Err(fault) if cause == Cause::Manual || matches!(fault.kind, FaultKind::Cancelled) => return Err(fault),
        Err(fault) => {
            tell(&format!("the conversation was not compacted: {}", fault.message));
            return Ok(None);
        }
    };
    let before = conversation.messages.len();
    let mut messages = vec![Message::user(format!("{SUMMARY}{summary}"))];
    messages.extend(split.kept);
    let tokens_after = messages.iter().map(|message| estimate(message) as u64).sum();
    conversation.replace(turn, MessagesReplacedBy::Compact, messages);
    conversation.length.compacted_tokens = tokens_after;
    conversation.reminders.compacted(turn, mark);
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
    let _ = turn.fire_end_of(post);
    tell(&format!("compacted {removed_messages} messages of the conversation"));
    Ok(Some(Compacted { summary, removed_messages, remaining_messages: remaining, tokens_before, tokens_after }))
}

/// Asks the hooks of `compact.pre`. Gives what the summary is to heed, or nothing when a hook vetoes.
fn announce(
    turn: &Turn,
    conversation: &Conversation,
    cause: Cause,
    instructions: Option<&str>,
) -> Result<Option<Vec<String>>, Fault> {
    let payload = || CompactPre {
        source: cause.source().to_owned(),
        message_count: u32::try_from(conversation.messages.len()).unwrap_or(u32::MAX),
        instructions: instructions.map(str::to_owned),
        host: None,
    };
    let mut steering: Vec<String> = instructions.map(str::to_owned).into_iter().collect();
    let Some(outcome) = turn.fire_of(payload) else { return Ok(Some(steering)) };
    if is_vetoed(turn, &outcome)? {
        return Ok(None);
    }
    steering.extend(outcome.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::Context(text) => Some(text.clone()),
        _ => None,
    }));
    Ok(Some(steering))
}

/// Asks the hooks of `compact.before`. Gives the summary that one of them wrote, if any did, or nothing at all when one
/// vetoes.
fn replaced(
    turn: &Turn,
    removed: &[Message],
    cause: Cause,
    (input_tokens, output_tokens, context_limit): (u64, u64, u64),
) -> Result<Option<Option<String>>, Fault> {
    if !turn.tells_of::<CompactBefore>() {
        return Ok(Some(None));
    }
    let payload = CompactBefore {
        reason: cause.reason().to_owned(),
        input_tokens,
        output_tokens,
        context_limit,
        messages: removed.iter().map(shown).collect(),
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

fn is_vetoed(turn: &Turn, outcome: &Outcome) -> Result<bool, Fault> {
    if turn.scope.cancel.is_cancelled() {
        return Err(Fault::cancelled());
    }
    if outcome.is_allowed() {
        return Ok(false);
    }
    turn.tell(Happening::Notice { message: &format!("the conversation was not compacted: {}", words(outcome)) });
    Ok(true)
}

/// The tokens that the model takes at most, as far as that is known.
fn context_limit(turn: &Turn) -> Option<u64> {
    let declared = declared(turn).context_limit;
    let named = turn.model_spec().map_or_else(|| turn.model().name(), |model| &model.name);
    declared.filter(|limit| *limit > 0).or_else(|| window::of(named))
}

/// About how many tokens the conversation has: what the provider counted, and an estimate of what came after.
fn tokens_of(conversation: &Conversation) -> u64 {
    let Length { counted_tokens, counted_messages, .. } = conversation.length;
    let from = if counted_tokens == 0 { 0 } else { counted_messages };
    let newer = conversation.messages.get(from..).unwrap_or_default();
    counted_tokens + newer.iter().map(|message| estimate(message) as u64).sum::<u64>()
}

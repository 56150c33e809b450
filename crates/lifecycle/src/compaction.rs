//! Compaction: a summary replaces the older part of a conversation.

use pintle_contract::Effect;
use pintle_contract::event::{CompactBefore, CompactPost, CompactPre};

use super::life::{LifeHost, pass};

/// What hooks want of a compaction that they do not deny.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The summary that a hook supplies; without one, the host writes it.
    pub summary: Option<String>,
    /// What the summary must keep.
    pub instructions: Vec<String>,
}

/// Asks hooks before a conversation is compacted: `compact.pre` may steer the summary, `compact.before` may supply it.
///
/// # Errors
/// With the refusal, if hooks deny the compaction.
pub fn plan_compaction<H: LifeHost>(
    host: &mut H,
    pre: impl FnOnce() -> CompactPre,
    before: impl FnOnce() -> CompactBefore,
) -> Result<CompactionPlan, H::Refusal> {
    let steered = pass(host, pre)?.outcome;
    let instructions = steered.into_iter().flat_map(|outcome| outcome.effects).filter_map(|(_, effect)| match effect {
        Effect::Context(text) => Some(text),
        _ => None,
    });
    let instructions = instructions.collect();
    let supplied = pass(host, before)?.outcome;
    let summary = supplied.into_iter().flat_map(|outcome| outcome.effects).find_map(|(_, effect)| match effect {
        Effect::Summary(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    });
    Ok(CompactionPlan { summary, instructions })
}

/// Tells hooks about a compaction (`compact.post`). It has happened, so they cannot deny it.
///
/// # Errors
/// If the host was cancelled.
pub fn report_compaction<H: LifeHost>(host: &mut H, post: impl FnOnce() -> CompactPost) -> Result<(), H::Refusal> {
    super::life::fire_if_heard(host, post).map(drop)
}

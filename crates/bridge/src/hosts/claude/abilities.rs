//! What Claude Code can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Ends, Lost, Nearly, OnlyApproved, Tells};
use crate::{Abilities, Ability};

/// An event that only tells.
pub(super) const TELLS: Abilities = Abilities {
    deny: Absent,
    ask: Absent,
    approve: Absent,
    rewrite: Absent,
    output: Absent,
    context: Ability::REMINDERS,
    stop: Ability::ENDED,
    notice: Does,
};

/// The end of a session, which is over before anybody is told anything.
pub(super) const SESSION_END: Abilities =
    Abilities { stop: Ability::OVER, notice: Lost("Claude Code shows nothing of what is said here"), ..TELLS };

/// After a compaction.
pub(super) const COMPACTED: Abilities = Abilities { context: Ability::LATER, ..TELLS };

pub(super) const SESSION_START: Abilities =
    Abilities { deny: Ability::REFUSED, ask: Ability::REFUSED, context: Does, stop: Ability::REFUSED, ..TELLS };

pub(super) const PROMPT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Claude Code cannot ask a person about a prompt"),
    rewrite: Denies("Claude Code cannot change a prompt"),
    context: Does,
    stop: Does,
    ..TELLS
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Does,
    approve: Does,
    rewrite: Does,
    context: Does,
    stop: Nearly("the call is denied and the run ends"),
    ..TELLS
};

pub(super) const PERMISSION: Abilities = Abilities {
    deny: Does,
    ask: Nearly("the person is asked, as without the hook"),
    approve: Does,
    rewrite: OnlyApproved("Claude Code changes a call that it asks about only when it is approved"),
    stop: Does,
    ..TELLS
};

pub(super) const AFTER_TOOL: Abilities =
    Abilities { deny: Ability::REPLACED, output: Does, context: Does, stop: Does, ..TELLS };

/// What a failed tool gave stands in its error.
const ERROR: &str = "Claude Code cannot change the text of an error, which the model would read next";

pub(super) const FAILED_TOOL: Abilities =
    Abilities { deny: Ends(ERROR), output: Ends(ERROR), context: Does, stop: Does, ..TELLS };

pub(super) const BATCH: Abilities = Abilities { context: Does, stop: Does, ..TELLS };

pub(super) const SUBAGENT_START: Abilities = Abilities { context: Ability::REMINDERS_NOW, ..BATCH };

pub(super) const STOP: Abilities = Abilities {
    deny: Does,
    ask: Denies("Claude Code cannot ask a person whether an agent may stop"),
    output: Tells("Claude Code cannot change an answer that the person already saw"),
    context: Ability::LATER,
    stop: Does,
    ..TELLS
};

pub(super) const SUBAGENT_STOP: Abilities =
    Abilities { deny: Nearly("the subagent goes on, with the reason as its next message"), ..STOP };

pub(super) const COMPACT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Claude Code cannot ask a person about a compaction"),
    output: Lost("Claude Code writes the summary itself"),
    context: Does,
    notice: Lost("Claude Code takes what is said here for instructions of the summary"),
    ..TELLS
};

//! What Codex can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Lost, Nearly, Tells};
use crate::{Abilities, Ability};

const NO_ASK: &str = "Codex cannot ask a person for a hook";

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

/// The end of a session, whose answer is not read.
pub(super) const SESSION_END: Abilities =
    Abilities { stop: Ability::OVER, notice: Lost("Codex does not read what is said here"), ..TELLS };

/// After a compaction.
pub(super) const COMPACTED: Abilities = Abilities { context: Ability::LATER, ..TELLS };

pub(super) const SESSION_START: Abilities =
    Abilities { deny: Ability::REFUSED, ask: Ability::REFUSED, context: Does, stop: Ability::REFUSED, ..TELLS };

pub(super) const PROMPT: Abilities = Abilities {
    deny: Does,
    ask: Denies(NO_ASK),
    rewrite: Denies("Codex cannot change a prompt"),
    context: Does,
    stop: Does,
    ..TELLS
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Denies(NO_ASK),
    approve: Lost("Codex takes an approval only with a rewrite"),
    rewrite: Does,
    context: Does,
    stop: Nearly("the call is denied, and so is everything after it"),
    ..TELLS
};

pub(super) const PERMISSION: Abilities = Abilities {
    deny: Does,
    ask: Nearly("the person is asked, as without the hook"),
    approve: Does,
    rewrite: Denies("Codex cannot change a call that it asks about"),
    stop: Nearly("the call is denied, and so is everything after it"),
    ..TELLS
};

pub(super) const AFTER_TOOL: Abilities = Abilities {
    deny: Does,
    output: Nearly("the changed result takes the place of the result, as feedback of a hook"),
    context: Does,
    stop: Ability::REPLACED_AND_ENDED,
    ..TELLS
};

pub(super) const SUBAGENT_START: Abilities = Abilities { context: Ability::REMINDERS_NOW, ..TELLS };

pub(super) const STOP: Abilities = Abilities {
    deny: Does,
    ask: Denies(NO_ASK),
    output: Tells("Codex cannot change an answer that the person already saw"),
    context: Ability::LATER,
    stop: Does,
    ..TELLS
};

pub(super) const SUBAGENT_STOP: Abilities =
    Abilities { deny: Nearly("the subagent goes on, with the reason as its next message"), ..STOP };

pub(super) const COMPACT: Abilities = Abilities {
    deny: Nearly("the turn stops before the compaction"),
    ask: Denies(NO_ASK),
    output: Tells("Codex writes the summary itself"),
    context: Ability::LATER,
    stop: Does,
    ..TELLS
};

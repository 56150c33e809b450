//! What Gemini CLI can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Lost, Nearly, Tells};
use crate::{Abilities, Ability};

const NO_ASK: &str = "Gemini CLI waits for ever for an answer when nobody sits before it";

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

/// The end of a session.
pub(super) const SESSION_END: Abilities = Abilities { stop: Ability::OVER_TOLD, ..TELLS };

/// An event that only tells, and whose hooks may have a text for the model.
pub(super) const TELLS_LATER: Abilities = Abilities { context: Ability::LATER, ..TELLS };

pub(super) const SESSION_START: Abilities =
    Abilities { deny: Ability::REFUSED, ask: Ability::REFUSED, context: Does, stop: Ability::REFUSED, ..TELLS };

pub(super) const PROMPT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Gemini CLI cannot ask a person about a prompt"),
    rewrite: Denies("Gemini CLI cannot change a prompt"),
    context: Does,
    stop: Does,
    ..TELLS
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Denies(NO_ASK),
    approve: Lost("Gemini CLI asks as its own settings say"),
    rewrite: Nearly("an argument that is taken away is a deny, because Gemini CLI lays the change over its own input"),
    stop: Does,
    ..TELLS_LATER
};

pub(super) const AFTER_TOOL: Abilities = Abilities {
    deny: Ability::REPLACED,
    output: Nearly("the changed result takes the place of the result, as an error"),
    context: Does,
    stop: Does,
    ..TELLS
};

pub(super) const STOP: Abilities = Abilities {
    deny: Does,
    ask: Denies("Gemini CLI cannot ask a person whether an agent may stop"),
    output: Tells("Gemini CLI cannot change an answer that the person already saw"),
    context: Ability::LATER,
    stop: Does,
    ..TELLS
};

pub(super) const BEFORE_MODEL: Abilities = Abilities {
    deny: Does,
    ask: Denies(NO_ASK),
    rewrite: Lost("hooks are not shown a request of Gemini CLI in the form that they could change"),
    stop: Does,
    ..TELLS_LATER
};

pub(super) const COMPACT: Abilities = Abilities {
    deny: Tells("Gemini CLI compresses whatever hooks say"),
    ask: Tells("Gemini CLI compresses whatever hooks say"),
    output: Tells("Gemini CLI writes the summary itself"),
    ..TELLS_LATER
};

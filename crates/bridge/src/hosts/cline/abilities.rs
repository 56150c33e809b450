//! What Cline can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Lost, Nearly};
use crate::{Abilities, Ability};

const DROPPED: &str = "Cline does not wait for the answer here";
const UNSAID: &str = "Cline shows a hook's words to nobody here";

/// An event that Cline does not wait at.
pub(super) const DETACHED: Abilities = Abilities {
    deny: Lost(DROPPED),
    ask: Lost(DROPPED),
    approve: Absent,
    rewrite: Absent,
    output: Absent,
    context: Lost(DROPPED),
    stop: Nearly("every tool call is denied until the next prompt, which ends the task"),
    notice: Lost(DROPPED),
};

/// The beginning of a session.
pub(super) const SESSION_START: Abilities =
    Abilities { deny: Ability::REFUSED, ask: Ability::REFUSED, stop: Ability::REFUSED, ..DETACHED };

/// The end of a task, which is that of a turn.
pub(super) const TASK_END: Abilities = Abilities { output: Lost(DROPPED), stop: Ability::OVER, ..DETACHED };

/// The end of the session.
pub(super) const SESSION_END: Abilities = Abilities { stop: Ability::OVER, ..DETACHED };

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Nearly("the whole task ends, and the model does not learn why"),
    ask: Denies("Cline cannot ask a person for a hook"),
    approve: Lost("Cline takes no approval from a hook"),
    rewrite: Does,
    output: Absent,
    context: Does,
    stop: Does,
    notice: Lost(UNSAID),
};

pub(super) const PROMPT: Abilities = Abilities {
    deny: Nearly("the task ends"),
    rewrite: Denies("Cline cannot change a prompt"),
    context: Nearly("where Cline fires this event, which it was not seen to do without a terminal"),
    ..BEFORE_TOOL
};

pub(super) const AFTER_TOOL: Abilities = Abilities {
    deny: Nearly("the whole task ends, so that nothing is made of the result"),
    ask: Absent,
    approve: Absent,
    rewrite: Absent,
    output: Denies("Cline cannot change a result"),
    ..BEFORE_TOOL
};

//! What Copilot can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Ends, Lost, Nearly};
use crate::{Abilities, Ability};

const UNSAID: &str = "Copilot shows a hook's words to nobody here";
const REFUSED: Ability = Nearly("the session begins, and each of its tool calls is denied");

/// An event whose answer is not read.
pub(super) const SILENT: Abilities = Abilities {
    deny: Lost("Copilot goes on whatever a hook says here"),
    ask: Lost("Copilot goes on whatever a hook says here"),
    approve: Absent,
    rewrite: Absent,
    output: Absent,
    context: Lost(UNSAID),
    stop: Ability::ENDED,
    notice: Nearly("it stands in Copilot's log"),
};

pub(super) const SESSION_START: Abilities =
    Abilities { deny: REFUSED, ask: REFUSED, context: Does, stop: REFUSED, ..SILENT };

/// The end of a session.
pub(super) const SESSION_END: Abilities = Abilities { stop: Ability::OVER, ..SILENT };

pub(super) const PROMPT: Abilities = Abilities {
    deny: Nearly("the model is told, and every tool call is denied until the next prompt"),
    ask: Denies("Copilot cannot ask a person about a prompt"),
    rewrite: Denies("Copilot cannot change a prompt"),
    context: Does,
    ..SILENT
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Does,
    approve: Does,
    rewrite: Does,
    stop: Nearly("the call is denied, and so is everything after it"),
    ..SILENT
};

pub(super) const PERMISSION: Abilities = Abilities {
    deny: Does,
    ask: Nearly("the person is asked, as without the hook"),
    approve: Does,
    rewrite: Denies("Copilot cannot change a call that it asks about"),
    stop: Does,
    ..SILENT
};

pub(super) const AFTER_TOOL: Abilities = Abilities { deny: Ability::REPLACED, output: Does, context: Does, ..SILENT };

/// What a failed tool gave stands in its error.
const ERROR: &str = "Copilot cannot change the text of an error, which the model reads next";

pub(super) const FAILED_TOOL: Abilities = Abilities { deny: Ends(ERROR), output: Ends(ERROR), context: Does, ..SILENT };

pub(super) const STOP: Abilities = Abilities {
    deny: Does,
    ask: Denies("Copilot cannot ask a person whether an agent may stop"),
    output: Lost("Copilot cannot change an answer that the person already saw"),
    ..SILENT
};

pub(super) const SUBAGENT_STOP: Abilities =
    Abilities { deny: Nearly("the subagent goes on, with the reason as its next message"), ..STOP };

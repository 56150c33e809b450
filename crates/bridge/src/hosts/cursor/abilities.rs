//! What Cursor can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Ends, Lost, Nearly, Tells};
use crate::{Abilities, Ability};

const NO_TEXT: Ability = Tells("Cursor takes no text for the model here");
const UNSAID: &str = "Cursor shows a hook's words to nobody here";

/// An event whose answer is not read.
pub(super) const SILENT: Abilities = Abilities {
    deny: Absent,
    ask: Absent,
    approve: Absent,
    rewrite: Absent,
    output: Absent,
    context: Lost(UNSAID),
    stop: Ability::ENDED,
    notice: Lost(UNSAID),
};

pub(super) const SESSION_START: Abilities =
    Abilities { deny: Ability::REFUSED, ask: Ability::REFUSED, context: Does, stop: Ability::REFUSED, ..SILENT };

/// The end of a session.
pub(super) const SESSION_END: Abilities = Abilities { stop: Ability::OVER, ..SILENT };

const UNREAD: &str = "Cursor does not read the answer here, and the model reads the error next";

/// After a tool that failed.
pub(super) const FAILED_TOOL: Abilities = Abilities { deny: Ends(UNREAD), output: Ends(UNREAD), ..SILENT };

pub(super) const PROMPT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Cursor cannot ask a person about a prompt"),
    rewrite: Denies("Cursor cannot change a prompt"),
    context: NO_TEXT,
    notice: Does,
    ..SILENT
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Denies("Cursor takes an ask before a tool for an approval"),
    approve: Lost("Cursor asks the person as its own settings say"),
    rewrite: Does,
    context: NO_TEXT,
    stop: Nearly("the call is denied, and so is everything after it"),
    notice: Does,
    ..SILENT
};

pub(super) const BEFORE_EXECUTION: Abilities =
    Abilities { ask: Does, rewrite: Denies("Cursor changes a call only at preToolUse"), ..BEFORE_TOOL };

pub(super) const BEFORE_READ: Abilities = Abilities {
    ask: Denies("Cursor cannot ask a person here"),
    rewrite: Denies("Cursor cannot change this"),
    ..BEFORE_TOOL
};

pub(super) const SUBAGENT_START: Abilities = Abilities { rewrite: Absent, ..BEFORE_READ };

pub(super) const AFTER_TOOL: Abilities = Abilities {
    deny: Nearly("of an MCP tool the reason takes the place of the result, of another the model is told not to use it"),
    output: Nearly("of an MCP tool it is changed, of another the model is told not to use it"),
    context: Does,
    ..SILENT
};

pub(super) const STOP: Abilities = Abilities {
    deny: Does,
    ask: Denies("Cursor cannot ask a person whether an agent may stop"),
    output: Lost("Cursor cannot change an answer that the person already saw"),
    ..SILENT
};

pub(super) const COMPACT: Abilities = Abilities {
    deny: Tells("Cursor cannot be kept from a compaction"),
    ask: Tells("Cursor cannot be kept from a compaction"),
    context: NO_TEXT,
    notice: Does,
    ..SILENT
};

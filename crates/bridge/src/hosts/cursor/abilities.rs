//! What Cursor can do with what hooks decide.

use crate::Abilities;
use crate::Ability::{Absent, Denies, Does, Lost, Nearly};

const UNSAID: &str = "Cursor shows a hook's words to nobody here";

/// An event whose answer is not read.
pub(super) const SILENT: Abilities = Abilities {
    deny: Absent,
    ask: Absent,
    approve: Absent,
    rewrite: Absent,
    output: Lost("Cursor does not read the answer here"),
    context: Lost(UNSAID),
    stop: Nearly("every tool call is denied until the next prompt"),
    notice: Lost(UNSAID),
};

pub(super) const SESSION_START: Abilities = Abilities {
    deny: Nearly("the session begins, and each of its prompts and tool calls is denied"),
    context: Does,
    ..SILENT
};

pub(super) const PROMPT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Cursor cannot ask a person about a prompt"),
    rewrite: Denies("Cursor cannot change a prompt"),
    output: Absent,
    notice: Does,
    ..SILENT
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Denies("Cursor takes an ask before a tool for an approval"),
    approve: Lost("Cursor asks the person as its own settings say"),
    rewrite: Does,
    output: Absent,
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
    deny: Lost("Cursor cannot be kept from a compaction"),
    ask: Lost("Cursor cannot be kept from a compaction"),
    notice: Does,
    ..SILENT
};

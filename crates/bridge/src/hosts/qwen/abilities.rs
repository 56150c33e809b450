//! What Qwen Code can do with what hooks decide.

use crate::Ability::{Absent, Denies, Does, Later, Lost, Nearly, Tells};
use crate::{Abilities, Ability};

const LATER: Ability = Later("the model is told at the next event that lets it be told");

/// An event that only tells.
pub(super) const TELLS: Abilities = Abilities {
    deny: Absent,
    ask: Absent,
    approve: Absent,
    rewrite: Absent,
    output: Absent,
    context: LATER,
    stop: Nearly("every tool call is denied until the next prompt"),
    notice: Does,
};

pub(super) const SESSION_START: Abilities = Abilities {
    deny: Nearly("the session begins, and each of its prompts and tool calls is denied"),
    context: Does,
    ..TELLS
};

pub(super) const PROMPT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Qwen Code cannot ask a person about a prompt"),
    rewrite: Denies("Qwen Code cannot change a prompt"),
    context: Does,
    stop: Does,
    ..TELLS
};

pub(super) const BEFORE_TOOL: Abilities = Abilities {
    deny: Does,
    ask: Does,
    approve: Does,
    rewrite: Nearly("in yolo mode, where Qwen Code ignores a changed call, the call is denied"),
    context: Does,
    stop: Nearly("the call is denied and the run ends"),
    ..TELLS
};

pub(super) const PERMISSION: Abilities = Abilities {
    deny: Does,
    ask: Nearly("the person is asked, as without the hook"),
    approve: Does,
    rewrite: Denies("Qwen Code was not seen to change a call that it asks about"),
    stop: Does,
    ..TELLS
};

const NO_RESULT: &str = "the run ends, because Qwen Code cannot keep a result from the model";

pub(super) const AFTER_TOOL: Abilities =
    Abilities { deny: Nearly(NO_RESULT), output: Nearly(NO_RESULT), context: Does, stop: Does, ..TELLS };

pub(super) const FAILED_TOOL: Abilities = Abilities {
    deny: Tells("the tool failed already, and Qwen Code tells the model so itself"),
    output: Tells("Qwen Code cannot change the text of an error"),
    context: Does,
    stop: Does,
    ..TELLS
};

pub(super) const BATCH: Abilities = Abilities { context: Does, stop: Does, ..TELLS };

pub(super) const SUBAGENT_START: Abilities = Abilities { context: Does, ..TELLS };

pub(super) const STOP: Abilities = Abilities {
    deny: Does,
    ask: Denies("Qwen Code cannot ask a person whether an agent may stop"),
    output: Tells("Qwen Code cannot change an answer that the person already saw"),
    stop: Does,
    ..TELLS
};

pub(super) const SUBAGENT_STOP: Abilities =
    Abilities { deny: Nearly("the subagent goes on, with the reason as its next message"), ..STOP };

pub(super) const COMPACT: Abilities = Abilities {
    deny: Does,
    ask: Denies("Qwen Code cannot ask a person about a compaction"),
    output: Lost("Qwen Code writes the summary itself"),
    context: Does,
    ..TELLS
};

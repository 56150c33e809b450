//! What OpenCode supports of a decision.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, Supported};
use crate::host::{ActionSupport, HostSupport};

/// Context goes into the system prompt of the model's next calls.
const IN_SYSTEM: ActionSupport = Approximated("the model gets it in the system prompt until the next prompt");
const NO_ASK: &str = "OpenCode cannot ask the user on behalf of a hook";

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport {
    notice: Approximated("the message is in OpenCode's log, and on its screen if it has one"),
    ..HostSupport::OBSERVE_ONLY
};

pub(super) const SESSION_START: HostSupport =
    HostSupport { context: ActionSupport::LATER, notice: TELLS.notice, ..HostSupport::SESSION_START };

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..TELLS };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("OpenCode cannot ask the user about a prompt"),
    rewrite: DeniedInstead("OpenCode was not observed to take over a changed prompt"),
    context: IN_SYSTEM,
    ..TELLS
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    approve: Dropped("OpenCode asks the user according to its own settings"),
    rewrite: Supported,
    context: IN_SYSTEM,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..TELLS
};

pub(super) const PERMISSION: HostSupport = HostSupport {
    ask: ActionSupport::ASKED_ANYWAY,
    approve: Dropped("OpenCode asks about patterns, not about the whole call"),
    rewrite: DeniedInstead("OpenCode cannot change a call that it asks about"),
    context: ActionSupport::REMINDERS_NOW,
    ..BEFORE_TOOL
};

pub(super) const AFTER_TOOL: HostSupport =
    HostSupport { deny: ActionSupport::REPLACED, output: Supported, context: IN_SYSTEM, ..TELLS };

pub(super) const TURN_END: HostSupport = HostSupport {
    deny: Dropped("the turn of OpenCode is already over"),
    ask: Dropped("the turn of OpenCode is already over"),
    output: Dropped("OpenCode cannot change an answer that the user has already seen"),
    context: ActionSupport::LATER,
    stop: ActionSupport::OVER,
    ..TELLS
};

const COMPACTS: &str = "OpenCode compacts whatever hooks return";

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: Dropped(COMPACTS),
    ask: Dropped(COMPACTS),
    output: Dropped("OpenCode writes the summary itself"),
    context: Supported,
    ..TELLS
};

pub(super) const COMPACTED: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const BEFORE_MODEL: HostSupport = HostSupport {
    deny: Approximated("the turn ends with the reason as its error"),
    ask: DeniedInstead(NO_ASK),
    rewrite: Dropped("hooks do not see OpenCode's request in a form that they could change"),
    context: ActionSupport::LATER,
    stop: Approximated("the turn ends, and every tool call is denied until the next prompt"),
    ..TELLS
};

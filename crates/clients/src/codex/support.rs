//! Describes which hook decisions Codex supports.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, NotifiesUser, Supported};
use crate::host::{ActionSupport, HostSupport};

const NO_ASK: &str = "Codex cannot ask the user on behalf of a hook";

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

/// The end of a session, whose response is ignored.
pub(super) const SESSION_END: HostSupport =
    HostSupport { stop: ActionSupport::OVER, notice: Dropped("Codex ignores hook output here"), ..TELLS };

pub(super) const COMPACTED: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport = HostSupport::prompt(NO_ASK, "Codex cannot change a prompt");

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    approve: Dropped("Codex accepts an approval only together with a rewrite"),
    rewrite: Supported,
    context: Supported,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..TELLS
};

pub(super) const PERMISSION: HostSupport = HostSupport {
    stop: ActionSupport::DENIED_AND_ENDED,
    ..HostSupport::permission(DeniedInstead("Codex cannot change a call that it asks about"))
};

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: Supported,
    output: Approximated("the changed result replaces the result, as hook feedback"),
    context: Supported,
    stop: ActionSupport::REPLACED_AND_ENDED,
    ..TELLS
};

pub(super) const SUBAGENT_START: HostSupport = HostSupport { context: ActionSupport::REMINDERS_NOW, ..TELLS };

pub(super) const STOP: HostSupport =
    HostSupport::stop(NO_ASK, "Codex cannot change an answer that the user has already seen");

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: Approximated("the turn stops before the compaction"),
    ask: DeniedInstead(NO_ASK),
    output: NotifiesUser("Codex writes the summary itself"),
    context: ActionSupport::LATER,
    stop: Supported,
    ..TELLS
};

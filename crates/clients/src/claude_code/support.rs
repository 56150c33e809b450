//! Describes which hook decisions Claude Code supports.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, Supported, WithApprovalOnly};
use crate::host::{ActionSupport, HostSupport};

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

/// The end of a session, when nothing can be shown any more.
pub(super) const SESSION_END: HostSupport =
    HostSupport { stop: ActionSupport::OVER, notice: Dropped("Claude Code does not show hook messages here"), ..TELLS };

pub(super) const COMPACTED: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport =
    HostSupport::prompt("Claude Code cannot ask the user about a prompt", "Claude Code cannot change a prompt");

pub(crate) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: Supported,
    approve: Supported,
    rewrite: Supported,
    context: Supported,
    stop: Approximated("the call is denied and the run ends"),
    ..TELLS
};

pub(super) const SKILL_COMMAND: HostSupport = HostSupport {
    ask: DeniedInstead("Claude Code does not ask the user while it loads a skill"),
    approve: Dropped("Claude Code runs the command if no hook refuses it"),
    rewrite: DeniedInstead("Claude Code does not change a command of a skill"),
    context: ActionSupport::LATER,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..BEFORE_TOOL
};

pub(super) const PERMISSION: HostSupport =
    HostSupport::permission(WithApprovalOnly("Claude Code applies a rewrite here only together with an approval"));

pub(super) const AFTER_TOOL: HostSupport =
    HostSupport { deny: ActionSupport::REPLACED, output: Supported, context: Supported, stop: Supported, ..TELLS };

pub(super) const FAILED_TOOL: HostSupport =
    HostSupport::failed_tool("Claude Code cannot change the text of an error, which the model would read next");

pub(super) const BATCH: HostSupport = HostSupport { context: Supported, stop: Supported, ..TELLS };

pub(super) const SUBAGENT_START: HostSupport = HostSupport { context: ActionSupport::REMINDERS_NOW, ..BATCH };

pub(super) const STOP: HostSupport = HostSupport::stop(
    "Claude Code cannot ask the user whether an agent may stop",
    "Claude Code cannot change an answer that the user has already seen",
);

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Claude Code cannot ask the user about a compaction"),
    output: Dropped("Claude Code writes the summary itself"),
    context: Supported,
    notice: Dropped("Claude Code treats hook output here as instructions for the summary"),
    ..TELLS
};

//! Describes which hook decisions Copilot supports.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, RunEndedInstead, Supported};
use crate::host::{ActionSupport, HostSupport};

const UNSAID: &str = "Copilot does not show hook messages here";
const REFUSED: ActionSupport = Approximated("the session starts, but all its tool calls are denied");

/// An event whose response is ignored.
pub(super) const SILENT: HostSupport = HostSupport {
    deny: Dropped("Copilot continues whatever a hook returns here"),
    ask: Dropped("Copilot continues whatever a hook returns here"),
    context: Dropped(UNSAID),
    notice: Approximated("the message appears in Copilot's log"),
    ..HostSupport::OBSERVE_ONLY
};

pub(super) const SESSION_START: HostSupport =
    HostSupport { deny: REFUSED, ask: REFUSED, context: Supported, stop: REFUSED, ..SILENT };

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..SILENT };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Approximated("the model gets the reason, and every tool call is denied until the next prompt"),
    ask: DeniedInstead("Copilot cannot ask the user about a prompt"),
    rewrite: DeniedInstead("Copilot cannot change a prompt"),
    context: Supported,
    ..SILENT
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: Supported,
    approve: Supported,
    rewrite: Supported,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..SILENT
};

pub(super) const PERMISSION: HostSupport = HostSupport {
    context: SILENT.context,
    notice: SILENT.notice,
    ..HostSupport::permission(DeniedInstead("Copilot cannot change a call that it asks about"))
};

pub(super) const AFTER_TOOL: HostSupport =
    HostSupport { deny: ActionSupport::REPLACED, output: Supported, context: Supported, ..SILENT };

/// The result of a failed tool is in its error.
const ERROR: &str = "Copilot cannot change the text of an error, which the model reads next";

pub(super) const FAILED_TOOL: HostSupport =
    HostSupport { deny: RunEndedInstead(ERROR), output: RunEndedInstead(ERROR), context: Supported, ..SILENT };

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Copilot cannot ask the user whether an agent may stop"),
    output: Dropped("Copilot cannot change an answer that the user has already seen"),
    ..SILENT
};

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

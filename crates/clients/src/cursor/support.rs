//! Describes which hook decisions Cursor supports.

use crate::host::ActionSupport::{
    Approximated, DeniedInstead, Dropped, NotApplicable, NotifiesUser, RunEndedInstead, Supported,
};
use crate::host::{ActionSupport, HostSupport};

const NO_TEXT: ActionSupport = NotifiesUser("Cursor does not accept context here");
const UNSAID: &str = "Cursor does not show hook messages here";

/// An event whose response is ignored.
pub(super) const SILENT: HostSupport =
    HostSupport { context: Dropped(UNSAID), notice: Dropped(UNSAID), ..HostSupport::OBSERVE_ONLY };

pub(super) const SESSION_START: HostSupport = HostSupport { notice: Dropped(UNSAID), ..HostSupport::SESSION_START };

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..SILENT };

const UNREAD: &str = "Cursor ignores hook output here, and the model reads the error next";

/// After a failed tool.
pub(super) const FAILED_TOOL: HostSupport =
    HostSupport { deny: RunEndedInstead(UNREAD), output: RunEndedInstead(UNREAD), ..SILENT };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor cannot ask the user about a prompt"),
    rewrite: DeniedInstead("Cursor cannot change a prompt"),
    context: NO_TEXT,
    notice: Supported,
    ..SILENT
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor treats `ask` before a tool as an approval"),
    approve: Dropped("Cursor asks the user according to its own settings"),
    rewrite: Supported,
    context: NO_TEXT,
    stop: ActionSupport::DENIED_AND_ENDED,
    notice: Supported,
    ..SILENT
};

pub(super) const BEFORE_EXECUTION: HostSupport =
    HostSupport { ask: Supported, rewrite: DeniedInstead("Cursor changes a call only at preToolUse"), ..BEFORE_TOOL };

pub(super) const BEFORE_READ: HostSupport = HostSupport {
    ask: DeniedInstead("Cursor cannot ask the user here"),
    rewrite: DeniedInstead("Cursor cannot change this"),
    ..BEFORE_TOOL
};

pub(super) const SUBAGENT_START: HostSupport = HostSupport { rewrite: NotApplicable, ..BEFORE_READ };

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: Approximated(
        "for an MCP tool the reason replaces the result; for other tools the model is told not to use the result",
    ),
    output: Approximated(
        "the result of an MCP tool is changed; for other tools the model is told not to use the result",
    ),
    context: Supported,
    ..SILENT
};

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor cannot ask the user whether an agent may stop"),
    output: Dropped("Cursor cannot change an answer that the user has already seen"),
    ..SILENT
};

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser("Cursor compacts whatever a hook returns"),
    ask: NotifiesUser("Cursor compacts whatever a hook returns"),
    context: NO_TEXT,
    notice: Supported,
    ..SILENT
};

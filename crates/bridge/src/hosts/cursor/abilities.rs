//! What Cursor can do with what hooks decide.

use crate::ActionSupport::{
    Approximated, DeniedInstead, Dropped, NotApplicable, NotifiesUser, RunEndedInstead, Supported,
};
use crate::{ActionSupport, HostSupport};

const NO_TEXT: ActionSupport = NotifiesUser("Cursor takes no text for the model here");
const UNSAID: &str = "Cursor shows a hook's words to nobody here";

/// An event whose answer is not read.
pub(super) const SILENT: HostSupport = HostSupport {
    deny: NotApplicable,
    ask: NotApplicable,
    approve: NotApplicable,
    rewrite: NotApplicable,
    output: NotApplicable,
    context: Dropped(UNSAID),
    stop: ActionSupport::ENDED,
    notice: Dropped(UNSAID),
};

pub(super) const SESSION_START: HostSupport = HostSupport {
    deny: ActionSupport::REFUSED,
    ask: ActionSupport::REFUSED,
    context: Supported,
    stop: ActionSupport::REFUSED,
    ..SILENT
};

/// The end of a session.
pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..SILENT };

const UNREAD: &str = "Cursor does not read the answer here, and the model reads the error next";

/// After a tool that failed.
pub(super) const FAILED_TOOL: HostSupport =
    HostSupport { deny: RunEndedInstead(UNREAD), output: RunEndedInstead(UNREAD), ..SILENT };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor cannot ask a person about a prompt"),
    rewrite: DeniedInstead("Cursor cannot change a prompt"),
    context: NO_TEXT,
    notice: Supported,
    ..SILENT
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor takes an ask before a tool for an approval"),
    approve: Dropped("Cursor asks the person as its own settings say"),
    rewrite: Supported,
    context: NO_TEXT,
    stop: Approximated("the call is denied, and so is everything after it"),
    notice: Supported,
    ..SILENT
};

pub(super) const BEFORE_EXECUTION: HostSupport =
    HostSupport { ask: Supported, rewrite: DeniedInstead("Cursor changes a call only at preToolUse"), ..BEFORE_TOOL };

pub(super) const BEFORE_READ: HostSupport = HostSupport {
    ask: DeniedInstead("Cursor cannot ask a person here"),
    rewrite: DeniedInstead("Cursor cannot change this"),
    ..BEFORE_TOOL
};

pub(super) const SUBAGENT_START: HostSupport = HostSupport { rewrite: NotApplicable, ..BEFORE_READ };

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: Approximated(
        "of an MCP tool the reason takes the place of the result, of another the model is told not to use it",
    ),
    output: Approximated("of an MCP tool it is changed, of another the model is told not to use it"),
    context: Supported,
    ..SILENT
};

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Cursor cannot ask a person whether an agent may stop"),
    output: Dropped("Cursor cannot change an answer that the person already saw"),
    ..SILENT
};

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser("Cursor cannot be kept from a compaction"),
    ask: NotifiesUser("Cursor cannot be kept from a compaction"),
    context: NO_TEXT,
    notice: Supported,
    ..SILENT
};

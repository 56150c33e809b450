//! Describes which hook decisions Gemini CLI supports.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, NotifiesUser, Supported};
use crate::host::{ActionSupport, HostSupport};

const NO_ASK: &str = "Gemini CLI waits forever for an answer if no user is present";

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER_TOLD, ..TELLS };

/// An event that can only be observed, and whose hooks may return context.
pub(super) const TELLS_LATER: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport =
    HostSupport::prompt("Gemini CLI cannot ask the user about a prompt", "Gemini CLI cannot change a prompt");

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    approve: Dropped("Gemini CLI asks the user according to its own settings"),
    rewrite: Approximated(
        "removing an argument denies the call, because Gemini CLI merges the change into its own input",
    ),
    stop: Supported,
    ..TELLS_LATER
};

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: ActionSupport::REPLACED,
    output: Approximated("the changed result replaces the result, as an error"),
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const STOP: HostSupport = HostSupport::stop(
    "Gemini CLI cannot ask the user whether an agent may stop",
    "Gemini CLI cannot change an answer that the user has already seen",
);

pub(super) const BEFORE_MODEL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    rewrite: Dropped("hooks do not see Gemini CLI's request in a form that they could change"),
    stop: Supported,
    ..TELLS_LATER
};

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser("Gemini CLI compresses whatever hooks return"),
    ask: NotifiesUser("Gemini CLI compresses whatever hooks return"),
    output: NotifiesUser("Gemini CLI writes the summary itself"),
    ..TELLS_LATER
};

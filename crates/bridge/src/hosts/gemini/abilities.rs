//! What Gemini CLI can do with what hooks decide.

use crate::ActionSupport::{Approximated, DeniedInstead, Dropped, NotApplicable, NotifiesUser, Supported};
use crate::{ActionSupport, HostSupport};

const NO_ASK: &str = "Gemini CLI waits for ever for an answer when nobody sits before it";

/// An event that only tells.
pub(super) const TELLS: HostSupport = HostSupport {
    deny: NotApplicable,
    ask: NotApplicable,
    approve: NotApplicable,
    rewrite: NotApplicable,
    output: NotApplicable,
    context: ActionSupport::REMINDERS,
    stop: ActionSupport::ENDED,
    notice: Supported,
};

/// The end of a session.
pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER_TOLD, ..TELLS };

/// An event that only tells, and whose hooks may have a text for the model.
pub(super) const TELLS_LATER: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport {
    deny: ActionSupport::REFUSED,
    ask: ActionSupport::REFUSED,
    context: Supported,
    stop: ActionSupport::REFUSED,
    ..TELLS
};

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Gemini CLI cannot ask a person about a prompt"),
    rewrite: DeniedInstead("Gemini CLI cannot change a prompt"),
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    approve: Dropped("Gemini CLI asks as its own settings say"),
    rewrite: Approximated(
        "an argument that is taken away is a deny, because Gemini CLI lays the change over its own input",
    ),
    stop: Supported,
    ..TELLS_LATER
};

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: ActionSupport::REPLACED,
    output: Approximated("the changed result takes the place of the result, as an error"),
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Gemini CLI cannot ask a person whether an agent may stop"),
    output: NotifiesUser("Gemini CLI cannot change an answer that the person already saw"),
    context: ActionSupport::LATER,
    stop: Supported,
    ..TELLS
};

pub(super) const BEFORE_MODEL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    rewrite: Dropped("hooks are not shown a request of Gemini CLI in the form that they could change"),
    stop: Supported,
    ..TELLS_LATER
};

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser("Gemini CLI compresses whatever hooks say"),
    ask: NotifiesUser("Gemini CLI compresses whatever hooks say"),
    output: NotifiesUser("Gemini CLI writes the summary itself"),
    ..TELLS_LATER
};

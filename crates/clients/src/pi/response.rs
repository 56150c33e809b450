//! What Pi supports of a decision.

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, Supported};
use crate::host::{ActionSupport, HostSupport};

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport {
    notice: Approximated("without a screen the message is on standard error"),
    ..HostSupport::OBSERVE_ONLY
};

pub(super) const SESSION_START: HostSupport = HostSupport {
    context: Approximated("the model gets it with the first prompt"),
    notice: TELLS.notice,
    ..HostSupport::SESSION_START
};

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER, ..TELLS };

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Pi is not asked about a prompt"),
    rewrite: Supported,
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: Approximated("without a screen the call is denied"),
    approve: Dropped("Pi does not ask about calls"),
    rewrite: Supported,
    context: Approximated("the model gets it with the result of the call"),
    stop: Approximated("the call is denied and the run ends"),
    ..TELLS
};

pub(super) const AFTER_TOOL: HostSupport =
    HostSupport { deny: ActionSupport::REPLACED, output: Supported, context: Supported, stop: Supported, ..TELLS };

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Pi does not ask whether it may stop"),
    output: Dropped("Pi cannot change an answer that the user has already seen"),
    context: ActionSupport::LATER,
    stop: Supported,
    ..TELLS
};

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Pi does not ask about a compaction"),
    output: Dropped("Pi writes the summary itself"),
    context: ActionSupport::LATER,
    ..TELLS
};

pub(super) const COMPACTED: HostSupport =
    HostSupport { context: Approximated("the model gets it with the next prompt"), ..TELLS };

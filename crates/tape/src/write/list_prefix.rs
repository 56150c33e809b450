//! What a host knows about the messages of a request.

use pintle_contract::Payload;

/// How much of a payload's `messages` the tape has already, as the host knows it: then a long list need not be compared
/// with the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPrefix {
    /// The list that grows, unique in the program.
    pub list: u64,
    /// The number of messages with which the last payload of this list began, too.
    pub count: usize,
}

impl ListPrefix {
    const VIEW: &str = "tape list prefix";

    /// Attaches this to a payload, before its event is fired.
    pub fn attach_to(self, payload: &Payload) {
        payload.cached_view(Self::VIEW, |_| Some(self));
    }

    /// What is attached to a payload.
    pub(super) fn find_in(payload: &Payload) -> Option<Self> {
        *payload.cached_view(Self::VIEW, |_| None)
    }
}

//! What a dispatch needs from its host.

use pintle_contract::{Approver, CallMemory, CancelToken, Clock, EffectRunner, EventCause, Journal};

/// What a dispatch needs from its host.
#[derive(Debug, Clone, Copy)]
pub struct DispatchContext<'a> {
    /// Receives every step, in an order that does not depend on which call finishes first.
    pub journal: &'a dyn Journal,
    /// Measures the duration of calls.
    pub clock: &'a dyn Clock,
    /// Performs the effect requests of scripts.
    pub effects: &'a dyn EffectRunner,
    /// Responds to approval requests.
    pub approver: &'a dyn Approver,
    /// Once cancelled, no further hook is called: each remaining hook fails as cancelled, and its failure policy
    /// applies.
    pub cancel: &'a CancelToken,
    /// Whether all hooks are in shadow mode: called and recorded, but not enforced.
    pub shadow: bool,
    /// What causes the event.
    pub cause: EventCause,
    /// What the hooks did in earlier events about the same thing; `None` if the event is independent.
    pub memory: Option<&'a dyn CallMemory>,
}

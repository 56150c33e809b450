//! What a host learns about an event that hooks refused.

use std::fmt;

use pintle_contract::event::EventKind;
use pintle_contract::{HookId, Outcome};

/// Why a step of an agent does not happen.
///
/// Displayed it is a sentence for the user, such as `prompt.submit denied: not today`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    event: EventKind,
    reason: String,
    hooks: Vec<HookId>,
    stops_run: bool,
}

impl Refusal {
    /// A refusal by the hooks of an event.
    pub(crate) fn from_outcome(event: EventKind, outcome: &Outcome, reason: String) -> Self {
        let hooks = outcome.deciding_hooks();
        Self { event, reason, hooks, stops_run: outcome.stop_reason().is_some() }
    }

    /// A refusal with all its parts.
    #[must_use]
    pub fn new(event: EventKind, reason: String, hooks: Vec<HookId>, stops_run: bool) -> Self {
        Self { event, reason, hooks, stops_run }
    }

    /// A refusal that no hook made, such as that of a cancelled call.
    pub(crate) fn without_hooks(event: EventKind, reason: impl Into<String>) -> Self {
        Self { event, reason: reason.into(), hooks: Vec::new(), stops_run: false }
    }

    /// The event at which it was refused.
    #[must_use]
    pub fn event(&self) -> EventKind {
        self.event
    }

    /// The reason. That of a tool call is its result for the model.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The hooks that refused it, in their order; empty if none did.
    #[must_use]
    pub fn hooks(&self) -> &[HookId] {
        &self.hooks
    }

    /// Whether the run must end, and not just this step.
    #[must_use]
    pub fn stops_run(&self) -> bool {
        self.stops_run
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} denied: {}", self.event, self.reason)
    }
}

impl std::error::Error for Refusal {}

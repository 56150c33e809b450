//! Verdicts: the decoded output of one hook.

use serde_json::{Map, Value};

use crate::{Effect, Failure, FailurePolicy};

/// The verdict of one hook on one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What the hook decided.
    pub kind: VerdictKind,
    /// A rewrite that comes with another kind of verdict: an allow or ask of the rewritten payload. It is ignored with
    /// a deny or a failure.
    pub rewrite: Option<Rewrite>,
    /// The effects that the hook returned with the verdict.
    pub effects: Vec<Effect>,
    /// Warnings for the hook's author, such as `returned int, not a decision`.
    pub warnings: Vec<String>,
}

/// What a hook decided about the event.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictKind {
    /// The hook has no objection and no opinion. AI Harness calls this `allow()`.
    Pass,
    /// The hook explicitly allows the event; this may replace the user's approval.
    Allow {
        /// Why the hook allows it.
        reason: String,
    },
    /// The hook continues with a changed payload.
    Rewrite(Rewrite),
    /// The hook requires the user's approval.
    Ask {
        /// Why an approval is needed.
        reason: String,
    },
    /// The hook denies the event.
    Deny {
        /// Why the hook denies it; shown to the agent.
        reason: String,
    },
    /// The hook gave no verdict. This is not a deny: the hook's failure policy decides.
    Failed(Failure),
}

/// How a hook changes the payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Rewrite {
    /// Replaces the named fields and keeps the others. For payloads that are objects.
    Fields(Map<String, Value>),
    /// Replaces the whole payload. For payloads that are not objects.
    Whole(Value),
}

impl Verdict {
    /// Creates a verdict without a rewrite, effects or warnings.
    #[must_use]
    pub fn new(verdict_kind: VerdictKind) -> Self {
        Self { kind: verdict_kind, rewrite: None, effects: Vec::new(), warnings: Vec::new() }
    }

    /// Creates a verdict without objection.
    #[must_use]
    pub fn pass() -> Self {
        Self::new(VerdictKind::Pass)
    }

    /// Creates a verdict that allows the event.
    pub fn allow(reason: impl Into<String>) -> Self {
        Self::new(VerdictKind::Allow { reason: reason.into() })
    }

    /// Creates a verdict that denies the event.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::new(VerdictKind::Deny { reason: reason.into() })
    }

    /// Creates a verdict that requires the user's approval.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::new(VerdictKind::Ask { reason: reason.into() })
    }

    /// Creates a verdict that replaces the named fields.
    #[must_use]
    pub fn rewrite(fields: Map<String, Value>) -> Self {
        Self::new(VerdictKind::Rewrite(Rewrite::Fields(fields)))
    }

    /// Creates a verdict for a hook that failed.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self::new(VerdictKind::Failed(failure))
    }

    /// Adds a rewrite; a pass becomes a rewrite verdict.
    #[must_use]
    pub fn with_rewrite(mut self, rewrite: Rewrite) -> Self {
        match self.kind {
            VerdictKind::Pass => self.kind = VerdictKind::Rewrite(rewrite),
            _ => self.rewrite = Some(rewrite),
        }
        self
    }

    /// The rewrite that this verdict applies: its own, or the one that comes with an allow or ask.
    #[must_use]
    pub fn target_rewrite(&self) -> Option<&Rewrite> {
        match &self.kind {
            VerdictKind::Rewrite(rewrite) => Some(rewrite),
            VerdictKind::Allow { .. } | VerdictKind::Ask { .. } => self.rewrite.as_ref(),
            VerdictKind::Pass | VerdictKind::Deny { .. } | VerdictKind::Failed(_) => None,
        }
    }

    /// Whether the verdict denies, if a failure means what `on_failure` says.
    #[must_use]
    pub fn denies(&self, on_failure: FailurePolicy) -> bool {
        match self.kind {
            VerdictKind::Deny { .. } => true,
            VerdictKind::Failed(_) => on_failure == FailurePolicy::Closed,
            VerdictKind::Pass | VerdictKind::Allow { .. } | VerdictKind::Rewrite(_) | VerdictKind::Ask { .. } => false,
        }
    }

    /// Adds an effect.
    #[must_use]
    pub fn with_effect(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    /// Adds a warning.
    #[must_use]
    pub fn with_warning(mut self, message: impl Into<String>) -> Self {
        self.warnings.push(message.into());
        self
    }
}

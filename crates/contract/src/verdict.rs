//! What one hook said.

use serde_json::{Map, Value};

use crate::{Effect, Failure, FailurePolicy};

/// The answer of one hook to one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The answer itself.
    pub kind: VerdictKind,
    /// Another target, beside an answer that is not itself a rewrite: an allow or an ask *of the rewritten target*. It is
    /// dropped beside a deny or a failure.
    pub rewrite: Option<Rewrite>,
    /// What comes with it.
    pub effects: Vec<Effect>,
    /// What the hook's author should know, such as `returned int, not a decision`.
    pub warnings: Vec<String>,
}

/// What a hook said about the event.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictKind {
    /// No objection and no opinion. What AI Harness calls `allow()`: a no-op pass.
    Pass,
    /// An explicit yes, which may stand in for a person's.
    Allow {
        /// Why.
        reason: String,
    },
    /// Go on with another target.
    Rewrite(Rewrite),
    /// A person should look.
    Ask {
        /// Why.
        reason: String,
    },
    /// No.
    Deny {
        /// Why; surfaced to the agent.
        reason: String,
    },
    /// No answer. Not a refusal: the failure policy of the hook says what follows.
    Failed(Failure),
}

/// How a hook changes the payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Rewrite {
    /// Named fields replace, the others stay. For payloads that are objects.
    Fields(Map<String, Value>),
    /// The whole payload is replaced. For payloads that are no objects.
    Whole(Value),
}

impl Verdict {
    /// A verdict that carries nothing else.
    #[must_use]
    pub fn new(said: VerdictKind) -> Self {
        Self { kind: said, rewrite: None, effects: Vec::new(), warnings: Vec::new() }
    }

    /// No objection.
    #[must_use]
    pub fn pass() -> Self {
        Self::new(VerdictKind::Pass)
    }

    /// An explicit yes.
    pub fn allow(reason: impl Into<String>) -> Self {
        Self::new(VerdictKind::Allow { reason: reason.into() })
    }

    /// No.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::new(VerdictKind::Deny { reason: reason.into() })
    }

    /// Let a person look.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::new(VerdictKind::Ask { reason: reason.into() })
    }

    /// Replace named fields.
    #[must_use]
    pub fn rewrite(fields: Map<String, Value>) -> Self {
        Self::new(VerdictKind::Rewrite(Rewrite::Fields(fields)))
    }

    /// No answer.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self::new(VerdictKind::Failed(failure))
    }

    /// Adds another target; beside a pass it becomes the answer.
    #[must_use]
    pub fn with_rewrite(mut self, rewrite: Rewrite) -> Self {
        match self.kind {
            VerdictKind::Pass => self.kind = VerdictKind::Rewrite(rewrite),
            _ => self.rewrite = Some(rewrite),
        }
        self
    }

    /// The target that this is about: that of a rewrite, or of the allow or ask that comes with one.
    #[must_use]
    pub fn target_rewrite(&self) -> Option<&Rewrite> {
        match &self.kind {
            VerdictKind::Rewrite(rewrite) => Some(rewrite),
            VerdictKind::Allow { .. } | VerdictKind::Ask { .. } => self.rewrite.as_ref(),
            VerdictKind::Pass | VerdictKind::Deny { .. } | VerdictKind::Failed(_) => None,
        }
    }

    /// Whether this refuses, where a failure means what the policy says.
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

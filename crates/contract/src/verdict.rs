//! What one hook said.

use serde_json::{Map, Value};

use crate::{Effect, Failure, FailurePolicy};

/// The answer of one hook to one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The answer itself.
    pub said: Said,
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
pub enum Said {
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
    pub fn new(said: Said) -> Self {
        Self { said, rewrite: None, effects: Vec::new(), warnings: Vec::new() }
    }

    /// No objection.
    #[must_use]
    pub fn pass() -> Self {
        Self::new(Said::Pass)
    }

    /// An explicit yes.
    pub fn allow(reason: impl Into<String>) -> Self {
        Self::new(Said::Allow { reason: reason.into() })
    }

    /// No.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::new(Said::Deny { reason: reason.into() })
    }

    /// Let a person look.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::new(Said::Ask { reason: reason.into() })
    }

    /// Replace named fields.
    #[must_use]
    pub fn rewrite(fields: Map<String, Value>) -> Self {
        Self::new(Said::Rewrite(Rewrite::Fields(fields)))
    }

    /// No answer.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self::new(Said::Failed(failure))
    }

    /// Adds another target; beside a pass it becomes the answer.
    #[must_use]
    pub fn rewriting(mut self, rewrite: Rewrite) -> Self {
        match self.said {
            Said::Pass => self.said = Said::Rewrite(rewrite),
            _ => self.rewrite = Some(rewrite),
        }
        self
    }

    /// The target that this is about: that of a rewrite, or of the allow or ask that comes with one.
    #[must_use]
    pub fn rewritten(&self) -> Option<&Rewrite> {
        match &self.said {
            Said::Rewrite(rewrite) => Some(rewrite),
            Said::Allow { .. } | Said::Ask { .. } => self.rewrite.as_ref(),
            Said::Pass | Said::Deny { .. } | Said::Failed(_) => None,
        }
    }

    /// Whether this refuses, where a failure means what the policy says.
    #[must_use]
    pub fn denies(&self, on_failure: FailurePolicy) -> bool {
        match self.said {
            Said::Deny { .. } => true,
            Said::Failed(_) => on_failure == FailurePolicy::Closed,
            Said::Pass | Said::Allow { .. } | Said::Rewrite(_) | Said::Ask { .. } => false,
        }
    }

    /// Adds an effect.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    /// Adds a warning.
    #[must_use]
    pub fn warn(mut self, message: impl Into<String>) -> Self {
        self.warnings.push(message.into());
        self
    }
}

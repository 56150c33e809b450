//! What all hooks together decided.

use std::fmt;

use pintle_host::contract::HookId;
use serde_json::Value;

/// The result of firing an event. Every event has one; hooks that failed are in it.
#[derive(Debug, Clone)]
pub struct Outcome(pub(crate) pintle_host::Outcome);

/// What a host must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Go on with the outcome's payload.
    Allow,
    /// Go on only if the user approves. A host receives it only if its approver defers to it.
    Ask,
    /// Do not go on.
    Deny,
}

impl Outcome {
    /// What the host must do.
    #[must_use]
    pub fn decision(&self) -> Decision {
        match self.0.decision {
            pintle_host::Decision::Allow => Decision::Allow,
            pintle_host::Decision::Ask => Decision::Ask,
            pintle_host::Decision::Deny => Decision::Deny,
        }
    }

    /// Whether the host may go on.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.0.is_allowed()
    }

    /// The data of the event with every rewrite. The host uses this payload and no other.
    #[must_use]
    pub fn payload(&self) -> &Value {
        self.0.payload.value()
    }

    /// Takes the payload out.
    #[must_use]
    pub fn into_payload(self) -> Value {
        self.0.payload.into_value()
    }

    /// Whether a hook changed the payload.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.0.rewritten
    }

    /// The reasons with the names of the hooks, for the user; empty if no hook gave one.
    #[must_use]
    pub fn reason(&self) -> String {
        self.0.reason()
    }

    /// The reasons for the model: the hooks' own texts.
    #[must_use]
    pub fn reason_for_model(&self) -> String {
        self.0.reason_for_model()
    }

    /// Why the agent's run must end, and not just this step; `None` if it need not.
    #[must_use]
    pub fn stop_reason(&self) -> Option<String> {
        self.0.stop_reason()
    }

    /// Who approved the event, if a hook asked.
    #[must_use]
    pub fn approved_by(&self) -> Option<&str> {
        self.0.approval.as_ref().map(|approval| approval.approved_by.as_str())
    }

    /// The texts for the model, context and reminders, in the order of their hooks.
    pub fn context(&self) -> impl Iterator<Item = &str> {
        self.0.model_texts()
    }

    /// The texts for the user, in the order of their hooks.
    pub fn notices(&self) -> impl Iterator<Item = &str> {
        self.0.user_texts()
    }

    /// What the user should know of: hooks that failed or did not run, whatever was decided.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let failures =
            self.0.failures.iter().map(|report| format!("hook \"{}\" failed: {}", report.hook, report.failure));
        failures.chain(self.0.warnings.iter().map(|warning| format!("hook \"{}\": {}", warning.hook, warning.message)))
    }

    /// The number of hooks that were called.
    #[must_use]
    pub fn hooks_called(&self) -> u32 {
        self.0.hooks_called
    }
}

/// Why a step of an agent does not happen. As a text it is a sentence for the user, such as
/// `prompt.submit denied: not today`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub(crate) pintle_host::Refusal);

impl Refusal {
    /// The name of the event at which it was refused.
    #[must_use]
    pub fn event(&self) -> &str {
        self.0.event().name()
    }

    /// The reason. That of a tool call is its result for the model.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.0.reason()
    }

    /// The names of the hooks that refused it, in their order; none if it was cancelled.
    pub fn hooks(&self) -> impl Iterator<Item = &str> {
        self.0.hooks().iter().map(HookId::as_str)
    }

    /// Whether the run must end, and not just this step.
    #[must_use]
    pub fn stops_run(&self) -> bool {
        self.0.stops_run()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refusal {}

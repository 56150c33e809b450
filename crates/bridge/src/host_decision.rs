//! What all hooks of one call of a host came to.

use pintle::Decision;
use pintle::event::json_to_text;
use serde_json::Value;

/// What all hooks that heard of one call of a host came to. The encoders of a host get it already narrowed to what its
/// row can do: what is left in it is to be said.
#[derive(Debug, Clone, PartialEq)]
pub struct HostDecision {
    /// What the host must do.
    pub decision: Decision,
    /// Why, for the model; never empty beside [`Decision::Deny`] and [`Decision::Ask`].
    pub reason: String,
    /// Whether a hook said yes in so many words, so that no person need be asked.
    pub is_approved: bool,
    /// The host's whole input with the rewrites in it, when there was one: a tool's arguments in the host's form.
    pub input: Option<Value>,
    /// What the model gets in place of the tool's result, when hooks changed it.
    pub output: Option<Value>,
    /// For the model, in order; each text once.
    pub context: Vec<String>,
    /// Why the run has to end, when it has to.
    pub stop: Option<String>,
    /// For the person, in order: notices of hooks, losses, hooks that failed open, what shadow mode would have done.
    pub notices: Vec<String>,
}

impl Default for HostDecision {
    fn default() -> Self {
        Self {
            decision: Decision::Allow,
            reason: String::new(),
            is_approved: false,
            input: None,
            output: None,
            context: Vec::new(),
            stop: None,
            notices: Vec::new(),
        }
    }
}

impl HostDecision {
    /// Nothing is against it and there is nothing to say.
    #[must_use]
    pub fn pass() -> Self {
        Self::default()
    }

    /// No, for a reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, reason: reason.into(), ..Self::default() }
    }

    /// Whether it must not happen.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.decision == Decision::Deny
    }

    /// What stands where a tool's result would: the reason of a deny, else the changed result.
    #[must_use]
    pub fn result_replacement(&self) -> Option<Value> {
        if self.is_denied() { Some(Value::from(self.reason.as_str())) } else { self.output.clone() }
    }

    /// The same as a text that is never blank, for hosts that take a blank for nothing.
    #[must_use]
    pub fn result_replacement_text(&self) -> Option<String> {
        let text = json_to_text(&self.result_replacement()?);
        Some(if text.trim().is_empty() { String::from("[removed by a hook]") } else { text })
    }

    /// The texts for the model as one, or nothing.
    #[must_use]
    pub fn context_text(&self) -> Option<String> {
        (!self.context.is_empty()).then(|| self.context.join("\n\n"))
    }

    /// The texts for the person as one, or nothing.
    #[must_use]
    pub fn notice_text(&self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.join("\n"))
    }
}

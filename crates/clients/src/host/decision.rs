//! The combined decision of all hooks on one host call.

use pintle_contract::Decision;
use pintle_contract::event::json_to_text;
use serde_json::Value;

/// The combined decision of all hooks on one host call. It is fitted to the host before it is written, so that
/// everything in it can be expressed.
#[derive(Debug, Clone, PartialEq)]
pub struct HostDecision {
    /// The decision that the host must enforce.
    pub decision: Decision,
    /// The reason, for the model; never empty with [`Decision::Deny`] and [`Decision::Ask`].
    pub reason: String,
    /// Whether a hook explicitly allowed the action, so that the user need not be asked.
    pub is_approved: bool,
    /// The host's complete input with all rewrites, if there were any: a tool's arguments in the host's form.
    pub input: Option<Value>,
    /// The replacement of the tool's result, if hooks changed it.
    pub output: Option<Value>,
    /// Context for the model, in order and without duplicates.
    pub context: Vec<String>,
    /// The reason to end the run, if it must end.
    pub stop: Option<String>,
    /// Notices for the user, in order: of hooks, of dropped actions, of hooks that failed open, and of shadow mode.
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
    /// Allows, without any texts.
    #[must_use]
    pub fn pass() -> Self {
        Self::default()
    }

    /// Denies, with a reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, reason: reason.into(), ..Self::default() }
    }

    /// Whether the action is denied.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.decision == Decision::Deny
    }

    /// The permission decision by the names that most clients have; `None` without an opinion.
    #[must_use]
    pub fn permission_word(&self) -> Option<&'static str> {
        match self.decision {
            Decision::Deny => Some("deny"),
            Decision::Ask => Some("ask"),
            Decision::Allow => self.is_approved.then_some("allow"),
        }
    }

    /// The reason of the permission decision, if there is one.
    #[must_use]
    pub fn permission_reason(&self) -> Option<&str> {
        Some(self.reason.as_str()).filter(|reason| self.permission_word().is_some() && !reason.is_empty())
    }

    /// The answer to a request for permission, in the fields that Claude Code introduced; `None` without an opinion.
    #[must_use]
    pub fn permission_answer(&self) -> Option<Value> {
        let word = self.permission_word().filter(|word| *word != "ask")?;
        let denied = self.is_denied();
        let fields = [
            ("behavior", Some(Value::from(word))),
            ("message", denied.then(|| Value::from(self.reason.as_str()))),
            ("interrupt", (denied && self.stop.is_some()).then_some(Value::Bool(true))),
            ("updatedInput", self.input.clone().filter(|_| !denied)),
        ];
        Some(fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// The replacement of a tool's result: the reason of a denial, otherwise the changed result.
    #[must_use]
    pub fn result_replacement(&self) -> Option<Value> {
        if self.is_denied() { Some(Value::from(self.reason.as_str())) } else { self.output.clone() }
    }

    /// The replacement as a text that is never blank, for hosts that ignore a blank text.
    #[must_use]
    pub fn result_replacement_text(&self) -> Option<String> {
        let text = json_to_text(&self.result_replacement()?);
        Some(if text.trim().is_empty() { String::from("[removed by a hook]") } else { text })
    }

    /// The context as one text, if there is any.
    #[must_use]
    pub fn context_text(&self) -> Option<String> {
        (!self.context.is_empty()).then(|| self.context.join("\n\n"))
    }

    /// The notices as one text, if there are any.
    #[must_use]
    pub fn notice_text(&self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.join("\n"))
    }
}

//! Outcomes: the combined result of all verdicts.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DispatchId, Effect, Failure, FailurePolicy, HookId, Payload, Verdict};

/// The result of a dispatch. Every dispatch has one; hooks that failed are in `failures`.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The dispatch, by which the tape's records of it can be found.
    pub dispatch: DispatchId,
    /// What the host must do.
    pub decision: Decision,
    /// Whether a hook explicitly returned `allow`, as opposed to no hook objecting.
    pub approved: bool,
    /// The payload with every rewrite applied. The host must use this payload and no other.
    pub payload: Payload,
    /// Whether `payload` differs from the payload that was fired.
    pub rewritten: bool,
    /// The reasons for the decision, in the order of the deciding hooks.
    pub reasons: Vec<OutcomeReason>,
    /// The effects for the host, in the declared order of their hooks.
    pub effects: Vec<(HookId, Effect)>,
    /// The hooks that failed, and what their failure meant.
    pub failures: Vec<FailureReport>,
    /// Problems that did not affect the decision.
    pub warnings: Vec<Warning>,
    /// The verdicts of hooks in shadow mode, which were not enforced.
    pub shadow: Vec<ShadowVerdict>,
    /// The approval of an `ask`, bound to the payload it was given for.
    pub approval: Option<Approval>,
    /// The number of hooks that were called.
    pub hooks_called: u32,
}

/// The reason that a model receives for a hook that failed with the failure policy `closed`.
const UNANSWERED: &str = "a policy check failed, so this was denied";

/// The most characters of a hook's reason that are shown. The tape has all of it.
const MAX_REASON_CHARS: usize = 8_000;

/// A reason as it is shown: a program may print megabytes, which would stay in the model's conversation.
fn shown_text(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_REASON_CHARS) {
        Some((index, _)) => {
            let (shown, rest) = text.split_at(index);
            Cow::Owned(format!("{shown}… ({} more characters)", rest.chars().count()))
        }
        None => Cow::Borrowed(text),
    }
}

/// The text about a denial without a reason.
const NO_REASON: &str = "Agent terminated by a hook.";

impl Outcome {
    /// The outcome if no hook matches: allowed, with the payload unchanged.
    #[must_use]
    #[inline]
    pub fn unchanged(payload: Payload) -> Self {
        Self {
            dispatch: DispatchId::default(),
            decision: Decision::Allow,
            approved: false,
            payload,
            rewritten: false,
            reasons: Vec::new(),
            effects: Vec::new(),
            failures: Vec::new(),
            warnings: Vec::new(),
            shadow: Vec::new(),
            approval: None,
            hooks_called: 0,
        }
    }

    /// Whether the host may continue.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.decision == Decision::Allow
    }

    /// Why the agent's run must end; `None` unless a hook that denied requires it.
    #[must_use]
    pub fn stop_reason(&self) -> Option<String> {
        let stops = self.reasons.iter().filter(|reason| self.decision == Decision::Deny && reason.stops_run);
        let texts: Vec<Cow<'_, str>> = stops.map(|reason| shown_text(&reason.text)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Whether the event itself is denied, as opposed to only ending the agent's run.
    #[must_use]
    pub fn denies_event(&self) -> bool {
        self.decision == Decision::Deny
            && (self.reasons.is_empty() || self.reasons.iter().any(|reason| !reason.stops_run))
    }

    /// Whether the event is denied only because hooks failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.decision == Decision::Deny
            && !self.reasons.is_empty()
            && self.reasons.iter().all(|reason| self.has_failed(&reason.hook))
    }

    /// The hooks of the reasons, in their order, each once. A hook that failed closed is one of them.
    #[must_use]
    pub fn deciding_hooks(&self) -> Vec<HookId> {
        let mut hooks: Vec<HookId> = Vec::new();
        for hook in self.reasons.iter().map(|reason| &reason.hook) {
            if !hooks.contains(hook) {
                hooks.push(hook.clone());
            }
        }
        hooks
    }

    /// The texts for the model, context and reminders, in the order of their hooks.
    pub fn model_texts(&self) -> impl Iterator<Item = &str> {
        self.effects.iter().filter_map(|(_, effect)| match effect {
            Effect::Context(text) => Some(text.as_str()),
            Effect::Reminder(reminder) => Some(reminder.body.as_str()),
            _ => None,
        })
    }

    /// The texts for the user, in the order of their hooks.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.effects.iter().filter_map(|(_, effect)| match effect {
            Effect::Notice(text) => Some(text.as_str()),
            _ => None,
        })
    }

    fn has_failed(&self, hook: &HookId) -> bool {
        self.failures.iter().any(|report| report.hook == *hook && report.policy == FailurePolicy::Closed)
    }

    /// The reason shown to the model, in one line: the hooks' own texts, without their names. For a hook that failed the
    /// model only learns that a check failed; the error is for the user.
    #[must_use]
    pub fn reason_for_model(&self) -> String {
        let mut texts: Vec<Cow<'_, str>> = Vec::new();
        for reason in &self.reasons {
            let is_failed = self.has_failed(&reason.hook);
            let text = if is_failed { Cow::Borrowed(UNANSWERED) } else { shown_text(reason.text.trim()) };
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        if texts.is_empty() && !self.is_allowed() {
            return String::from("denied by policy");
        }
        texts.join("; ")
    }

    /// The hooks' own texts, one a line; empty if no hook gave one.
    #[must_use]
    pub fn hook_texts(&self) -> String {
        let texts = self.reasons.iter().map(|reason| shown_text(reason.text.trim())).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The hooks' own texts about a denial, or a text that says that there is none.
    #[must_use]
    pub fn denial_text(&self) -> String {
        let texts = self.hook_texts();
        if texts.is_empty() { String::from(NO_REASON) } else { texts }
    }

    /// The reasons in one line, such as `blocked by hook "h": why; …` for a deny.
    #[must_use]
    pub fn reason(&self) -> String {
        let verb = match self.decision {
            Decision::Deny => "blocked",
            Decision::Ask => "asked",
            Decision::Allow => "allowed",
        };
        let mut line = String::new();
        for reason in &self.reasons {
            if !line.is_empty() {
                line.push_str("; ");
            }
            line.push_str(&format!("{verb} by hook \"{}\"", reason.hook.label()));
            // A program may deny without a reason.
            if !reason.text.is_empty() {
                line.push_str(": ");
                line.push_str(&shown_text(&reason.text));
            }
        }
        line
    }
}

/// What the host must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Continue with the outcome's payload.
    Allow,
    /// Continue only with the user's approval. Hosts receive it only if the approver defers to them.
    Ask,
    /// Do not continue.
    Deny,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// Why a hook decided as it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeReason {
    /// The hook.
    pub hook: HookId,
    /// The reason, for the user and the model.
    pub text: String,
    /// Whether the hook's deny ends the agent's run; see [`DenyEffect`](crate::DenyEffect).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops_run: bool,
    /// The guard that never judged the final target, when the engine stopped rechecking guards and denied. On the tape since
    /// format 4, so that replay need not read the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled_guard: Option<HookId>,
}

impl OutcomeReason {
    /// Creates a reason for a deny of the event itself.
    pub fn new(hook: HookId, text: impl Into<String>) -> Self {
        Self { hook, text: text.into(), stops_run: false, unsettled_guard: None }
    }
}

/// A hook that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureReport {
    /// The hook.
    pub hook: HookId,
    /// The failure.
    pub failure: Failure,
    /// The policy that was applied: `Closed` denied, `Open` continued.
    pub policy: FailurePolicy,
}

/// A problem that did not affect the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The hook.
    pub hook: HookId,
    /// The message for the user.
    pub message: String,
}

/// The verdict of a hook in shadow mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ShadowVerdict {
    /// The hook.
    pub hook: HookId,
    /// The verdict, which was not enforced.
    pub verdict: Verdict,
}

/// An approved `ask`. It is valid only for a payload with this digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The [`Payload::digest`] of the payload that was approved.
    pub digest: String,
    /// Who approved, for the tape.
    pub approved_by: String,
}

impl Approval {
    /// Whether the approval is valid for this payload.
    #[must_use]
    pub fn covers(&self, payload: &Payload) -> bool {
        self.digest == payload.digest()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_reason_without_words_is_a_name() {
        let reasons = vec![OutcomeReason::new(HookId::new("a"), ""), OutcomeReason::new(HookId::new("b"), "not today")];
        let outcome = Outcome { decision: Decision::Deny, reasons, ..Outcome::unchanged(Payload::new(Value::Null)) };
        assert_eq!(outcome.reason(), "blocked by hook \"a\"; blocked by hook \"b\": not today");
    }

    #[test]
    fn a_reason_without_end_is_cut() {
        let reasons = vec![OutcomeReason::new(HookId::new("a"), "x".repeat(1_000_000))];
        let outcome = Outcome { decision: Decision::Deny, reasons, ..Outcome::unchanged(Payload::new(Value::Null)) };
        for text in [outcome.reason(), outcome.reason_for_model(), outcome.hook_texts()] {
            assert!(text.len() < 9_000 && text.ends_with("xxx… (992000 more characters)"), "{} bytes", text.len());
        }
    }

    #[test]
    fn a_model_is_told_why_and_not_by_whom() {
        let texts =
            [("a", ""), ("b", "not today"), ("c", "hook `c` gave no answer (error: KeyError); it fails closed")];
        let reasons: Vec<OutcomeReason> =
            texts.map(|(hook, text)| OutcomeReason::new(HookId::new(hook), text)).to_vec();
        let failure = Failure::new(crate::FailureKind::Error, "KeyError");
        let failures = vec![FailureReport { hook: HookId::new("c"), failure, policy: FailurePolicy::Closed }];
        let denied =
            Outcome { decision: Decision::Deny, reasons, failures, ..Outcome::unchanged(Payload::new(Value::Null)) };
        assert_eq!(denied.reason_for_model(), "not today; a policy check failed, so this was denied");
        let silent = Outcome { reasons: denied.reasons[..1].to_vec(), failures: Vec::new(), ..denied };
        assert_eq!(silent.reason_for_model(), "denied by policy");
    }
}

//! What a chain of verdicts came to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Effect, Failure, FailurePolicy, HookId, Payload, Verdict};

/// The result of a dispatch. There is always one: what could not be asked is in `failures`.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What the host must do.
    pub decision: Decision,
    /// Whether a hook said `allow` in so many words, rather than nobody objecting.
    pub approved: bool,
    /// The payload with every rewrite applied. The host uses this one and no other.
    pub payload: Payload,
    /// Whether `payload` differs from the one that was fired.
    pub rewritten: bool,
    /// Why, in the order of the deciding hooks.
    pub reasons: Vec<OutcomeReason>,
    /// Effects for the host, in declared order of their hooks.
    pub effects: Vec<(HookId, Effect)>,
    /// The hooks that gave no answer, and what that meant.
    pub failures: Vec<FailureReport>,
    /// What deserves attention though it decided nothing.
    pub warnings: Vec<Warning>,
    /// What the hooks in shadow mode would have done.
    pub shadow: Vec<ShadowVerdict>,
    /// The approval of an ask, bound to the target it was given for.
    pub approval: Option<Approval>,
    /// Hooks that were asked.
    pub hooks_called: u32,
}

/// What a model is told of a hook that failed closed.
const UNANSWERED: &str = "a policy check gave no answer, so this was refused";

impl Outcome {
    /// The outcome when no hook listens: allowed, unchanged.
    #[must_use]
    pub fn unchanged(payload: Payload) -> Self {
        Self {
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

    /// Whether the host may go on.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.decision == Decision::Allow
    }

    /// Why the agent's run has to end, when a hook that denies says so.
    #[must_use]
    pub fn stop_reason(&self) -> Option<String> {
        let stops = self.reasons.iter().filter(|reason| self.decision == Decision::Deny && reason.stops_run);
        let texts: Vec<&str> = stops.map(|reason| reason.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Whether a hook denies in the sense of the event's row, rather than only ending the run.
    #[must_use]
    pub fn denies_event(&self) -> bool {
        self.decision == Decision::Deny
            && (self.reasons.is_empty() || self.reasons.iter().any(|reason| !reason.stops_run))
    }

    /// Whether the denial is all of hooks that failed, and nobody refused.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.decision == Decision::Deny
            && !self.reasons.is_empty()
            && self.reasons.iter().all(|reason| self.has_failed(&reason.hook))
    }

    fn has_failed(&self, hook: &HookId) -> bool {
        self.failures.iter().any(|report| report.hook == *hook && report.policy == FailurePolicy::Closed)
    }

    /// The reasons for a model, which sees the consequences of a hook and never its name (AI Harness, Hooks): the hooks' own
    /// words in one line. Of a hook that gave no answer it is told only that; the fault is for the user.
    #[must_use]
    pub fn reason_for_model(&self) -> String {
        let mut texts: Vec<&str> = Vec::new();
        for reason in &self.reasons {
            let text = if self.has_failed(&reason.hook) { UNANSWERED } else { reason.text.trim() };
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        if texts.is_empty() { String::from("refused by policy") } else { texts.join("; ") }
    }

    /// The reasons in one line: `blocked by hook "h": why; …` for a deny.
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
            line.push_str(&format!("{verb} by hook \"{}\"", reason.hook));
            // A program may refuse without a word.
            if !reason.text.is_empty() {
                line.push_str(": ");
                line.push_str(&reason.text);
            }
        }
        line
    }
}

/// What the host must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Go on, with the outcome's payload.
    Allow,
    /// Go on only if somebody who may says yes. Only seen where the resolver defers to the host.
    Ask,
    /// Do not go on.
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
    /// Who.
    pub hook: HookId,
    /// Why, for people and for the model.
    pub text: String,
    /// Whether the hook's deny ends the agent's run, see [`DenyEffect`](crate::OnDeny).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops_run: bool,
    /// The guard that never judged the final target, when the engine stopped rechecking guards and denied. On the tape since
    /// format 4, so that replay need not read the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled_guard: Option<HookId>,
}

impl OutcomeReason {
    /// A reason of a hook whose deny means what the event's row says.
    pub fn new(hook: HookId, text: impl Into<String>) -> Self {
        Self { hook, text: text.into(), stops_run: false, unsettled_guard: None }
    }
}

/// A hook that gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureReport {
    /// Who.
    pub hook: HookId,
    /// What happened.
    pub failure: Failure,
    /// What it meant: `ClosedRecord` denied, `Open` went on.
    pub policy: FailurePolicy,
}

/// Something worth telling that decided nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Who.
    pub hook: HookId,
    /// What.
    pub message: String,
}

/// What a hook in shadow mode said.
#[derive(Debug, Clone, PartialEq)]
pub struct ShadowVerdict {
    /// Who.
    pub hook: HookId,
    /// What it would have done.
    pub verdict: Verdict,
}

/// A lifted ask. Void for any other target than the one with this digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// [`Payload::digest`] of the payload that was approved.
    pub digest: String,
    /// Who approved, for the tape.
    #[serde(rename = "by")]
    pub approved_by: String,
}

impl Approval {
    /// Whether the approval holds for this payload.
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
    fn a_model_is_told_why_and_not_by_whom() {
        let texts =
            [("a", ""), ("b", "not today"), ("c", "hook `c` gave no answer (error: KeyError); it fails closed")];
        let reasons: Vec<OutcomeReason> =
            texts.map(|(hook, text)| OutcomeReason::new(HookId::new(hook), text)).to_vec();
        let failure = Failure::new(crate::FailureKind::Error, "KeyError");
        let failures = vec![FailureReport { hook: HookId::new("c"), failure, policy: FailurePolicy::Closed }];
        let denied =
            Outcome { decision: Decision::Deny, reasons, failures, ..Outcome::unchanged(Payload::new(Value::Null)) };
        assert_eq!(denied.reason_for_model(), "not today; a policy check gave no answer, so this was refused");
        let silent = Outcome { reasons: denied.reasons[..1].to_vec(), failures: Vec::new(), ..denied };
        assert_eq!(silent.reason_for_model(), "refused by policy");
    }
}

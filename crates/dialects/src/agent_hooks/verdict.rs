//! Verdicts of interceptors.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::identity::canonical_json;
use super::path;

/// The prefix of the reasons that only hosts give.
const RESERVED: &str = "host_error:";

/// The most bytes of evidence, in its canonical form.
const MAX_EVIDENCE_BYTES: usize = 10_240;

/// The most bytes of a message in a record.
const MAX_MESSAGE_BYTES: usize = 256;

/// What an interceptor decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InterceptorDecision {
    /// The action proceeds.
    Allow,
    /// The action does not proceed, unless an approval lifts the deny.
    Deny,
    /// The action proceeds with another target.
    Transform,
}

/// The verdict of an interceptor, of an approver, or of several composed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterceptorVerdict {
    /// The decision.
    pub decision: InterceptorDecision,
    /// Why, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Concerns that do not decide.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<InterceptorWarning>,
    /// Only with a deny: an approval can lift it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Map<String, Value>>,
    /// The change; with a transform, and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<TargetTransform>,
    /// Where to verify the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<VerdictEvidence>,
    /// Labels for the data of the action.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    pub result_labels: Vec<String>,
}

/// A concern of an interceptor that does not decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterceptorWarning {
    /// What, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The replacement of a part of the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetTransform {
    /// The part, such as `$target.url`.
    pub path: String,
    /// The new value.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
}

/// Where to verify a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictEvidence {
    /// The address of a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artefact: Option<String>,
    /// Addresses for an auditor, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verification_pointers: BTreeMap<String, String>,
}

fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(list: D) -> Result<Vec<T>, D::Error> {
    Option::<Vec<T>>::deserialize(list).map(Option::unwrap_or_default)
}

impl InterceptorVerdict {
    /// A verdict with nothing but a decision.
    #[must_use]
    pub const fn new(decision: InterceptorDecision) -> Self {
        Self {
            decision,
            reason: None,
            message: None,
            warnings: Vec::new(),
            approval: None,
            transform: None,
            evidence: None,
            result_labels: Vec::new(),
        }
    }

    /// The deny of the host for something that failed.
    #[must_use]
    pub fn from_fault(fault: HostFault) -> Self {
        let message = Some(fault.detail).filter(|detail| !detail.is_empty());
        Self { reason: Some(fault.error.reason()), message, ..Self::new(InterceptorDecision::Deny) }
    }

    /// Reads what an interceptor returned.
    ///
    /// # Errors
    /// If it is not a verdict.
    pub fn parse(returned: &Value) -> Result<Self, HostFault> {
        let invalid = |detail: &str| HostFault::new(HostError::VerdictInvalid, detail);
        // Serde also reads lists as structs.
        let is_table = |value: &Value| value.is_object() || value.is_null();
        let parts = ["transform", "evidence"].iter().filter_map(|part| returned.get(part));
        let warnings = returned.get("warnings").and_then(Value::as_array).into_iter().flatten();
        if !returned.is_object() || !parts.chain(warnings).all(is_table) {
            return Err(invalid("a verdict is an object, and its parts are objects"));
        }
        let verdict: Self = serde_json::from_value(returned.clone()).map_err(|error| invalid(&error.to_string()))?;
        let reasons = verdict.warnings.iter().map(|warning| &warning.reason).chain([&verdict.reason]);
        if reasons.flatten().any(|reason| reason.starts_with(RESERVED)) {
            return Err(invalid(&format!("reasons that begin with `{RESERVED}` are reserved for hosts")));
        }
        if verdict.approval.is_some() && verdict.decision != InterceptorDecision::Deny {
            return Err(invalid("`approval` is only for a deny"));
        }
        if verdict.transform.is_some() != (verdict.decision == InterceptorDecision::Transform) {
            return Err(invalid("`transform` is for a transform, and only there"));
        }
        if let Some(transform) = &verdict.transform {
            path::parse(&transform.path)?;
        }
        if let Some(evidence) = &verdict.evidence {
            let size = canonical_json(&serde_json::to_value(evidence).unwrap_or_default())?.len();
            if size > MAX_EVIDENCE_BYTES {
                return Err(invalid(&format!("`evidence` has {size} bytes; {MAX_EVIDENCE_BYTES} are permitted")));
            }
        }
        Ok(verdict)
    }

    /// Whether the action proceeds.
    #[must_use]
    pub fn permits(&self) -> bool {
        self.decision != InterceptorDecision::Deny
    }

    /// Whether it is a deny that an approval can lift.
    #[must_use]
    pub fn is_liftable(&self) -> bool {
        !self.permits() && self.approval.is_some()
    }

    /// Whether the host gave it for something that failed.
    #[must_use]
    pub fn is_of_host(&self) -> bool {
        self.reason.as_deref().is_some_and(|reason| reason.starts_with(RESERVED))
    }

    /// The reason and the message in one line, for the model and the user.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<&str> = [&self.reason, &self.message].into_iter().flatten().map(String::as_str).collect();
        parts.join(": ")
    }

    /// The verdict without what may contain data of the action, for a record.
    #[must_use]
    pub(super) fn for_record(mut self) -> Self {
        let warnings = self.warnings.iter_mut().map(|warning| &mut warning.message);
        warnings.chain([&mut self.message]).flatten().for_each(cut_message);
        self.approval.iter_mut().for_each(Map::clear);
        self.transform.iter_mut().for_each(|transform| transform.value = Value::Null);
        self
    }
}

fn cut_message(message: &mut String) {
    if message.len() > MAX_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message.push('…');
    }
}

/// Why a host denies by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostError {
    /// The context is not valid, or has no identity.
    ContextInvalid,
    /// The interceptor failed.
    InterceptorFailed,
    /// The interceptor took too long.
    InterceptorTimeout,
    /// What the interceptor returned is not a verdict.
    VerdictInvalid,
    /// The change cannot be made.
    TransformInvalid,
    /// The change is not of the target, or the point has none that may change.
    TransformTargetForbidden,
    /// Several interceptors changed the same target.
    TransformConflict,
    /// Not all interceptors allowed.
    CompositionDisagreement,
    /// The approver failed.
    ApprovalResolverFailed,
    /// The approver did not decide.
    ApprovalUnresolved,
    /// The approval is for another context.
    ApprovalIdentityMismatch,
    /// No interceptor is bound to the point.
    NoInterceptor,
}

impl HostError {
    /// The reason of the deny.
    #[must_use]
    pub fn reason(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        format!("{RESERVED}{}", name.as_str().unwrap_or_default())
    }
}

/// Something that failed, for which the host denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFault {
    /// What.
    pub error: HostError,
    /// More about it, without data of the action.
    pub detail: String,
}

impl HostFault {
    /// Creates a fault.
    #[must_use]
    pub fn new(error: HostError, detail: &str) -> Self {
        Self { error, detail: detail.to_owned() }
    }
}

impl fmt::Display for HostFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error.reason(), self.detail)
    }
}

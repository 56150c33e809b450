//! The world as the tape knows it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner,
};

use super::tape_dispatch::{TapeDispatch, TapeEffect};
use crate::effects::clean;

/// Answers what hooks ask in one dispatch from the tape.
#[derive(Debug)]
pub(super) struct TapeEffects {
    unused_effects: Mutex<UnusedEffects>,
    approval_response: Option<ApprovalResponse>,
}

/// What is left of the tape, and what it does not tell.
#[derive(Debug, Default)]
pub(super) struct UnusedEffects {
    /// What was asked then and not now.
    pub(super) not_requested: Vec<TapeEffect>,
    /// What was asked now and not then, and by whom.
    pub(super) not_recorded: Vec<(String, EffectRequest)>,
}

impl TapeEffects {
    pub(super) fn new(recorded: &TapeDispatch) -> Self {
        let rest = UnusedEffects { not_requested: recorded.effects.clone(), not_recorded: Vec::new() };
        Self { unused_effects: Mutex::new(rest), approval_response: recorded.approval_response.clone() }
    }

    pub(super) fn into_unused_effects(self) -> UnusedEffects {
        self.unused_effects.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EffectRunner for TapeEffects {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let mut rest = self.unused_effects.lock().unwrap_or_else(PoisonError::into_inner);
        let request = clean::redact_request(&request).unwrap_or(request);
        let same = |effect: &TapeEffect| effect.hook == caller.name && effect.request == request;
        if let Some(at) = rest.not_requested.iter().position(same) {
            return rest.not_requested.remove(at).reply;
        }
        // What only leaves a trace goes on, so that the rest of the hook can be compared too.
        let answer = match &request {
            EffectRequest::Log { .. }
            | EffectRequest::MetricSet { .. }
            | EffectRequest::MetricReset { .. }
            | EffectRequest::CacheSet { .. }
            | EffectRequest::ContextSet { .. }
            | EffectRequest::Sleep { .. } => Ok(EffectReply::Done),
            EffectRequest::MetricIncr { amount: by, .. } => Ok(EffectReply::Int(*by)),
            _ => Err(EffectError(String::from("the tape does not tell: this was not asked when it was recorded"))),
        };
        rest.not_recorded.push((caller.name.to_owned(), request));
        answer
    }
}

/// Whoever was asked then answers as then.
impl Approver for TapeEffects {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.approval_response.clone().unwrap_or(ApprovalResponse::Unavailable)
    }

    fn is_available(&self) -> bool {
        self.approval_response.is_some()
    }
}

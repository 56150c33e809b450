//! Effect replies and approval responses from a tape.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner,
};

use super::tape_dispatch::{TapeDispatch, TapeEffect};
use crate::effects::clean;

/// Replies to the effect requests and approval requests of one dispatch from the tape.
#[derive(Debug)]
pub(super) struct TapeEffects {
    unused_effects: Mutex<UnusedEffects>,
    approval_response: Option<ApprovalResponse>,
}

/// The effect requests that only the recorded hooks or only the current hooks made.
#[derive(Debug, Default)]
pub(super) struct UnusedEffects {
    /// The recorded requests that the current hooks did not make.
    pub(super) not_requested: Vec<TapeEffect>,
    /// The requests that are not on the tape, each with the hook that made it.
    pub(super) not_recorded: Vec<(String, EffectRequest)>,
}

impl TapeEffects {
    pub(super) fn new(recorded: &TapeDispatch) -> Self {
        let unused = UnusedEffects { not_requested: recorded.effects.clone(), not_recorded: Vec::new() };
        Self { unused_effects: Mutex::new(unused), approval_response: recorded.approval_response.clone() }
    }

    pub(super) fn into_unused_effects(self) -> UnusedEffects {
        self.unused_effects.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EffectRunner for TapeEffects {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let mut unused = self.unused_effects.lock().unwrap_or_else(PoisonError::into_inner);
        let request = clean::redact_request(&request).unwrap_or(request);
        let same = |effect: &TapeEffect| effect.hook == caller.name && effect.request == request;
        if let Some(index) = unused.not_requested.iter().position(same) {
            return unused.not_requested.remove(index).reply;
        }
        // A request whose reply has no information succeeds, so that the rest of the hook can be compared too.
        let reply = match &request {
            EffectRequest::Log { .. }
            | EffectRequest::MetricSet { .. }
            | EffectRequest::MetricReset { .. }
            | EffectRequest::CacheSet { .. }
            | EffectRequest::ContextSet { .. }
            | EffectRequest::Sleep { .. } => Ok(EffectReply::Done),
            EffectRequest::MetricIncr { amount, .. } => Ok(EffectReply::Int(*amount)),
            _ => Err(EffectError(String::from(
                "the tape has no reply to this effect request, because the recorded hooks did not make it",
            ))),
        };
        unused.not_recorded.push((caller.name.to_owned(), request));
        reply
    }
}

/// Returns the recorded approval response.
impl Approver for TapeEffects {
    fn request_approval(&self, _request: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.approval_response.clone().unwrap_or(ApprovalResponse::Unavailable)
    }

    fn is_available(&self) -> bool {
        self.approval_response.is_some()
    }
}

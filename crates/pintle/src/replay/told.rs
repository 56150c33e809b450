//! The world as the tape knows it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner,
};

use super::recorded::{Recorded, RecordedEffect};
use crate::seam::clean;

/// Answers what hooks ask in one dispatch from the tape.
#[derive(Debug)]
pub(super) struct Told {
    rest: Mutex<Rest>,
    resolution: Option<ApprovalResponse>,
}

/// What is left of the tape, and what it does not tell.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// What was asked then and not now.
    pub(super) unasked: Vec<RecordedEffect>,
    /// What was asked now and not then, and by whom.
    pub(super) untold: Vec<(String, EffectRequest)>,
}

impl Told {
    pub(super) fn new(recorded: &Recorded) -> Self {
        let rest = Rest { unasked: recorded.effects.clone(), untold: Vec::new() };
        Self { rest: Mutex::new(rest), resolution: recorded.resolution.clone() }
    }

    pub(super) fn close(self) -> Rest {
        self.rest.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EffectRunner for Told {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let request = clean::request(&request).unwrap_or(request);
        let same = |effect: &RecordedEffect| effect.hook == caller.name && effect.request == request;
        if let Some(at) = rest.unasked.iter().position(same) {
            return rest.unasked.remove(at).answer;
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
        rest.untold.push((caller.name.to_owned(), request));
        answer
    }
}

/// Whoever was asked then answers as then.
impl Approver for Told {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.resolution.clone().unwrap_or(ApprovalResponse::Unavailable)
    }

    fn is_available(&self) -> bool {
        self.resolution.is_some()
    }
}

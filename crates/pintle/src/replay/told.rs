//! The world as the tape knows it.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{Caller, Question, Reply, Request, Resolution, Resolver, Seam, SeamError};

use super::recorded::{Recorded, RecordedEffect};
use crate::seam::clean;

/// Answers what hooks ask in one dispatch from the tape.
#[derive(Debug)]
pub(super) struct Told {
    rest: Mutex<Rest>,
    resolution: Option<Resolution>,
}

/// What is left of the tape, and what it does not tell.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// What was asked then and not now.
    pub(super) unasked: Vec<RecordedEffect>,
    /// What was asked now and not then, and by whom.
    pub(super) untold: Vec<(String, Request)>,
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

impl Seam for Told {
    fn perform(&self, caller: Caller<'_>, request: Request) -> Result<Reply, SeamError> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let request = clean::request(&request).unwrap_or(request);
        let same = |effect: &RecordedEffect| effect.hook == caller.name && effect.request == request;
        if let Some(at) = rest.unasked.iter().position(same) {
            return rest.unasked.remove(at).answer;
        }
        // What only leaves a trace goes on, so that the rest of the hook can be compared too.
        let answer = match &request {
            Request::Log { .. }
            | Request::MetricSet { .. }
            | Request::MetricReset { .. }
            | Request::CacheSet { .. }
            | Request::ContextSet { .. }
            | Request::Sleep { .. } => Ok(Reply::Done),
            Request::MetricIncr { by, .. } => Ok(Reply::Int(*by)),
            _ => Err(SeamError(String::from("the tape does not tell: this was not asked when it was recorded"))),
        };
        rest.untold.push((caller.name.to_owned(), request));
        answer
    }
}

/// Whoever was asked then answers as then.
impl Resolver for Told {
    fn resolve(&self, _question: &Question<'_>) -> Resolution {
        self.resolution.clone().unwrap_or(Resolution::Nobody)
    }

    fn is_there(&self) -> bool {
        self.resolution.is_some()
    }
}

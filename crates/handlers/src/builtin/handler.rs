//! A built-in as the engine calls it.

use std::sync::Arc;

use pintle_contract::{Call, Failure, FailureKind, Handler, Redact, Verdict};

use super::asked::Setup;
use super::{Asked, Builtin};

/// A hook that is a built-in.
#[derive(Debug)]
pub(super) struct BuiltinHandler {
    pub(super) builtin: Box<dyn Builtin>,
    pub(super) setup: Setup,
}

impl Handler for BuiltinHandler {
    fn kind(&self) -> &'static str {
        "builtin"
    }

    fn may_wait(&self) -> bool {
        self.builtin.may_wait()
    }

    fn redacts(&self) -> Option<Arc<dyn Redact>> {
        self.builtin.redacts()
    }

    fn call(&self, call: &Call<'_>) -> Verdict {
        if call.cancel.is_cancelled() {
            return Verdict::failed(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        let verdict = self.builtin.call(&Asked::new(call, &self.setup));
        match self.setup.doubt(call) {
            Some(doubt) => verdict.warn(doubt),
            None => verdict,
        }
    }
}

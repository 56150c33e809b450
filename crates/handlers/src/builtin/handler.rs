//! A built-in as the engine calls it.

use std::sync::Arc;

use pintle_contract::{Failure, FailureKind, Handler, HookCall, Redactor, Verdict};

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

    fn redactor(&self) -> Option<Arc<dyn Redactor>> {
        self.builtin.redacts()
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        if call.cancel.is_cancelled() {
            return Verdict::failed(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        let verdict = self.builtin.call(&Asked::new(call, &self.setup));
        match self.setup.doubt(call) {
            Some(doubt) => verdict.with_warning(doubt),
            None => verdict,
        }
    }
}

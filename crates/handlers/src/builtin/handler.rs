//! Adapts a built-in to the engine's handler trait.

use std::sync::Arc;

use pintle_contract::{CallReads, Failure, FailureKind, Handler, HookCall, Redactor, Verdict};

use super::call::BuiltinConfig;
use super::{BuiltinCall, BuiltinHook};

/// The handler of a built-in.
#[derive(Debug)]
pub(super) struct BuiltinHandler {
    pub(super) builtin: Box<dyn BuiltinHook>,
    pub(super) setup: BuiltinConfig,
    /// Whether the built-in has side effects.
    pub(super) has_side_effects: bool,
}

impl Handler for BuiltinHandler {
    fn kind(&self) -> &'static str {
        "builtin"
    }

    fn may_wait(&self) -> bool {
        self.builtin.may_wait()
    }

    fn needs_order(&self) -> bool {
        self.builtin.needs_order()
    }

    fn is_reusable(&self) -> bool {
        self.builtin.is_reusable()
    }

    fn call_reads(&self) -> CallReads {
        self.builtin.call_reads()
    }

    fn hears_calls_as_made(&self) -> bool {
        self.builtin.call_reads() != CallReads::default()
    }

    fn redactor(&self) -> Option<Arc<dyn Redactor>> {
        self.builtin.redactor()
    }

    fn acts_outside(&self) -> bool {
        self.has_side_effects
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        if call.cancel.is_cancelled() {
            return Verdict::failed(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        let verdict = self.builtin.call(&BuiltinCall::new(call, &self.setup));
        match self.setup.directory_warning(call) {
            Some(doubt) => verdict.with_warning(doubt),
            None => verdict,
        }
    }
}

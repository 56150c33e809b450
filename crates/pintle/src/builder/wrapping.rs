//! Settings that put another handler around that of every hook.

use std::sync::Arc;

use pintle_contract::{Chain, Handler, HookCall, Verdict};

use crate::{RecheckMemory, RuntimeBuilder};

impl RuntimeBuilder {
    /// Remembers what each hook did for a call, for a host that fires several events about one call. Default: events
    /// are independent.
    #[must_use]
    pub fn recheck_memory(mut self, memory: RecheckMemory) -> Self {
        self.recheck_memory = Some(memory);
        self
    }

    /// Calls no hook: each one that matches passes. This is for a host that shows which hooks would run. Default: hooks
    /// are called.
    #[must_use]
    pub fn without_calls(mut self) -> Self {
        self.is_uncalled = true;
        self
    }
}

/// Wraps the handlers of all hooks.
pub(super) fn wrap_handlers(chains: &mut [Chain], memory: Option<&RecheckMemory>, is_uncalled: bool) {
    if is_uncalled {
        for hook in chains.iter_mut().flat_map(|chain| &mut chain.hooks) {
            let handler = UncalledHandler { kind: hook.handler.kind() };
            Arc::make_mut(hook).handler = Arc::new(handler);
        }
    } else if let Some(memory) = memory {
        memory.wrap(chains);
    }
}

/// Replaces a handler that is not called.
#[derive(Debug)]
struct UncalledHandler {
    kind: &'static str,
}

impl Handler for UncalledHandler {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

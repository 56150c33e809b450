//! Other handlers for hooks, such as ones that fail.

use std::fmt::Debug;
use std::sync::Arc;

use pintle_contract::{Chain, Handler, Hook, HookCall, Verdict};

/// Chooses other handlers for hooks, such as ones that fail.
pub trait HandlerOverride: Send + Sync + Debug {
    /// The handler that is called and not the hook's own; `None` keeps its own.
    fn choose_handler(&self, hook: &Hook) -> Option<Arc<dyn Handler>>;
}

/// Sets other handlers for the hooks of chains.
pub(crate) fn override_handlers(chains: &mut [Chain], choose: &dyn HandlerOverride) {
    for hook in chains.iter_mut().flat_map(|chain| &mut chain.hooks) {
        if let Some(handler) = choose.choose_handler(hook) {
            Arc::make_mut(hook).handler = handler;
        }
    }
}

/// Chooses for every hook a handler that passes.
#[derive(Debug)]
pub(crate) struct NoHookCalls;

impl HandlerOverride for NoHookCalls {
    fn choose_handler(&self, hook: &Hook) -> Option<Arc<dyn Handler>> {
        Some(Arc::new(UncalledHandler { kind: hook.handler.kind() }))
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

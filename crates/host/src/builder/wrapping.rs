//! Settings that put another handler around or in place of that of every hook.

use std::sync::Arc;

use pintle_contract::{Chain, Handler, HookCall, Verdict};

use crate::state::{RunState, StateSharing};
use crate::{HandlerOverride, RuntimeBuilder, ScriptStateStore};

/// What is put around the handlers of all hooks.
#[derive(Debug, Default)]
pub(super) struct HandlerWrapping {
    is_uncalled: bool,
    script_state: Option<Arc<dyn ScriptStateStore>>,
}

impl RuntimeBuilder {
    /// Calls no hook: each one that matches passes. This is for a host that shows which hooks would run. Default: hooks
    /// are called.
    #[must_use]
    pub fn without_calls(mut self) -> Self {
        self.wrapping.is_uncalled = true;
        self
    }

    /// Has other handlers called for some hooks, also for those of agents. Default: hooks keep their own.
    #[must_use]
    pub fn override_handlers(mut self, choose: Arc<dyn HandlerOverride>) -> Self {
        self.handler_override = Some(choose);
        self
    }

    /// Keeps the metrics, the cache and the scratch values of scripts in a store that other processes use at the same
    /// time. Default: the runtime has its own.
    #[must_use]
    pub fn script_state(mut self, store: Arc<dyn ScriptStateStore>) -> Self {
        self.wrapping.script_state = Some(store);
        self
    }
}

impl HandlerWrapping {
    /// Whether hooks do not keep their handlers.
    pub(super) fn replaces_handlers(&self) -> bool {
        self.is_uncalled
    }

    /// Replaces the handlers of all hooks if none is called.
    pub(super) fn wrap(&self, chains: &mut [Chain]) {
        for hook in chains.iter_mut().filter(|_| self.is_uncalled).flat_map(|chain| &mut chain.hooks) {
            let handler = UncalledHandler { kind: hook.handler.kind() };
            Arc::make_mut(hook).handler = Arc::new(handler);
        }
    }

    /// The state of the hooks, and how it is shared.
    pub(super) fn into_state(self) -> (Arc<RunState>, Option<StateSharing>) {
        let run_state = Arc::default();
        let sharing = self.script_state.map(|store| StateSharing::new(store, Arc::clone(&run_state)));
        (run_state, sharing)
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

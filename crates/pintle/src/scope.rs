//! The scope that an event is fired in.

use std::sync::Arc;

use pintle_contract::{Approver, CallId, CancelToken, EffectCaller, EffectError};

use crate::{HookOverlay, Host, LogBuffer, ScratchValues, nesting};

/// The maximum nesting depth of events that cause events. A deeper one is refused with an error in the script.
pub(crate) const MAX_DEPTH: u32 = 8;

/// The context of a dispatch: the agent's own hooks, its host, and the nesting depth.
///
/// Cheap to clone; clones share everything but the depth.
#[derive(Debug, Clone)]
pub struct EventScope {
    /// The agent's chains, in addition to those of the runtime.
    pub overlay: Arc<HookOverlay>,
    /// Performs effect requests that only a host can perform; `None` without an agent.
    pub host: Option<Arc<dyn Host>>,
    /// Responds to approval requests instead of the runtime's approver; `None` uses the runtime's.
    pub approver: Option<Arc<dyn Approver>>,
    /// Cancelled when the outcome is no longer needed.
    pub cancel: CancelToken,
    /// Collects log lines for `turn.end`.
    pub logs: Arc<LogBuffer>,
    /// The scratch values of the turn (`ctx`).
    pub scratch: Arc<ScratchValues>,
    /// The number of events that led to this one. Default: the number of dispatches that this thread is in, so that an
    /// agent that a hook runs starts from there.
    pub depth: u32,
    /// The hook call that causes the events fired here, if any.
    pub cause: Option<CallId>,
}

impl Default for EventScope {
    fn default() -> Self {
        Self { depth: nesting::current_depth(), ..Self::root() }
    }
}

impl EventScope {
    /// Creates a scope for an event that no other event caused.
    pub(crate) fn root() -> Self {
        Self {
            overlay: Arc::default(),
            host: None,
            approver: None,
            cancel: CancelToken::default(),
            logs: Arc::default(),
            scratch: Arc::default(),
            depth: 0,
            cause: None,
        }
    }

    /// Creates a scope for an event that a script in this one causes.
    ///
    /// # Errors
    /// When events are nested more than 8 levels deep.
    pub fn nested(&self) -> Result<Self, EffectError> {
        if self.depth >= MAX_DEPTH {
            return Err(EffectError(format!(
                "events are nested more than {MAX_DEPTH} levels deep; does a hook emit the event that it runs on?"
            )));
        }
        Ok(Self { depth: self.depth + 1, ..self.clone() })
    }

    /// Creates a scope for what a script in this one waits for; it ends with the script's own time limit.
    pub(crate) fn for_caller(&self, caller: EffectCaller<'_>) -> Self {
        let mut scope = self.clone();
        if let Some(cancel) = caller.cancel {
            scope.cancel = cancel.clone();
        }
        scope
    }

    /// Clears the state that scripts kept, so that the scope can be reused.
    pub(crate) fn clear(&self) {
        self.logs.clear();
        self.scratch.clear();
    }
}

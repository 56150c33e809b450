//! What a dispatch happens in.

use std::sync::Arc;

use pintle_contract::{Approver, CallId, CancelToken, EffectCaller, EffectError};

use crate::{HookOverlay, Host, LogBuffer, ScratchValues, nesting};

/// The deepest that events may cause events. One more is refused, and the script that asked is told.
pub(crate) const MAX_DEPTH: u32 = 8;

/// What a dispatch happens in: the agent's own hooks, its host, and how deep in other dispatches it is.
///
/// Cheap to clone; clones share everything but the depth.
#[derive(Debug, Clone)]
pub struct EventScope {
    /// The agent's chains, over those of the runtime.
    pub overlay: Arc<HookOverlay>,
    /// Who performs what only a host can.
    pub host: Option<Arc<dyn Host>>,
    /// Who answers asks here, in the place of the runtime's resolver.
    pub approver: Option<Arc<dyn Approver>>,
    /// Raised when the answer is no longer wanted.
    pub cancel: CancelToken,
    /// Where log lines are gathered for `turn.end`.
    pub logs: Arc<LogBuffer>,
    /// The scratch values of the turn (`ctx`).
    pub scratch: Arc<ScratchValues>,
    /// How many events this one was caused by. Default: as many as this thread stands in, so that an agent which a hook
    /// runs counts from there.
    pub depth: u32,
    /// The call of a hook that causes the events fired here, when one does.
    pub cause: Option<CallId>,
}

impl Default for EventScope {
    fn default() -> Self {
        Self { depth: nesting::current_depth(), ..Self::root() }
    }
}

impl EventScope {
    /// A scope that no event caused.
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

    /// The scope of an event that a script in this one causes.
    ///
    /// # Errors
    /// When events are nested more than 8 deep.
    pub fn nested(&self) -> Result<Self, EffectError> {
        if self.depth >= MAX_DEPTH {
            return Err(EffectError(format!(
                "events are nested more than {MAX_DEPTH} deep; does a hook emit the event it listens to?"
            )));
        }
        Ok(Self { depth: self.depth + 1, ..self.clone() })
    }

    /// The scope of what a script in this one waits for: it ends with the script's own time.
    pub(crate) fn for_caller(&self, caller: EffectCaller<'_>) -> Self {
        let mut scope = self.clone();
        if let Some(cancel) = caller.cancel {
            scope.cancel = cancel.clone();
        }
        scope
    }

    /// Forgets what scripts left behind, so that the scope is as good as a new one.
    pub(crate) fn clear(&self) {
        self.logs.clear();
        self.scratch.clear();
    }
}

//! The trait every handler implements.

use std::fmt::Debug;

use crate::{CallLimits, CancelToken, EffectCaller, EffectRunner, Event, Hook, Layer, Verdict};

/// Identifies one call of one hook within a session's tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CallId(pub u64);

/// One call of one hook.
#[derive(Debug, Clone, Copy)]
pub struct HookCall<'a> {
    /// Numbers the call; effects through the seam carry it.
    pub id: CallId,
    /// The hook that is called.
    pub hook: &'a Hook,
    /// The configuration layer of its chain, to which the state that it keeps belongs.
    pub layer: Layer,
    /// The event, with the rewrites the hook's profile lets it see.
    pub event: &'a Event,
    /// What the call may use.
    pub limits: &'a CallLimits,
    /// Where effects go.
    pub effects: &'a dyn EffectRunner,
    /// Raised when the host no longer wants the answer.
    pub cancel: &'a CancelToken,
}

impl HookCall<'_> {
    /// Who asks, for requests through the seam.
    #[must_use]
    pub fn caller(&self) -> EffectCaller<'_> {
        let caller = EffectCaller::new(self.id, self.hook.id.as_str()).with_layer(self.layer);
        caller.with_cancel(self.cancel).with_tools(&self.hook.tools)
    }
}

/// What an answer can do to its event, as far as that can be told before the hook is called. From the least to the most:
/// a handler has no more influence than its dialect gives to the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookInfluence {
    /// It can neither deny nor rewrite the event. A host may let text be read before such a hook has been called.
    Observes,
    /// It may deny or rewrite the event; nothing shows that it does.
    MayChange,
    /// It changes or withholds what the event is about. On an event that shapes data such a hook fails closed where nothing
    /// is said: what it would take out must not pass.
    Shapes,
}

/// Runs one kind of hook: a script, a command, a builtin, a native closure.
///
/// A handler never panics and never blocks longer than its limits. What went wrong is a verdict
/// ([`VerdictKind::Failed`](crate::Said::Failed)). The engine still catches a panic and records it as a crash.
pub trait Handler: Send + Sync + Debug {
    /// The kind's name: `script`, `command`, `worker`, `http`, `builtin`, `model`, `native` or `none`.
    fn kind(&self) -> &'static str;

    /// Whether a call may wait for something outside this process. Calls that may are run at once where the profile
    /// allows it; the others are not worth a thread.
    fn may_wait(&self) -> bool {
        false
    }

    /// What takes secrets out of texts, when that is what the handler is for. A host then keeps them off its tape too.
    fn redactor(&self) -> Option<std::sync::Arc<dyn crate::Redactor>> {
        None
    }

    /// Tells what an answer can do to an event that the hook's author spelled like this. Default: it may change it.
    fn influence(&self, _spelling: &str) -> HookInfluence {
        HookInfluence::MayChange
    }

    /// Answers an event.
    fn call(&self, call: &HookCall<'_>) -> Verdict;
}

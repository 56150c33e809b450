//! The trait that every handler implements.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::{
    CallLimits, CallReads, CancelToken, DispatchId, EffectCaller, EffectRunner, Event, EventCause, Hook, Layer, Verdict,
};

/// The ID of one hook call within a session's tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CallId(pub u64);

/// One call of one hook.
#[derive(Debug, Clone, Copy)]
pub struct HookCall<'a> {
    /// The dispatch that the call belongs to.
    pub dispatch: DispatchId,
    /// The ID of the call, which its effect requests carry.
    pub id: CallId,
    /// The number of events that led to this one: 0 if the host fired it.
    pub depth: u32,
    /// The hook that is called.
    pub hook: &'a Hook,
    /// The configuration layer of the hook's chain. State that the hook keeps belongs to this layer.
    pub layer: Layer,
    /// The event, with the rewrites that the hook's profile lets it see.
    pub event: &'a Event,
    /// The limits of the call.
    pub limits: &'a CallLimits,
    /// Performs the call's effect requests.
    pub effects: &'a dyn EffectRunner,
    /// Cancelled when the host no longer needs the verdict.
    pub cancel: &'a CancelToken,
}

impl HookCall<'_> {
    /// The caller, for effect requests.
    #[must_use]
    pub fn caller(&self) -> EffectCaller<'_> {
        let caller = EffectCaller::new(self.id, self.hook.id.as_str()).with_layer(self.layer);
        caller.with_dispatch(self.dispatch).with_cancel(self.cancel).with_tools(&self.hook.tools)
    }

    /// The cause of the events that the hook fires during the call.
    #[must_use]
    pub fn cause(&self) -> EventCause {
        EventCause { parent: Some(self.dispatch), call: Some(self.id), depth: self.depth.saturating_add(1) }
    }
}

/// What a hook's output can do to its event, as far as it is known before the call. Ordered from least to most: a
/// handler never has more influence than its dialect grants for the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HookInfluence {
    /// The hook can neither deny nor rewrite the event. A host may show text before such a hook has been called.
    Observes,
    /// The hook may deny or rewrite the event.
    MayChange,
    /// The hook rewrites or withholds the event's data. On an event of class `rewrite` such a hook fails closed by
    /// default, because data that it would remove must not pass.
    Shapes,
}

/// Calls the hooks of several events about one thing, so that what a hook does twice happens once.
pub trait CallMemory: Send + Sync + Debug {
    /// Calls the hook's handler. A panic of the handler passes through.
    fn call(&self, call: &HookCall<'_>) -> Verdict;
}

/// Runs one kind of hook: a script, a command, a builtin, a native closure.
///
/// A handler never panics and never blocks beyond its limits. A failure is a verdict
/// ([`VerdictKind::Failed`](crate::VerdictKind::Failed)). The engine still catches a panic and records it as a crash.
pub trait Handler: Send + Sync + Debug {
    /// The name of the kind: `script`, `command`, `worker`, `http`, `builtin`, `model`, `native` or `none`.
    fn kind(&self) -> &'static str;

    /// The handler that this one wraps. What a wrapper does not say itself, the inner handler says. Default: none.
    fn inner(&self) -> Option<&dyn Handler> {
        None
    }

    /// Whether a call may wait for something outside this process. Such calls run in parallel if the profile allows it;
    /// for the others a thread is not worthwhile.
    fn may_wait(&self) -> bool {
        self.inner().is_some_and(|inner| inner.may_wait())
    }

    /// The redactor, if the handler exists to redact secrets. A host then also applies it to its tape. Default: none.
    fn redactor(&self) -> Option<std::sync::Arc<dyn crate::Redactor>> {
        self.inner().and_then(|inner| inner.redactor())
    }

    /// What a call's output can do to an event with this alias. Default: deny or rewrite it.
    fn influence(&self, event_alias: &str) -> HookInfluence {
        self.inner().map_or(HookInfluence::MayChange, |inner| inner.influence(event_alias))
    }

    /// What a call may read of a tool call's `paths` and `operations`. Hosts work them out only for such hooks.
    /// Default: nothing.
    fn call_reads(&self) -> CallReads {
        self.inner().map_or(CallReads::default(), |inner| inner.call_reads())
    }

    /// Whether the hook hears every tool call as its caller made it, because it reads only what is the same in all
    /// words. Default: no, it hears calls in its own words.
    fn hears_calls_as_made(&self) -> bool {
        self.inner().is_some_and(|inner| inner.hears_calls_as_made())
    }

    /// The tool names that the hook's text compares with that of the call.
    fn written_tool_names(&self) -> &[String] {
        self.inner().map_or(&[], |inner| inner.written_tool_names())
    }

    /// Whether the order of the hook's calls matters, because it keeps state between them or shares it with other hooks.
    /// Hosts call such hooks about one thing after another, and all others at once. Default: true.
    fn needs_order(&self) -> bool {
        self.inner().is_none_or(|inner| inner.needs_order())
    }

    /// Whether nothing remains of a call in the handler, so that the calls of any number of runtimes may use it one after
    /// another or at once, as if each had its own. Default: false.
    fn is_reusable(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_reusable())
    }

    /// Whether a call does more than return a verdict and make effect requests: it runs a program, sends a request, or
    /// reads or writes files. Default: no.
    fn acts_outside(&self) -> bool {
        self.inner().is_some_and(|inner| inner.acts_outside())
    }

    /// Runs the hook on an event.
    fn call(&self, call: &HookCall<'_>) -> Verdict;
}

//! The effect replies that guards got, so that a repeated call gets the same ones.
//!
//! A guard that counts its calls, or reads a cache that it writes, would see its own traces when it is rechecked. So
//! the replies of its first call are kept for the dispatch, and a repeated call that makes the same request gets the
//! same reply: only the changed payload can change its verdict. Requests that the first call did not make go through
//! [`ReadOnlyEffects`], and are performed if the repeated call denies.

use std::sync::{Mutex, OnceLock, PoisonError};

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner};

use super::read_only_effects::ReadOnlyEffects;

type CachedAnswer = Result<EffectReply, EffectError>;

/// The replies that the guards of a dispatch got, by hook ordinal. Most guards make no requests, so the list is created
/// with the first reply.
#[derive(Debug, Default)]
pub(super) struct EffectCache(OnceLock<Box<CachedReply>>);

/// Each reply, with the ordinal of its hook and the request.
type CachedReply = Mutex<Vec<(u32, EffectRequest, CachedAnswer)>>;

/// The effect runner of a guard's first call: it performs every request and stores the reply.
#[derive(Debug)]
pub(super) struct RecordingEffects<'a> {
    pub(super) inner: &'a dyn EffectRunner,
    pub(super) cache: &'a EffectCache,
    pub(super) ordinal: u32,
}

/// The effect runner of a repeated call.
#[derive(Debug)]
pub(super) struct CachedEffects<'a> {
    read_only: ReadOnlyEffects<'a>,
    /// The stored replies that this call has not requested yet.
    unused_replies: Mutex<Vec<(EffectRequest, CachedAnswer)>>,
}

impl EffectCache {
    /// Creates the effect runner of a repeated call of a hook.
    pub(super) fn cached_effects_for<'a>(&self, ordinal: u32, effects: &'a dyn EffectRunner) -> CachedEffects<'a> {
        let heard = self.0.get().map(|heard| heard.lock().unwrap_or_else(PoisonError::into_inner));
        let of_hook = heard.iter().flat_map(|heard| heard.iter()).filter(|(number, _, _)| *number == ordinal);
        let rest = of_hook.map(|(_, request, answer)| (request.clone(), answer.clone())).collect();
        CachedEffects { read_only: ReadOnlyEffects::new(effects), unused_replies: Mutex::new(rest) }
    }

    fn store_reply(&self, ordinal: u32, request: EffectRequest, answer: CachedAnswer) {
        let heard = self.0.get_or_init(Box::default);
        heard.lock().unwrap_or_else(PoisonError::into_inner).push((ordinal, request, answer));
    }
}

impl CachedEffects<'_> {
    /// Performs the changes that the repeated call made and the first one did not, because the verdict is a deny.
    pub(super) fn flush_writes(&self, caller: EffectCaller<'_>) {
        self.read_only.flush_writes(caller);
    }
}

impl EffectRunner for RecordingEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> CachedAnswer {
        let answer = self.inner.perform(caller, request.clone());
        self.cache.store_reply(self.ordinal, request, answer.clone());
        answer
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, amount: i64) -> Result<i64, EffectError> {
        let count = self.inner.metric_incr(caller, name, amount)?;
        self.cache.store_reply(
            self.ordinal,
            EffectRequest::MetricIncr { name: name.to_owned(), amount },
            Ok(EffectReply::Int(count)),
        );
        Ok(count)
    }
}

impl EffectRunner for CachedEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> CachedAnswer {
        let known = {
            let mut rest = self.unused_replies.lock().unwrap_or_else(PoisonError::into_inner);
            let at = rest.iter().position(|(asked, _)| *asked == request);
            at.map(|index| rest.remove(index).1)
        };
        known.unwrap_or_else(|| self.read_only.perform(caller, request))
    }
}

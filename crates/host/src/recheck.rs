//! Calls that a host fires more than once: the effects of a hook apply only once.
//!
//! A host may have to fire several events about one call, and the same event again after a rewrite. Within one dispatch
//! the engine already drops the effects of a repeated hook call. [`RecheckMemory`] does the same across dispatches.

use std::collections::HashMap;
use std::mem;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use pintle_contract::event::RewriteTarget;
use pintle_contract::{
    CallMemory, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, Event, Handler, HookCall, HookId,
    Payload, Rewrite, Verdict, VerdictKind,
};
use pintle_engine::ReadOnlyEffects;
use serde_json::Value;

type RecordedEffectReply = Result<EffectReply, EffectError>;

/// Remembers what each hook did for one call, while a host fires several events about it; see
/// [`EventScope::memory`](crate::EventScope::memory). Each call has its own memory, so calls may be checked at once.
///
/// A hook that is called again
/// - gets the same replies to repeated effect requests, and leaves no further changes in metrics, caches and logs, if
///   it was called under the same tool name before. A deny keeps all of its effects;
/// - does not rewrite a second time unless its rewrite would leave its own result unchanged: a hook that wraps a
///   command wraps it once; a hook that corrects a command corrects it as often as needed.
#[derive(Debug, Default)]
pub struct RecheckMemory(Mutex<HashMap<HookKey, HookMemory>>);

/// A hook: its address, which distinguishes hooks of the same name, and its name.
type HookKey = (usize, HookId);

/// What a hook did for the call.
#[derive(Debug, Default, Clone)]
struct HookMemory {
    /// The replies that the hook got, by the tool name it was called under.
    replies: HashMap<String, Vec<(EffectRequest, RecordedEffectReply)>>,
    has_rewritten: bool,
}

impl CallMemory for RecheckMemory {
    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let HookCall { hook, event, .. } = call;
        let handler = &*hook.handler;
        if hook.event.def().target == RewriteTarget::Nothing && !hook.guard {
            return handler.call(call);
        }
        let key = (ptr::from_ref::<pintle_contract::Hook>(hook).addr(), hook.id.clone());
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&key).cloned().unwrap_or_default();
        let name = event.payload.field("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (mut verdict, replies) = match known.replies.get(&name) {
            None => {
                let seam = ReplyRecorder { effects: call.effects, replies: Mutex::default() };
                let verdict = handler.call(&HookCall { effects: &seam, ..*call });
                (verdict, Some(seam.replies.into_inner().unwrap_or_else(PoisonError::into_inner)))
            }
            Some(replies) => (repeat_call(handler, call, replies), None),
        };
        if let Some(rewrite) = verdict.target_rewrite() {
            let again = known.has_rewritten && !is_rewrite_stable(call, rewrite, replies.as_ref());
            if again {
                drop_rewrite(&mut verdict);
            }
        }
        let rewrites = verdict.target_rewrite().is_some();
        let mut hooks = lock();
        let memory = hooks.entry(key).or_default();
        memory.has_rewritten |= rewrites;
        if let Some(replies) = replies {
            memory.replies.insert(name, replies);
        }
        verdict
    }
}

/// Whether the hook's rewrite would leave its own result unchanged.
fn is_rewrite_stable(
    call: &HookCall<'_>,
    rewrite: &Rewrite,
    replies: Option<&Vec<(EffectRequest, RecordedEffectReply)>>,
) -> bool {
    let Some(own) = apply_rewrite(call.event, rewrite) else { return false };
    let event = call.event.with_payload(Payload::new(own));
    let seam = RepeatedEffects::new(call.effects, replies.map_or(&[], Vec::as_slice));
    let verdict = call.hook.handler.call(&HookCall { event: &event, effects: &seam, ..*call });
    match verdict.target_rewrite() {
        None => true,
        Some(next) => apply_rewrite(&event, next).is_some_and(|next| next == *event.payload.value()),
    }
}

/// Calls a hook again that was called under the same name before.
fn repeat_call(inner: &dyn Handler, call: &HookCall<'_>, replies: &[(EffectRequest, RecordedEffectReply)]) -> Verdict {
    let seam = RepeatedEffects::new(call.effects, replies);
    let mut verdict = inner.call(&HookCall { effects: &seam, ..*call });
    if matches!(verdict.kind, VerdictKind::Deny { .. }) {
        for request in mem::take(&mut *seam.suppressed_requests.lock().unwrap_or_else(PoisonError::into_inner)) {
            // The verdict applies whether or not the request succeeds.
            let _ = call.effects.perform(call.caller(), request);
        }
    } else {
        verdict.effects.clear();
    }
    verdict
}

/// Applies a rewrite to the payload; `None` if it is invalid, which the engine reports.
fn apply_rewrite(event: &Event, rewrite: &Rewrite) -> Option<Value> {
    let before = event.payload.value();
    let mut after = match (rewrite, before) {
        (Rewrite::Fields(fields), Value::Object(have)) => {
            let mut have = have.clone();
            have.extend(fields.clone());
            Value::Object(have)
        }
        (Rewrite::Fields(fields), _) => Value::Object(fields.clone()),
        (Rewrite::Whole(value), _) => value.clone(),
    };
    event.name.def().normalize(before, &mut after).ok()?;
    Some(after)
}

/// Removes the rewrite from a verdict. An allow of a payload that is not used has no effect.
fn drop_rewrite(verdict: &mut Verdict) {
    verdict.rewrite = None;
    if matches!(verdict.kind, VerdictKind::Rewrite(_) | VerdictKind::Allow { .. }) {
        verdict.kind = VerdictKind::Pass;
    }
}

/// The effect runner of a first call: it performs every request and stores the reply.
#[derive(Debug)]
struct ReplyRecorder<'a> {
    effects: &'a dyn EffectRunner,
    replies: Mutex<Vec<(EffectRequest, RecordedEffectReply)>>,
}

impl EffectRunner for ReplyRecorder<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> RecordedEffectReply {
        let answer = self.effects.perform(caller, request.clone());
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).push((request, answer.clone()));
        answer
    }
}

/// The effect runner of a repeated call: it returns stored replies and holds back requests that would change state.
#[derive(Debug)]
struct RepeatedEffects<'a> {
    muted: ReadOnlyEffects<'a>,
    /// The stored replies that this call has not requested yet.
    unused_replies: Mutex<Vec<(EffectRequest, RecordedEffectReply)>>,
    /// The requests that would change state.
    suppressed_requests: Mutex<Vec<EffectRequest>>,
}

impl<'a> RepeatedEffects<'a> {
    fn new(effects: &'a dyn EffectRunner, replies: &[(EffectRequest, RecordedEffectReply)]) -> Self {
        Self {
            muted: ReadOnlyEffects::new(effects),
            unused_replies: Mutex::new(replies.to_vec()),
            suppressed_requests: Mutex::default(),
        }
    }
}

impl EffectRunner for RepeatedEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> RecordedEffectReply {
        let known = {
            let mut rest = self.unused_replies.lock().unwrap_or_else(PoisonError::into_inner);
            let index = rest.iter().position(|(asked, _)| *asked == request);
            index.map(|index| rest.remove(index).1)
        };
        if let Some(known) = known {
            return known;
        }
        if has_side_effect(&request) {
            self.suppressed_requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        }
        self.muted.perform(caller, request)
    }
}

fn has_side_effect(request: &EffectRequest) -> bool {
    matches!(request, EffectRequest::Log { .. }) || request.changes_state() == Some(true)
}

//! Hooks that are scripts.

use std::sync::Arc;

use pintle_contract::{
    Codec, Event, Failure, FailureKind, Handler, HandlerOutput, HookCall, HookInfluence, Payload, ScriptOutput, Verdict,
};
use pintle_script::{Invocation, Script};

use super::remote::{RemoteScript, WorkerEffects};

/// Where a program runs.
#[derive(Debug)]
pub(super) enum ScriptLocation {
    /// In this process, as its cost is bounded by its input; with an input that is too large for that, in a worker process.
    InProcess(Arc<Script>, RemoteScript),
    /// In a worker process.
    Worker(RemoteScript),
}

/// A hook that is a script.
#[derive(Debug)]
pub(super) struct ScriptHandler {
    pub(super) location: ScriptLocation,
    pub(super) codec: Arc<dyn Codec>,
    /// What its code shows.
    pub(super) influence: HookInfluence,
}

impl Handler for ScriptHandler {
    fn kind(&self) -> &'static str {
        "script"
    }

    fn may_wait(&self) -> bool {
        match &self.location {
            ScriptLocation::InProcess(script, _) => script.may_wait(),
            ScriptLocation::Worker(_) => true,
        }
    }

    fn influence(&self, spelling: &str) -> HookInfluence {
        self.codec.influence(spelling).min(self.influence)
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        match self.run_script(call) {
            Ok(answer) => self.codec.decode(call.event, &call.hook.event_alias, HandlerOutput::Script(answer)),
            Err(failure) => Verdict::failed(failure),
        }
    }
}

impl ScriptHandler {
    fn run_script(&self, call: &HookCall<'_>) -> Result<ScriptOutput, Failure> {
        if call.cancel.is_cancelled() {
            return Err(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        with_handler_payload(&*self.codec, call.event, &call.hook.event_alias, |payload| match &self.location {
            ScriptLocation::InProcess(script, _) if script.fits(payload, call.limits) => {
                let invocation = Invocation {
                    effects: call.effects,
                    caller: call.caller(),
                    limits: call.limits,
                    cancel: call.cancel,
                };
                script.handle(&call.hook.event_alias, payload, &invocation)
            }
            ScriptLocation::InProcess(_, remote) | ScriptLocation::Worker(remote) => {
                let door = WorkerEffects { effects: call.effects, caller: call.caller(), cancel: call.cancel };
                remote.call_handle(&call.hook.event_alias, payload.value(), call.limits, &door)
            }
        })
    }
}

/// What a script's code shows of its influence, by whether it can rewrite or refuse.
pub(super) fn code_influence(shapes: bool) -> HookInfluence {
    if shapes { HookInfluence::Shapes } else { HookInfluence::MayChange }
}

/// A payload as one dialect encodes it; `None` when the canonical one is already that.
struct EncodedPayload(Option<Payload>);

/// Gives the payload as the codec's handlers expect it. Encoded once a dispatch, for all hooks of the dialect: a script
/// is told the spelling beside the payload, so that the payload is the same under every spelling.
pub(super) fn with_handler_payload<T>(
    codec: &dyn Codec,
    event: &Event,
    spelling: &str,
    work: impl FnOnce(&Payload) -> T,
) -> T {
    let encoded = event
        .payload
        .cached_view(codec.encoding_key(), |_| EncodedPayload(codec.encode(event, spelling).map(Payload::new)));
    work(encoded.0.as_ref().unwrap_or(&event.payload))
}

/// A payload as one dialect encodes it for events of one spelling.
struct EncodedSpellings {
    event_alias: Box<str>,
    payload: Option<Payload>,
}

/// Gives the payload as the codec's functions expect it. Encoded once a dispatch for all of one spelling: the name of the
/// event is part of it. A second spelling in one dispatch encodes for itself.
pub(super) fn with_function_payload<T>(
    codec: &dyn Codec,
    event: &Event,
    spelling: &str,
    work: impl FnOnce(&Payload) -> T,
) -> T {
    let encode = || codec.encode(event, spelling).map(Payload::new);
    let known = event.payload.cached_view(codec.encoding_key(), |_| EncodedSpellings {
        event_alias: Box::from(spelling),
        payload: encode(),
    });
    if *known.event_alias == *spelling {
        return work(known.payload.as_ref().unwrap_or(&event.payload));
    }
    let own = encode();
    work(own.as_ref().unwrap_or(&event.payload))
}

/// A hook without a script: a placeholder that passes.
#[derive(Debug)]
pub(crate) struct NoopHandler;

impl Handler for NoopHandler {
    fn kind(&self) -> &'static str {
        "none"
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

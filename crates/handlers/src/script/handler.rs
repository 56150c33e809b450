//! Hooks that are scripts.

use std::sync::Arc;

use pintle_contract::{
    Codec, Event, Failure, FailureKind, Handler, HandlerOutput, HookCall, HookInfluence, Payload, ScriptOutput, Verdict,
};
use pintle_script::{Invocation, Script};

use super::remote::{RemoteScript, WorkerEffects};

/// The place where a script runs.
#[derive(Debug)]
pub(super) enum ScriptLocation {
    /// In this process, since its cost is limited by its input; with a larger input in a script worker.
    InProcess(Arc<Script>, RemoteScript),
    /// In a script worker.
    Worker(RemoteScript),
}

#[derive(Debug)]
pub(super) struct ScriptHandler {
    pub(super) location: ScriptLocation,
    pub(super) codec: Arc<dyn Codec>,
    /// The influence that its code shows.
    pub(super) influence: HookInfluence,
    /// Whether it uses what other calls can change.
    pub(super) needs_order: bool,
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

    fn needs_order(&self) -> bool {
        self.needs_order
    }

    /// A script keeps what it remembers in the state of its runtime.
    fn is_reusable(&self) -> bool {
        true
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        self.codec.influence(event_alias).min(self.influence)
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

/// The influence of a script, by whether its code can rewrite or withhold data.
pub(super) fn code_influence(shapes: bool) -> HookInfluence {
    if shapes { HookInfluence::Shapes } else { HookInfluence::MayChange }
}

/// A payload as one dialect encodes it; `None` if it equals the canonical one.
struct EncodedPayload(Option<Payload>);

/// Passes the payload as the codec encodes it for handlers. It is encoded once per dispatch, for all hooks of the
/// dialect: scripts get the event alias separately, so that the payload is the same for every alias.
pub(super) fn with_handler_payload<T>(
    codec: &dyn Codec,
    event: &Event,
    event_alias: &str,
    work: impl FnOnce(&Payload) -> T,
) -> T {
    let encoded = event
        .payload
        .cached_view(codec.encoding_key(), |_| EncodedPayload(codec.encode(event, event_alias).map(Payload::new)));
    work(encoded.0.as_ref().unwrap_or(&event.payload))
}

/// A payload as one dialect encodes it for one event alias.
struct EncodedSpellings {
    event_alias: Box<str>,
    payload: Option<Payload>,
}

/// Passes the payload as the codec encodes it for functions. It is encoded once per dispatch for one alias, because the
/// event name is part of it. A second alias in one dispatch is encoded separately.
pub(super) fn with_function_payload<T>(
    codec: &dyn Codec,
    event: &Event,
    event_alias: &str,
    work: impl FnOnce(&Payload) -> T,
) -> T {
    let encode = || codec.encode(event, event_alias).map(Payload::new);
    let known = event.payload.cached_view(codec.encoding_key(), |_| EncodedSpellings {
        event_alias: Box::from(event_alias),
        payload: encode(),
    });
    if *known.event_alias == *event_alias {
        return work(known.payload.as_ref().unwrap_or(&event.payload));
    }
    let own = encode();
    work(own.as_ref().unwrap_or(&event.payload))
}

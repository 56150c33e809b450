//! Handlers that follow a script.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Handler, HookCall, Verdict};
use serde_json::Value;

type HandlerScript = dyn Fn(&HookCall<'_>) -> Verdict + Send + Sync;

/// A handler that follows a script and remembers its calls.
pub struct ScriptedHandler {
    script: Box<HandlerScript>,
    can_wait: bool,
    calls: Mutex<Vec<SeenCall>>,
}

/// One call of a [`ScriptedHandler`].
#[derive(Debug, Clone, PartialEq)]
pub struct SeenCall {
    /// The event's full name.
    pub event: String,
    /// The payload that the hook saw.
    pub payload: Value,
}

/// The error of [`ScriptedHandler::check_calls`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("expected calls with exactly {expected:?}, but got {actual:?}")]
pub struct CallMismatchError {
    /// The expected payloads.
    pub expected: Vec<Value>,
    /// The payloads that the hook saw.
    pub actual: Vec<Value>,
}

impl ScriptedHandler {
    /// Creates a handler that always returns the same verdict.
    #[must_use]
    pub fn from_verdict(verdict: Verdict) -> Arc<Self> {
        Self::from_fn(move |_| verdict.clone())
    }

    /// Creates a handler that returns one verdict after the other, and then passes.
    #[must_use]
    pub fn from_verdicts(verdicts: impl IntoIterator<Item = Verdict>) -> Arc<Self> {
        let queue = Mutex::new(verdicts.into_iter().collect::<VecDeque<_>>());
        Self::from_fn(move |_| {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.unwrap_or_else(Verdict::pass)
        })
    }

    /// Creates a handler that calls a closure.
    pub fn from_fn(script: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { script: Box::new(script), can_wait: false, calls: Mutex::default() })
    }

    /// Like [`ScriptedHandler::from_fn`], for a handler that may wait and is therefore called on its own thread.
    pub fn from_waiting_fn(script: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { script: Box::new(script), can_wait: true, calls: Mutex::default() })
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<SeenCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks that the hook was called with exactly these payloads, in this order.
    ///
    /// # Errors
    /// When it was not; the error has the expected and the actual calls.
    pub fn check_calls(&self, payloads: &[Value]) -> Result<(), CallMismatchError> {
        let seen: Vec<Value> = self.calls().into_iter().map(|call| call.payload).collect();
        if seen == payloads {
            return Ok(());
        }
        Err(CallMismatchError { expected: payloads.to_vec(), actual: seen })
    }
}

impl Handler for ScriptedHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn may_wait(&self) -> bool {
        self.can_wait
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let seen = SeenCall { event: call.event.name.to_string(), payload: call.event.payload.value().clone() };
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        (self.script)(call)
    }
}

impl fmt::Debug for ScriptedHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedHandler").field("waits", &self.can_wait).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::Layer;
    use pintle_contract::{CallId, CancelToken, DispatchId, Event, EventName, NoEffects, Origin};
    use serde_json::json;

    use super::*;
    use crate::hook;

    #[test]
    fn it_follows_its_script_and_tells_what_it_saw() {
        let handler = ScriptedHandler::from_verdicts([Verdict::deny("no"), Verdict::allow("yes")]);
        let name = EventName::parse("custom.x").unwrap();
        let hook = hook("h", name.clone(), handler.clone());
        let verdicts: Vec<Verdict> = [1, 2, 3]
            .iter()
            .map(|number| {
                let event = Event::new(name.clone(), json!(number), Arc::new(Origin::default()));
                let (id, limits, cancel) = (CallId(0), &hook.limits, &CancelToken::default());
                handler.call(&HookCall {
                    dispatch: DispatchId(1),
                    id,
                    depth: 0,
                    hook: &hook,
                    layer: Layer::Project,
                    event: &event,
                    limits,
                    effects: &NoEffects,
                    cancel,
                })
            })
            .collect();
        assert_eq!(verdicts, [Verdict::deny("no"), Verdict::allow("yes"), Verdict::pass()]);
        assert_eq!(handler.check_calls(&[json!(1), json!(2), json!(3)]), Ok(()));
        let error = handler.check_calls(&[json!(1)]).unwrap_err().to_string();
        assert!(error.starts_with("expected calls with exactly [Number(1)], but got [Number(1), "), "{error}");
    }
}

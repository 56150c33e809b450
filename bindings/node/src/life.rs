//! The steps of an agent's turn. Each has two methods: one that waits, and one that returns a call which `lib/` makes a promise.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use napi::Status;
use napi::bindgen_prelude::{Env, Error, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

use crate::calls::{JsToolCall, JsToolOutput};
use crate::questions::{JsQuestion, call_from};
use crate::results::{JsStepResult, invalid, parse_json};

type StepFuture = Pin<Box<dyn Future<Output = JsStepResult> + Send>>;

/// A call that has not ended.
#[napi(js_name = "PendingCall")]
pub struct JsPendingCall(Mutex<Option<StepFuture>>);

impl JsPendingCall {
    fn new<T: Into<JsStepResult>>(call: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Mutex::new(Some(Box::pin(async move { call.await.into() }))))
    }

    fn poll_with(&self, env: Env, waker: &Waker) -> Result<Option<JsStepResult>> {
        let mut future = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(call) = future.as_mut() else { return Err(Error::from_reason("the call was cancelled")) };
        let mut context = Context::from_waker(waker);
        match call_from(env, || call.as_mut().poll(&mut context)) {
            Poll::Ready(result) => {
                *future = None;
                Ok(Some(result))
            }
            Poll::Pending => Ok(None),
        }
    }
}

#[napi]
impl JsPendingCall {
    /// Makes the call, and returns its result if it did not have to wait.
    #[napi]
    pub fn start(&self, env: Env) -> Result<Option<JsStepResult>> {
        self.poll_with(env, Waker::noop())
    }

    /// Returns the result, or calls the function when there may be one. The program does not end before.
    #[napi]
    pub fn poll(&self, env: Env, wake: Function<'_, (), ()>) -> Result<Option<JsStepResult>> {
        let wake = wake.build_threadsafe_function().build()?;
        self.poll_with(env, &Waker::from(Arc::new(JsWaker(wake))))
    }

    /// Cancels the call, unless it has ended: hooks that wait are told, and what they decide has no effect.
    #[napi]
    pub fn cancel(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

struct JsWaker(ThreadsafeFunction<(), (), (), Status, false>);

impl Wake for JsWaker {
    fn wake(self: Arc<Self>) {
        // An environment that ends waits for nothing.
        self.0.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// One turn of an agent under hooks.
#[napi(js_name = "Life")]
pub struct JsLife {
    /// `None` for calls outside of a turn, each of which has a life of its own.
    life: Option<pintle::AgentLife>,
    runtime: pintle::Runtime,
    origin: pintle::Origin,
    /// Whether a function may return a promise, for which a call that blocks the thread cannot wait.
    may_wait: Arc<AtomicBool>,
}

impl JsLife {
    pub(crate) fn new(runtime: pintle::Runtime, origin: Option<pintle::Origin>, may_wait: Arc<AtomicBool>) -> Self {
        let life = origin.as_ref().map(|origin| runtime.life(origin));
        Self { life, runtime, origin: origin.unwrap_or_default(), may_wait }
    }

    /// The life as a hook uses it: what the hook does is caused by the hook.
    fn here(&self, cause: Option<&JsQuestion>) -> pintle::AgentLife {
        match (cause.and_then(JsQuestion::scope), &self.life) {
            (Some(scope), _) => self.runtime.life_in(scope, &self.origin),
            (None, Some(life)) => life.clone(),
            (None, None) => self.runtime.life(&self.origin),
        }
    }

    fn step<T: Into<JsStepResult>>(
        &self,
        env: Env,
        cause: Option<&JsQuestion>,
        step: impl FnOnce(&pintle::AgentLife) -> T,
    ) -> Result<JsStepResult> {
        if self.may_wait.load(Ordering::Relaxed) {
            return Err(Error::from_reason(
                "the runtime has functions that may return promises, for which this call cannot wait: use the method without \
                 `Sync`",
            ));
        }
        let life = self.here(cause);
        Ok(call_from(env, || step(&life)).into())
    }
}

fn new_event(name: &str, payload: &str) -> Result<pintle::Event> {
    pintle::Event::named(name, parse_json(payload)?).map_err(|error| invalid(error.to_string()))
}

/// A step of one text.
macro_rules! text_steps {
    ($($name:ident / $name_async:ident),*) => {
        #[napi]
        impl JsLife {
            $(
                #[napi]
                pub fn $name(&self, env: Env, text: String, cause: Option<&JsQuestion>) -> Result<JsStepResult> {
                    self.step(env, cause, |life| life.$name(&text))
                }

                #[napi]
                pub fn $name_async(&self, text: String, cause: Option<&JsQuestion>) -> JsPendingCall {
                    JsPendingCall::new(self.here(cause).$name_async(&text))
                }
            )*
        }
    };
}

text_steps!(
    submit_prompt / submit_prompt_async,
    begin_turn / begin_turn_async,
    review_answer / review_answer_async,
    end_turn / end_turn_async
);

#[napi]
impl JsLife {
    #[napi]
    pub fn fire(&self, env: Env, event: String, payload: String, cause: Option<&JsQuestion>) -> Result<JsStepResult> {
        let event = new_event(&event, &payload)?;
        self.step(env, cause, |life| life.fire(event))
    }

    #[napi]
    pub fn fire_async(&self, event: String, payload: String, cause: Option<&JsQuestion>) -> Result<JsPendingCall> {
        Ok(JsPendingCall::new(self.here(cause).fire_async(new_event(&event, &payload)?)))
    }

    #[napi]
    pub fn review(&self, env: Env, event: String, payload: String, cause: Option<&JsQuestion>) -> Result<JsStepResult> {
        let event = new_event(&event, &payload)?;
        self.step(env, cause, |life| life.review(event))
    }

    #[napi]
    pub fn review_async(&self, event: String, payload: String, cause: Option<&JsQuestion>) -> Result<JsPendingCall> {
        Ok(JsPendingCall::new(self.here(cause).review_async(new_event(&event, &payload)?)))
    }

    #[napi]
    pub fn decide_tool_call(&self, env: Env, call: &JsToolCall, cause: Option<&JsQuestion>) -> Result<JsStepResult> {
        let call = call.0.clone();
        self.step(env, cause, |life| life.decide_tool_call(call))
    }

    #[napi]
    pub fn decide_tool_call_async(&self, call: &JsToolCall, cause: Option<&JsQuestion>) -> JsPendingCall {
        JsPendingCall::new(self.here(cause).decide_tool_call_async(call.0.clone()))
    }

    #[napi]
    pub fn conclude_tool_call(
        &self,
        env: Env,
        call: &JsToolCall,
        output: &JsToolOutput,
        cause: Option<&JsQuestion>,
    ) -> Result<JsStepResult> {
        let output = output.0.clone();
        self.step(env, cause, |life| life.conclude_tool_call(&call.0, output))
    }

    #[napi]
    pub fn conclude_tool_call_async(
        &self,
        call: &JsToolCall,
        output: &JsToolOutput,
        cause: Option<&JsQuestion>,
    ) -> JsPendingCall {
        JsPendingCall::new(self.here(cause).conclude_tool_call_async(&call.0, output.0.clone()))
    }

    #[napi]
    pub fn take_context(&self) -> Vec<String> {
        self.life.as_ref().map(pintle::AgentLife::take_context).unwrap_or_default()
    }

    #[napi]
    pub fn cancel(&self) {
        if let Some(life) = &self.life {
            life.cancel();
        }
    }
}

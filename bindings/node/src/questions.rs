//! JavaScript functions that Pintle asks: hooks, the approver and the judge.
//!
//! A function is called on the thread of JavaScript only. A call of the runtime that this thread makes calls it at once. From any
//! other thread it is queued, and that thread waits until the function, or the promise that it returned, has an answer.

use std::cell::Cell;
use std::ptr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{Env, Error, Function, FunctionRef, JsValue, Result, ToNapiValue};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Status, sys};
use napi_derive::napi;

thread_local! {
    /// The environment of JavaScript, while it calls this module on this thread.
    static CALLER: Cell<Option<Env>> = const { Cell::new(None) };
}

/// Makes a call of the runtime on the thread of JavaScript, which can call functions meanwhile.
pub(crate) fn call_from<T>(env: Env, call: impl FnOnce() -> T) -> T {
    struct CallerPlace(Option<Env>);
    impl Drop for CallerPlace {
        fn drop(&mut self) {
            CALLER.set(self.0);
        }
    }
    let _place = CallerPlace(CALLER.replace(Some(env)));
    call()
}

/// What a function answered, which may be nothing, or why it has no answer.
pub(crate) type FunctionAnswer = std::result::Result<Option<String>, String>;

/// What a function is asked.
pub(crate) struct QuestionState {
    text: String,
    scope: Option<pintle::CallScope>,
    /// The moment at which its time is over.
    deadline: Option<Instant>,
    log: Mutex<Vec<String>>,
    answer: Mutex<Option<Sender<FunctionAnswer>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl QuestionState {
    /// A question, and where its answer arrives.
    fn new(
        text: String,
        scope: Option<pintle::CallScope>,
        time_left: Option<Duration>,
    ) -> (Arc<Self>, Receiver<FunctionAnswer>) {
        let (sender, receiver) = channel();
        let deadline = time_left.and_then(|left| Instant::now().checked_add(left));
        let state = Self { text, scope, deadline, log: Mutex::default(), answer: Mutex::new(Some(sender)) };
        (Arc::new(state), receiver)
    }

    fn answer(&self, answer: FunctionAnswer) {
        // Only the first one counts, and only while someone waits for it.
        if let Some(sender) = lock(&self.answer).take() {
            let _ = sender.send(answer);
        }
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn is_cancelled(&self) -> bool {
        self.scope.as_ref().is_some_and(pintle::CallScope::is_cancelled)
    }

    /// What the function has logged.
    pub(crate) fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.log))
    }
}

/// What a function is asked, as JavaScript sees it.
#[napi(js_name = "Question")]
pub struct JsQuestion(Arc<QuestionState>);

impl JsQuestion {
    /// The call of the hook that is asked.
    pub(crate) fn scope(&self) -> Option<&pintle::CallScope> {
        self.0.scope.as_ref()
    }
}

#[napi]
impl JsQuestion {
    /// JSON.
    #[napi(getter)]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    #[napi(getter)]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    #[napi(getter)]
    pub fn time_left_ms(&self) -> Option<f64> {
        self.0.time_left().map(|left| left.as_secs_f64() * 1_000.0)
    }

    #[napi]
    pub fn log(&self, line: String) {
        lock(&self.0.log).push(line);
    }

    #[napi]
    pub fn finish(&self, answer: Option<String>) {
        self.0.answer(Ok(answer));
    }

    #[napi]
    pub fn fail(&self, reason: String) {
        self.0.answer(Err(reason));
    }
}

type QueuedFunction = ThreadsafeFunction<JsQuestion, (), JsQuestion, Status, false, true>;

/// A function that `lib/` has wrapped: it answers the question, now or later, and throws nothing.
pub(crate) struct JsFunction {
    home: ThreadId,
    direct: FunctionRef<JsQuestion, ()>,
    /// It keeps no program from ending.
    queued: QueuedFunction,
}

/// How often a thread that waits for an answer looks whether it is still needed.
const PATIENCE: Duration = Duration::from_millis(20);

impl JsFunction {
    pub(crate) fn new(function: &Function<'_, JsQuestion, ()>) -> Result<Self> {
        let queued = function.build_threadsafe_function().weak::<true>().build()?;
        Ok(Self { home: thread::current().id(), direct: function.create_ref()?, queued })
    }

    /// Asks the function about the call of a hook.
    ///
    /// # Errors
    /// With the reason for which it has no answer.
    pub(crate) fn ask_hook(&self, text: String, call: &pintle::HookCall<'_, ()>) -> FunctionAnswer {
        let (question, answers) = QuestionState::new(text, Some(call.scope()), call.time_left());
        let is_over = || question.is_cancelled() || question.time_left().is_some_and(|left| left.is_zero());
        let answer = self.ask(&question, &answers, is_over);
        for line in question.take_log() {
            call.log(line);
        }
        answer
    }

    /// Asks the function something else.
    ///
    /// # Errors
    /// With the reason for which it has no answer.
    pub(crate) fn ask_other(&self, text: String, is_over: impl Fn() -> bool) -> FunctionAnswer {
        let (question, answers) = QuestionState::new(text, None, None);
        self.ask(&question, &answers, is_over)
    }

    /// Calls the function on its own thread.
    ///
    /// `Function::call` would make an error of what the call throws, for which it calls JavaScript again. If the stack is full, that
    /// throws, too, and it never ends.
    #[expect(unsafe_code, reason = "the safe call ends the program if the stack of JavaScript is full")]
    fn call(&self, env: Env, question: JsQuestion) -> Result<()> {
        let (function, env) = (self.direct.borrow_back(&env)?, env.raw());
        // SAFETY: this is the thread of the environment, which has called this module and waits for it. The values are its own, and
        // live until it goes on.
        let is_called = unsafe {
            let arguments = [JsQuestion::to_napi_value(env, question)?];
            let (mut this, mut ignored) = (ptr::null_mut(), ptr::null_mut());
            sys::napi_get_undefined(env, &raw mut this) == sys::Status::napi_ok
                && match sys::napi_call_function(env, this, function.raw(), 1, arguments.as_ptr(), &raw mut ignored) {
                    sys::Status::napi_ok => true,
                    _ => {
                        sys::napi_get_and_clear_last_exception(env, &raw mut ignored);
                        false
                    }
                }
        };
        let failed = || Error::from_reason("JavaScript could not call the function: its stack may be full");
        if is_called { Ok(()) } else { Err(failed()) }
    }

    fn ask(
        &self,
        question: &Arc<QuestionState>,
        answers: &Receiver<FunctionAnswer>,
        is_over: impl Fn() -> bool,
    ) -> FunctionAnswer {
        let asked = JsQuestion(Arc::clone(question));
        let no_answer = || Err(String::from("JavaScript is ending, and the function has not answered"));
        if thread::current().id() == self.home {
            let Some(env) = CALLER.get() else { return no_answer() };
            self.call(env, asked).map_err(|error| error.reason.clone())?;
            return answers.try_recv().unwrap_or_else(|reason| match reason {
                TryRecvError::Empty => Err(String::from(
                    "it returned a promise, and nothing can wait for it here: declare the function as `async`, and use the \
                     methods that return promises",
                )),
                TryRecvError::Disconnected => no_answer(),
            });
        }
        if self.queued.call(asked, ThreadsafeFunctionCallMode::NonBlocking) != Status::Ok {
            return no_answer();
        }
        loop {
            match answers.recv_timeout(PATIENCE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return no_answer(),
                Err(RecvTimeoutError::Timeout) if is_over() => {
                    return Err(String::from("it has not answered in its time"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

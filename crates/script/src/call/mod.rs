//! Calls a loaded script: a fresh scope, limits, and failures that point at a line.
//!
//! Freezing inlines functions of one line. An error inside such a function is shown at the statement that calls it.

mod answer;

pub(crate) use answer::decode_return;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use pintle_contract::{
    CallLimits, CancelToken, EffectCaller, EffectRequest, EffectRunner, Failure, FailureKind, LimitKind, LogLevel,
    Payload, ScriptOutput,
};
use serde_json::Value as Json;
use starlark::environment::Module;
use starlark::eval::Evaluator;
use starlark::values::{OwnedFrozenValue, Value};
use starlark::{ErrorKind, PrintHandler};

use crate::call_state::{SHOWN, effect_error, truncate};
use crate::finding::{FindingCode, ScriptFinding};
use crate::globals::increment_error;
use crate::load::{self, Script};
use crate::native::{KeptEffect, NativeDecision};
use crate::payload::{can_be_read, payload_value, to_script};
use crate::source::PreparedSource;
use crate::starlark_values::CallState;

/// The context of one call.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Runs the effect requests of the script.
    pub effects: &'a dyn EffectRunner,
    /// The caller, for effect requests.
    pub caller: EffectCaller<'a>,
    /// The limits of the call.
    pub limits: &'a CallLimits,
    /// The cancellation token of the call.
    pub cancel: &'a CancelToken,
}

impl Script {
    /// Calls `handle(event, payload)`.
    ///
    /// # Errors
    /// If the script raises an error or exceeds a limit. The failure has the location in the script's file.
    pub fn handle(&self, event: &str, payload: &Payload, invocation: &Invocation<'_>) -> Result<ScriptOutput, Failure> {
        let natively = catch_unwind(AssertUnwindSafe(|| self.handle_natively(event, payload, invocation)));
        match natively.unwrap_or_else(|_| Some(Err(crash_failure()))) {
            Some(answer) => answer,
            None => self.handle_in_interpreter(event, payload, invocation),
        }
    }

    /// Calls `handle(event, payload)` in the interpreter, even if the script is native.
    ///
    /// # Errors
    /// As [`Script::handle`].
    pub fn handle_in_interpreter(
        &self,
        event: &str,
        payload: &Payload,
        invocation: &Invocation<'_>,
    ) -> Result<ScriptOutput, Failure> {
        self.call_frame(invocation)?.run_call(
            |eval, entry| {
                let heap = eval.heap();
                let payload = payload_value(payload, &self.reads, heap).map_err(ScriptCallError::Payload)?;
                eval.eval_function(entry, &[heap.alloc(event), payload], &[]).map_err(ScriptCallError::Script)
            },
            |value| answer::decode_decision(value, invocation.limits),
        )
    }

    /// Calls `run(args)` or `run(result)`.
    ///
    /// # Errors
    /// As [`Script::handle`].
    pub fn run(&self, argument: &Json, invocation: &Invocation<'_>) -> Result<Json, Failure> {
        self.call_frame(invocation)?.run_call(
            |eval, entry| {
                let argument = to_script(argument, eval.heap()).map_err(ScriptCallError::Payload)?;
                eval.eval_function(entry, &[argument], &[]).map_err(ScriptCallError::Script)
            },
            |value| answer::decode_result(value, invocation.limits),
        )
    }

    fn call_frame<'a>(&'a self, invocation: &'a Invocation<'a>) -> Result<CallFrame<'a>, Failure> {
        Ok(CallFrame { source: &self.source, entry: self.load_entry()?, invocation, offset: 0 })
    }

    /// Decides without the interpreter, which gives the same answer; `None` if only the interpreter can.
    fn handle_natively(
        &self,
        event: &str,
        payload: &Payload,
        invocation: &Invocation<'_>,
    ) -> Option<Result<ScriptOutput, Failure>> {
        let limits = invocation.limits;
        let native = self.native.as_ref()?;
        let is_unlimited = limits.timeout_ms > 0
            && limits.call_depth >= NATIVE_CALL_DEPTH
            && !invocation.cancel.is_cancelled()
            && self.demand.fits_easily(payload, limits);
        if !is_unlimited || !can_be_read(payload, &self.reads) {
            return None;
        }
        let deadline = Instant::now() + Duration::from_millis(limits.timeout_ms);
        let NativeDecision { output, effects } = native.decide(event, payload.value(), limits)?;
        answer::check_decision_size(&output, limits).ok()?;
        let interruption = || invocation.interruption(Instant::now() >= deadline);
        for (effect, span) in effects {
            if let Err(error) = perform_effect(effect, invocation) {
                let cause = interruption().unwrap_or_else(|| (FailureKind::Error, error_message(&error)));
                return Some(Err(failure_at(&self.source, cause, Some(span))));
            }
        }
        Some(match interruption() {
            Some(cause) => Err(failure_at(&self.source, cause, None)),
            None => Ok(output),
        })
    }
}

/// The least depth of calls for which a native script is never too deep.
const NATIVE_CALL_DEPTH: u32 = 16;

/// Performs an effect of a native script as its built-in does.
fn perform_effect(effect: KeptEffect, invocation: &Invocation<'_>) -> Result<(), starlark::Error> {
    let Invocation { effects, caller, .. } = *invocation;
    match effect {
        KeptEffect::Increment(name, amount) => {
            effects.metric_incr(caller, &name, amount).map(|_| ()).map_err(|error| increment_error(&error))
        }
        KeptEffect::Log(level, text) => {
            let message = truncate(&text, SHOWN).to_owned();
            effects
                .perform(caller, EffectRequest::Log { level, message })
                .map(|_| ())
                .map_err(|error| effect_error("log", &error))
        }
    }
}

impl Invocation<'_> {
    /// Why a call ended before its own end.
    fn interruption(&self, is_late: bool) -> Option<(FailureKind, String)> {
        if is_late {
            Some((FailureKind::Timeout, format!("no answer within {} ms", self.limits.timeout_ms)))
        } else if self.cancel.is_cancelled() {
            Some((FailureKind::Cancelled, String::from("the call was cancelled")))
        } else {
            None
        }
    }
}

/// The failure at a span of the prepared text.
fn failure_at(
    source: &PreparedSource,
    (kind, message): (FailureKind, String),
    span: Option<(usize, usize)>,
) -> Failure {
    let diagnostic = ScriptFinding::error(FindingCode::Runtime, message, span).locate(source);
    Failure::new(kind, diagnostic.message.clone()).with_location(diagnostic)
}

fn crash_failure() -> Failure {
    Failure::new(FailureKind::Crash, "the interpreter crashed; the script may have used all available memory")
}

/// The message of an error that a script raised.
fn error_message(error: &starlark::Error) -> String {
    clarify_message(load::error_finding(FindingCode::Runtime, error).message)
}

/// Why a call failed.
pub(crate) enum ScriptCallError {
    /// The payload cannot be converted for a script.
    Payload(String),
    /// The script raised an error.
    Script(starlark::Error),
}

/// One call of one frozen function.
pub(crate) struct CallFrame<'a> {
    pub(crate) source: &'a PreparedSource,
    pub(crate) entry: &'a OwnedFrozenValue,
    pub(crate) invocation: &'a Invocation<'a>,
    /// The length in bytes of the generated text before the author's text.
    pub(crate) offset: usize,
}

impl CallFrame<'_> {
    /// Calls the function in its own scope and reads its return value before the scope ends.
    pub(crate) fn run_call<T>(
        &self,
        call: impl for<'v> FnOnce(&mut Evaluator<'v, '_, '_>, Value<'v>) -> Result<Value<'v>, ScriptCallError>,
        read: impl FnOnce(Value<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Invocation { effects: seam, caller, limits, cancel } = *self.invocation;
        let deadline = Instant::now() + Duration::from_millis(limits.timeout_ms);
        let state = CallState { effects: seam, caller, cancel, deadline, memory_bytes: limits.memory_bytes };
        let prints = PrintLogger { effects: seam, caller };
        // The heap of a call is dropped whatever happened to it.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            Module::with_temp_heap(|module| {
                let mut eval = Evaluator::new(&module);
                eval.extra = Some(&state);
                eval.set_print_handler(&prints);
                // These three only fail for zero and if they are set twice.
                let _ = eval.set_max_tick_count(limits.steps.max(1));
                let _ = eval.set_max_heap_size(usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX).max(1));
                let _ = eval.set_max_callstack_size(limits.call_depth.max(2) as usize);
                eval.set_check_cancelled(Box::new(|| Instant::now() >= deadline || cancel.is_cancelled()));
                let entry = module.heap().access_owned_frozen_value(self.entry);
                match call(&mut eval, entry) {
                    Ok(value) => read(value),
                    Err(error) => Err(self.to_failure(error, &eval, Instant::now() >= deadline)),
                }
            })
        }));
        ran.unwrap_or_else(|_| Err(crash_failure()))
    }

    /// Converts the error to a failure with its location.
    fn to_failure(&self, error: ScriptCallError, eval: &Evaluator<'_, '_, '_>, late: bool) -> Failure {
        let error = match error {
            ScriptCallError::Payload(reason) => {
                // The failure policy of the script's hook must not depend on who created the payload.
                return Failure::new(FailureKind::Crash, format!("the payload cannot be passed to a script: {reason}"));
            }
            ScriptCallError::Script(error) => error,
        };
        let limits = self.invocation.limits;
        let exceeded = if matches!(error.kind(), ErrorKind::StackOverflow(_)) {
            Some((LimitKind::Depth, format!("calls are nested more than {} levels deep", limits.call_depth)))
        } else if eval.get_total_tick_count() > limits.steps {
            Some((LimitKind::Steps, format!("more than {} steps executed", limits.steps)))
        } else if eval.heap().peak_allocated_bytes() as u64 > limits.memory_bytes {
            Some((LimitKind::Memory, format!("more than {} bytes of memory used", limits.memory_bytes)))
        } else {
            None
        };
        let cause = exceeded
            .map(|(limit, message)| (FailureKind::Limit(limit), message))
            .or_else(|| self.invocation.interruption(late))
            .unwrap_or_else(|| (FailureKind::Error, error_message(&error)));
        let finding = load::error_finding(FindingCode::Runtime, &error).shifted_by(self.offset);
        failure_at(self.source, cause, finding.span)
    }
}

/// The interpreter's message for changing an immutable value does not say what is immutable and why, and is the same
/// for a string and a frozen list.
fn clarify_message(message: String) -> String {
    match message.as_str() {
        "Immutable" => String::from(
            "this value cannot be changed: strings, numbers and tuples are immutable, and lists and dicts that a script \
             creates while it is loaded are frozen; change a copy, or keep it in `cache`, `ctx` or `metrics`",
        ),
        _ => message,
    }
}

/// Routes `print` to the log.
struct PrintLogger<'a> {
    effects: &'a dyn EffectRunner,
    caller: EffectCaller<'a>,
}

impl PrintHandler for PrintLogger<'_> {
    fn println(&self, text: &str) -> starlark::Result<()> {
        let message = truncate(text, SHOWN).to_owned();
        let request = EffectRequest::Log { level: LogLevel::Info, message };
        self.effects
            .perform(self.caller, request)
            .map(|_| ())
            .map_err(|error| crate::call_state::script_error(format_args!("print: {error}")))
    }
}

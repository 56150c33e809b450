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

use crate::finding::{FindingCode, ScriptFinding};
use crate::load::{self, Script};
use crate::payload::{payload_value, to_script};
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
        self.call_frame(invocation).run_call(
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
        self.call_frame(invocation).run_call(
            |eval, entry| {
                let argument = to_script(argument, eval.heap()).map_err(ScriptCallError::Payload)?;
                eval.eval_function(entry, &[argument], &[]).map_err(ScriptCallError::Script)
            },
            |value| answer::decode_result(value, invocation.limits),
        )
    }

    fn call_frame<'a>(&'a self, invocation: &'a Invocation<'a>) -> CallFrame<'a> {
        CallFrame { source: &self.source, entry: &self.entry, invocation, offset: 0 }
    }
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
        ran.unwrap_or_else(|_| {
            Err(Failure::new(
                FailureKind::Crash,
                "the interpreter crashed; the script may have used all available memory",
            ))
        })
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
        let (kind, message) = if matches!(error.kind(), ErrorKind::StackOverflow(_)) {
            (
                FailureKind::Limit(LimitKind::Depth),
                format!("calls are nested more than {} levels deep", limits.call_depth),
            )
        } else if eval.get_total_tick_count() > limits.steps {
            (FailureKind::Limit(LimitKind::Steps), format!("more than {} steps executed", limits.steps))
        } else if eval.heap().peak_allocated_bytes() as u64 > limits.memory_bytes {
            (FailureKind::Limit(LimitKind::Memory), format!("more than {} bytes of memory used", limits.memory_bytes))
        } else if late {
            (FailureKind::Timeout, format!("no answer within {} ms", limits.timeout_ms))
        } else if self.invocation.cancel.is_cancelled() {
            (FailureKind::Cancelled, String::from("the call was cancelled"))
        } else {
            (FailureKind::Error, clarify_message(load::error_finding(FindingCode::Runtime, &error).message))
        };
        let span = load::error_finding(FindingCode::Runtime, &error).span;
        let finding = ScriptFinding::error(FindingCode::Runtime, message, span).shifted_by(self.offset);
        let diagnostic = finding.locate(self.source);
        Failure::new(kind, diagnostic.message.clone()).with_location(diagnostic)
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
        let message = text.chars().take(crate::call_state::SHOWN).collect();
        let request = EffectRequest::Log { level: LogLevel::Info, message };
        self.effects
            .perform(self.caller, request)
            .map(|_| ())
            .map_err(|error| crate::call_state::script_error(format_args!("print: {error}")))
    }
}

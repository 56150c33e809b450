//! The single path that every tool call takes.
//!
//! Every call ends with one `tool.post`, preceded by one `tool.pre` with the same id, whether the call ran, failed, was
//! blocked, was denied by policy, did not exist, or had invalid arguments. So an audit can pair them, and hooks see
//! every attempt. `tool.pre` is skipped only if a hook of `tool.transform` or `tool.guard` denies, or a hook ends the
//! run before the call's turn comes.
//!
//! Invalid arguments reach `tool.pre` as `args: {}`, with the model's own text in `arguments` and the reason in
//! `invalid`. Such a call never runs, unless a hook repairs it.
//!
//! `gate` runs the checks before the tool, `review` handles its result.

mod gate;
mod question;
mod refusal;
mod resumed;
mod review;
mod target;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_host::Clock;
use pintle_host::contract::{MAX_PAYLOAD_BYTES, PayloadError, check_payload};
use pintle_host::event::{ToolCall, ToolResult};
use pintle_host::lifecycle::conclude;
use serde_json::Value;

use crate::observer::{AgentEvent, ToolCallEnd};
use crate::recording;
use crate::session_state::WorkKind;
use crate::turn_context::{ToolContext, ToolError, TurnContext};

use refusal::CallRefusal;
use target::CallTarget;

pub(crate) use resumed::{INTERRUPTED, ResumedCall};

/// A requested tool call.
#[derive(Debug)]
pub(crate) struct RequestedToolCall<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    /// The arguments as JSON text.
    pub(crate) arguments: &'a str,
}

/// A finished call: the final name and arguments, and the result.
#[derive(Debug, Clone)]
pub(crate) struct FinishedCall {
    pub(crate) call: ToolCall,
    pub(crate) result: ToolResult,
    end: ToolCallEnd,
}

/// Runs one call with all its events. Never fails: an error is the result.
pub(crate) fn dispatch(turn: &TurnContext, request: &RequestedToolCall<'_>) -> FinishedCall {
    let call = CheckedCall::check(turn, request).start(turn);
    let ran = call.run(turn);
    let finished = call.review(turn, ran);
    finished.report(turn);
    finished
}

/// A call after its checks.
pub(crate) struct CheckedCall {
    id: String,
    target: CallTarget,
    refusal: Option<CallRefusal>,
}

/// A call that has run or was refused.
pub(crate) struct ExecutedCall {
    result: Result<Value, CallRefusal>,
    duration_ms: Option<u64>,
}

/// The result of a call that crashed.
impl Default for ExecutedCall {
    fn default() -> Self {
        Self { result: Err(CallRefusal::Failed(String::from("the call crashed"))), duration_ms: None }
    }
}

impl CheckedCall {
    /// Runs the checks that may refuse a call. A call after a hook has ended the run is skipped without checks.
    pub(crate) fn check(turn: &TurnContext, request: &RequestedToolCall<'_>) -> Self {
        let mut target = CallTarget::parse(turn, request.name, request.arguments);
        let (id, name, arguments) = (request.id.to_owned(), target.name.clone(), target.arguments.clone());
        turn.in_turn(move |turn| {
            turn.notify(AgentEvent::ToolCalled { id: &id, name: &name, arguments: &arguments });
        });
        let refusal = match turn.state.is_stopped() {
            true => Some(CallRefusal::Skipped),
            false => gate::check(turn, request.id, &mut target).err(),
        };
        Self { id: request.id.to_owned(), target, refusal }
    }

    /// Records that the tool is about to run, unless the call is refused or cannot run.
    pub(crate) fn start(self, turn: &TurnContext) -> Self {
        let refusal = self.refusal.or_else(|| begin_tool(turn, &self.id, &self.target).err());
        Self { refusal, ..self }
    }

    /// Runs the tool of a call that was started.
    pub(crate) fn run(&self, turn: &TurnContext) -> ExecutedCall {
        if let Some(refusal) = &self.refusal {
            return ExecutedCall { result: Err(refusal.clone()), duration_ms: None };
        }
        let clock = turn.agent.shared.runtime.clock();
        let began_us = clock.monotonic_us();
        let result = run_tool(turn, &self.id, &self.target);
        ExecutedCall { result, duration_ms: Some(elapsed_ms(clock, began_us)) }
    }

    /// Fires `tool.result` and `tool.post` with the result.
    pub(crate) fn review(&self, turn: &TurnContext, call: ExecutedCall) -> FinishedCall {
        let Self { id, target, .. } = self;
        let end = call.result.as_ref().map_or_else(CallRefusal::end, |_| ToolCallEnd::Returned);
        let result = to_tool_result(turn, id, &target.name, call.result);
        review_result(turn, target, result, end, (call.duration_ms.is_some(), call.duration_ms))
    }
}

/// Fires `tool.result` and `tool.post` with a result, how the call ended, whether the tool ran and its duration.
fn review_result(
    turn: &TurnContext,
    target: &CallTarget,
    result: ToolResult,
    end: ToolCallEnd,
    (was_run, duration_ms): (bool, Option<u64>),
) -> FinishedCall {
    let result = conclude(&mut review::CallReview { turn, target, was_run, duration_ms }, result);
    let ToolResult { call_id: id, name, .. } = &result;
    let call =
        ToolCall { id: id.clone(), name: name.clone(), args: target.args.clone(), arguments: target.arguments.clone() };
    FinishedCall { call, result, end }
}

impl FinishedCall {
    /// The end of a call that crashed on its way.
    pub(crate) fn from_crash(turn: &TurnContext, request: &RequestedToolCall<'_>) -> Self {
        let CallTarget { name, args, arguments, .. } = CallTarget::parse(turn, request.name, request.arguments);
        let result = to_tool_result(turn, request.id, &name, ExecutedCall::default().result);
        let call = ToolCall { id: request.id.to_owned(), name, args, arguments };
        Self { call, result, end: ToolCallEnd::Failed }
    }

    /// Reports the result to observers.
    pub(crate) fn report(&self, turn: &TurnContext) {
        let ToolResult { call_id: id, name, content, is_error, .. } = &self.result;
        turn.notify(AgentEvent::ToolReturned { id, name, content, is_error: *is_error, end: self.end });
    }
}

/// Checks whether a call can run, and records that it does.
fn begin_tool(turn: &TurnContext, call_id: &str, target: &CallTarget) -> Result<(), CallRefusal> {
    if let Some(reason) = target.unusable_reason(turn) {
        return Err(CallRefusal::Unusable(reason));
    }
    if turn.state.is_stopped() || turn.scope.cancel.is_cancelled() {
        return Err(CallRefusal::cancelled(turn));
    }
    recording::record_tool_call(turn, call_id, &target.name, &target.args);
    recording::recording_failure(turn).map_or(Ok(()), |reason| Err(CallRefusal::Unusable(reason)))
}

fn run_tool(turn: &TurnContext, call_id: &str, target: &CallTarget) -> Result<Value, CallRefusal> {
    let Some(tool) = &target.tool else {
        return Err(CallRefusal::Unusable(turn.agent.missing_tool_message(&target.name)));
    };
    let used = ToolContext { turn, call_id, tool: &target.name };
    let shared = &turn.agent.shared;
    let played = shared.tool_player.as_ref().and_then(|player| player.play(call_id, &**tool, &target.args));
    let began_us = shared.runtime.clock().monotonic_us();
    let _open = shared.state.pending_work.begin(WorkKind::ToolCall, call_id, &target.name, began_us);
    let _watched = (played.is_none() && tool.can_write_unseen()).then(|| turn.watch_call(&target.name, call_id));
    // A tool may be code of the embedder: a panic in it fails the call, not the session.
    let run = || played.unwrap_or_else(|| tool.call(&target.args, &used));
    let result = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => check_size(result.map_err(ToolError::into_text)).map_err(CallRefusal::Failed),
        Err(_) => Err(CallRefusal::Failed(format!("tool \"{}\" crashed", target.name))),
    };
    recording::record_tool_result(turn, || to_tool_result(turn, call_id, &target.name, result.clone()));
    result
}

/// A tool's result, or an error if it is too large for the events that follow.
fn check_size(arguments: Result<Value, String>) -> Result<Value, String> {
    let fits = match &arguments {
        Ok(value) => check_payload(value),
        Err(reason) if reason.len() > MAX_PAYLOAD_BYTES => Err(PayloadError::TooLong),
        Err(_) => Ok(()),
    };
    fits.map_err(|error| format!("the result is too large: {error}; ask for a part of it"))?;
    arguments
}

/// The result for the model, before hooks see it.
fn to_tool_result(turn: &TurnContext, id: &str, name: &str, result: Result<Value, CallRefusal>) -> ToolResult {
    match result {
        Ok(Value::String(text)) => ToolResult::from_content(id, name, &text, false),
        Ok(value) => ToolResult::new(id, name, value, false),
        Err(refusal) => ToolResult::new(id, name, Value::String(refusal.text(turn, name)), true),
    }
}

fn elapsed_ms(clock: &dyn Clock, began_us: u64) -> u64 {
    clock.monotonic_us().saturating_sub(began_us) / 1_000
}

//! The one door through which every tool call goes.
//!
//! Every call ends with one `tool.post`, and goes through one `tool.pre` first with the same id, whatever becomes of it:
//! run, failed, blocked, denied by policy, not found, or called with arguments that cannot be used. So an audit can pair
//! them, and a hook sees every attempt. Only a hook of `tool.transform` or `tool.guard` that denies, or one that ends the
//! run before the call's turn comes, spares it its `tool.pre`.
//!
//! Arguments that cannot be used reach `tool.pre` as `args: {}`, with the model's own text in `arguments` and why it
//! cannot be used in `invalid`; such a call never runs, unless a hook repairs it.
//!
//! `gate` is what comes before the tool and `review` what comes after it.

mod gate;
mod question;
mod refusal;
mod review;
mod taken_up;
mod target;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle::event::{ToolCall as ToolCallMade, ToolResult};
use pintle::{Clock, MAX_PAYLOAD_BYTES, PayloadError, check_payload};
use serde_json::Value;

use super::ToolUse;
use crate::edits;
use crate::finish::Kind;
use crate::observe::Happening;
use crate::taping;
use crate::turn::Turn;

use refusal::Refusal;
use target::Target;

pub(crate) use taken_up::{INTERRUPTED, TakenUp};

/// A call as somebody asks for it.
#[derive(Debug)]
pub(crate) struct CallRequest<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    /// The arguments as JSON text.
    pub(crate) arguments: &'a str,
}

/// What became of a call: as it was made in the end, and its result.
#[derive(Debug, Clone)]
pub(crate) struct Called {
    pub(crate) call: ToolCallMade,
    pub(crate) result: ToolResult,
}

/// Makes one call with its whole lifecycle. Never fails: what went wrong is the result.
pub(crate) fn dispatch(turn: &Turn, request: &CallRequest<'_>) -> Called {
    let asked = Asked::guarded(turn, request);
    let ran = asked.run(turn);
    asked.reviewed(turn, ran)
}

/// A call that its guards have judged.
pub(crate) struct Asked {
    id: String,
    target: Target,
    refusal: Option<Refusal>,
}

/// A call that has run, or was kept from it.
pub(crate) struct Ran {
    result: Result<Value, Refusal>,
    duration_ms: Option<u64>,
}

/// What stands for a call whose thread died.
impl Default for Ran {
    fn default() -> Self {
        Self { result: Err(Refusal::Failed(String::from("the call crashed"))), duration_ms: None }
    }
}

impl Asked {
    /// Asks everybody who may keep a call from running.
    pub(crate) fn guarded(turn: &Turn, request: &CallRequest<'_>) -> Self {
        let mut target = Target::read(turn, request.name, request.arguments);
        turn.tell(Happening::ToolCalled { id: request.id, name: &target.name, arguments: &target.arguments });
        let refusal = gate::pass(turn, request.id, &mut target).err();
        Self { id: request.id.to_owned(), target, refusal }
    }

    /// A call that nobody is asked about, because a hook has ended the run.
    pub(crate) fn skipped(turn: &Turn, request: &CallRequest<'_>) -> Self {
        let target = Target::read(turn, request.name, request.arguments);
        turn.tell(Happening::ToolCalled { id: request.id, name: &target.name, arguments: &target.arguments });
        Self { id: request.id.to_owned(), target, refusal: Some(Refusal::Skipped) }
    }

    /// Runs the tool, unless something speaks against it.
    pub(crate) fn run(&self, turn: &Turn) -> Ran {
        if let Some(refusal) = &self.refusal {
            return Ran { result: Err(refusal.clone()), duration_ms: None };
        }
        let clock = turn.agent.shared.runtime.clock();
        let began_us = clock.monotonic_us();
        let result = run(turn, &self.id, &self.target);
        let duration_ms = matches!(result, Ok(_) | Err(Refusal::Failed(_))).then(|| elapsed_ms(clock, began_us));
        Ran { result, duration_ms }
    }

    /// Shows the result to the hooks of `tool.result` and `tool.post`.
    pub(crate) fn reviewed(&self, turn: &Turn, ran: Ran) -> Called {
        let Self { id, target, .. } = self;
        let result = result_of(turn, id, &target.name, ran.result);
        called(turn, target, result, (ran.duration_ms.is_some(), ran.duration_ms))
    }
}

/// Shows a result to the hooks of `tool.result` and `tool.post`, with whether the tool ran and how long.
fn called(turn: &Turn, target: &Target, result: ToolResult, ran: (bool, Option<u64>)) -> Called {
    let result = review::transformed(turn, target, result);
    let result = review::reviewed(turn, target, result, ran);
    let ToolResult { call_id: id, name, content, is_error, .. } = &result;
    turn.tell(Happening::ToolReturned { id, name, content, is_error: *is_error });
    let call = ToolCallMade {
        id: id.clone(),
        name: name.clone(),
        args: target.args.clone(),
        arguments: target.arguments.clone(),
    };
    Called { call, result }
}

fn run(turn: &Turn, call_id: &str, target: &Target) -> Result<Value, Refusal> {
    if let Some(why) = target.unusable(turn) {
        return Err(Refusal::Unusable(why));
    }
    let Some(tool) = &target.tool else { return Err(Refusal::Unusable(turn.agent.not_found(&target.name))) };
    if turn.state.is_stopped() {
        return Err(Refusal::Skipped);
    }
    if turn.scope.cancel.is_cancelled() {
        return Err(Refusal::Cancelled);
    }
    let used = ToolUse { turn, call_id, tool: &target.name };
    let shared = &turn.agent.shared;
    let began_us = shared.runtime.clock().monotonic_us();
    let _open = shared.open.hold(Kind::ToolCall, call_id, &target.name, began_us);
    let _watched = tool.writes_unseen().then(|| edits::watched(turn, &target.name, call_id));
    // A tool is somebody else's code: a panic in it is its failure and not the session's.
    taping::tool_runs(turn, call_id, &target.name, &target.args);
    if let Some(why) = taping::broken(turn) {
        return Err(Refusal::Unusable(why));
    }
    let result = match catch_unwind(AssertUnwindSafe(|| tool.call(&target.args, &used))) {
        Ok(result) => fitting(result).map_err(Refusal::Failed),
        Err(_) => Err(Refusal::Failed(format!("tool \"{}\" crashed", target.name))),
    };
    taping::tool_gave(turn, || result_of(turn, call_id, &target.name, result.clone()));
    result
}

/// What a tool gave, or why hooks and the model cannot be shown it: it would not fit into the events behind the call.
fn fitting(given: Result<Value, String>) -> Result<Value, String> {
    let fits = match &given {
        Ok(value) => check_payload(value),
        Err(why) if why.len() > MAX_PAYLOAD_BYTES => Err(PayloadError::TooLong),
        Err(_) => Ok(()),
    };
    fits.map_err(|fault| format!("the result is too large: {fault}; ask for a part of it"))?;
    given
}

/// What the model gets of a call before hooks have seen it.
fn result_of(turn: &Turn, id: &str, name: &str, result: Result<Value, Refusal>) -> ToolResult {
    match result {
        Ok(Value::String(text)) => ToolResult::from_content(id, name, &text, false),
        Ok(value) => ToolResult::new(id, name, value, false),
        Err(refusal) => ToolResult::new(id, name, Value::String(refusal.text(turn, name)), true),
    }
}

fn elapsed_ms(clock: &dyn Clock, began_us: u64) -> u64 {
    clock.monotonic_us().saturating_sub(began_us) / 1_000
}

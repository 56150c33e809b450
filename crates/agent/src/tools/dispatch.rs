//! The one door through which every tool call goes.
//!
//! Every call is one `tool.pre` and one `tool.post`, in this order and with the same id, whatever becomes of it: run,
//! failed, blocked, denied by policy, not found, or called with arguments that cannot be used. So an audit can pair
//! them, and a hook sees every attempt. Arguments that cannot be used reach `tool.pre` as `args: {}`, with the model's
//! own text in `arguments` and why it cannot be used in `invalid`; such a call never runs, unless a hook repairs it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pintle::event::{ToolCall as ToolCallMade, ToolPost, ToolPre, ToolResult};
use pintle::{Clock, Event};
use serde_json::{Map, Value};

use super::{Tool, ToolUse, arguments};
use crate::observe::Happening;
use crate::turn::Turn;

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

/// A call on its way: the name and arguments that stand after the hooks.
struct Target {
    name: String,
    args: Value,
    arguments: String,
    tool: Option<Arc<dyn Tool>>,
    invalid: Option<String>,
    /// Whether `args` stands for a text that could not be decoded.
    is_undecoded: bool,
}

impl Asked {
    /// Shows a call to the hooks of `tool.pre`.
    pub(crate) fn guarded(turn: &Turn, request: &CallRequest<'_>) -> Self {
        let mut target = Target::read(turn, request.name, request.arguments);
        turn.tell(Happening::ToolCalled { id: request.id, name: &target.name, arguments: &target.arguments });
        let refusal = guard(turn, request.id, &mut target);
        Self { id: request.id.to_owned(), target, refusal }
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

    /// Shows the result to the hooks of `tool.post`.
    pub(crate) fn reviewed(&self, turn: &Turn, ran: Ran) -> Called {
        let Self { id, target, .. } = self;
        let name = &target.name;
        let result = match ran.result {
            Ok(Value::String(text)) => ToolResult::from_content(id, name, &text, false),
            Ok(value) => ToolResult::new(id, name, value, false),
            Err(refusal) => ToolResult::new(id, name, Value::String(refusal.text()), true),
        };
        let result = review(turn, target, result, ran.duration_ms);
        turn.tell(Happening::ToolReturned { id, name, content: &result.content, is_error: result.is_error });
        let call = ToolCallMade {
            id: id.clone(),
            name: name.clone(),
            args: target.args.clone(),
            arguments: target.arguments.clone(),
        };
        Called { call, result }
    }
}

/// Why a call did not run, or what it failed with.
#[derive(Clone)]
enum Refusal {
    /// A hook said no.
    Blocked(String),
    /// It cannot be made: no such tool, not allowed, unusable arguments.
    Unusable(String),
    /// The tool ran and failed.
    Failed(String),
}

impl Refusal {
    fn text(self) -> String {
        match self {
            Self::Blocked(reason) => format!("tool blocked: {reason}"),
            Self::Unusable(why) => why,
            Self::Failed(why) => format!("tool error: {why}"),
        }
    }
}

impl Target {
    fn read(turn: &Turn, name: &str, text: &str) -> Self {
        match arguments::decode(text) {
            Ok(args) => Self::fitted(turn, name, args),
            Err(invalid) => Self {
                name: name.to_owned(),
                args: Value::Object(Map::new()),
                arguments: text.to_owned(),
                tool: turn.agent.tool(name),
                invalid: Some(invalid),
                is_undecoded: true,
            },
        }
    }

    /// A target whose arguments are checked against the tool's schema.
    fn fitted(turn: &Turn, name: &str, mut args: Value) -> Self {
        let tool = turn.agent.tool(name);
        let fitted = tool.as_ref().map_or(Ok(()), |tool| arguments::fit(&mut args, &tool.definition().parameters));
        Self {
            name: name.to_owned(),
            arguments: args.to_string(),
            args,
            tool,
            invalid: fitted.err(),
            is_undecoded: false,
        }
    }
}

/// Asks the hooks, and takes over what they rewrote.
fn guard(turn: &Turn, id: &str, target: &mut Target) -> Option<Refusal> {
    let payload = ToolPre {
        id: id.to_owned(),
        name: target.name.clone(),
        arguments: target.arguments.clone(),
        args: target.args.clone(),
        invalid: target.invalid.clone(),
        ..ToolPre::default()
    };
    let outcome = turn.fire(&Event::of(&payload, Arc::clone(&turn.origin)));
    if !outcome.is_allowed() {
        return Some(Refusal::Blocked(outcome.reason()));
    }
    if outcome.rewritten {
        let fields = outcome.payload.value();
        let name = fields.get("name").and_then(Value::as_str).unwrap_or(&target.name);
        let args = fields.get("args").cloned().unwrap_or_default();
        // A hook that left the empty stand-in alone has not repaired the call.
        let kept = target.invalid.take().filter(|_| target.is_undecoded && args == target.args);
        // The new target meets the same schema check and, in `run`, the same policy.
        *target = Target::fitted(turn, name, args);
        target.invalid = kept.or(target.invalid.take());
    }
    None
}

fn run(turn: &Turn, call_id: &str, target: &Target) -> Result<Value, Refusal> {
    let name = &target.name;
    if !turn.agent.allows(name) {
        return Err(Refusal::Unusable(format!("tool \"{name}\" denied by policy")));
    }
    let Some(tool) = &target.tool else {
        return Err(Refusal::Unusable(turn.agent.not_found(name)));
    };
    if let Some(invalid) = &target.invalid {
        return Err(Refusal::Unusable(format!("tool \"{name}\" was not called: {invalid}")));
    }
    if turn.scope.cancel.is_cancelled() {
        return Err(Refusal::Unusable(String::from("cancelled before it ran")));
    }
    let used = ToolUse { turn, call_id };
    // A tool is somebody else's code: a panic in it is its failure and not the session's.
    match catch_unwind(AssertUnwindSafe(|| tool.call(&target.args, &used))) {
        Ok(result) => result.map_err(Refusal::Failed),
        Err(_) => Err(Refusal::Failed(format!("tool \"{name}\" crashed"))),
    }
}

/// Shows the result to the hooks of `tool.post`.
fn review(turn: &Turn, target: &Target, result: ToolResult, duration_ms: Option<u64>) -> ToolResult {
    let (call_id, name) = (result.call_id.clone(), result.name.clone());
    let mut payload = ToolPost::new(result.clone());
    payload.args = Some(target.args.clone());
    payload.duration_ms = duration_ms;
    let outcome = turn.fire_end(&Event::of(&payload, Arc::clone(&turn.origin)));
    if !outcome.is_allowed() {
        let content = format!("tool result blocked: {}", outcome.reason());
        return ToolResult::new(call_id, name, Value::String(content), true);
    }
    if !outcome.rewritten {
        return result;
    }
    let fields = outcome.payload.value();
    let is_error = fields.get("is_error").and_then(Value::as_bool).unwrap_or(result.is_error);
    match fields.get("content").and_then(Value::as_str) {
        Some(content) => ToolResult::from_content(call_id, name, content, is_error),
        None => ToolResult { is_error, ..result },
    }
}

fn elapsed_ms(clock: &dyn Clock, began_us: u64) -> u64 {
    clock.monotonic_us().saturating_sub(began_us) / 1_000
}

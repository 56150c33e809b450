//! Hooks as an interceptor of a host that speaks AGENT-HOOKS: a context comes in, and a verdict goes out.
//!
//! An ask of a hook is a deny that an approval of the host can lift; any other deny is final. What hooks change is a
//! transform of the whole target. What they tell the model is added to the messages of the next model call. Whatever cannot
//! be decided, or is not possible in the format, denies.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use pintle_host::contract::read_payload;
use pintle_host::dialects::agent_hooks::{
    HostFault, InterceptionPoint, InterceptorDecision, InterceptorVerdict, TargetTransform, read_context,
    target_of_payload,
};
use pintle_host::event::{ToolResult, check_payload};
use pintle_host::lifecycle::ToolCallRequest;
use pintle_host::tools::caller_of;
use pintle_host::{CheckedToolCall, Decision, Event, EventKind, EventName, EventScope, Origin, Payload};
use serde_json::{Map, Value, json};

use crate::serving::{LoadHooks, ServedHooks};

/// The reasons of verdicts, for programs.
const DENIED: &str = "pintle:denied";
const ASKED: &str = "pintle:asked";
const FAILED: &str = "pintle:failed";

/// The most sessions, and the most calls of a session that are not over.
const MAX_SESSIONS: usize = 256;
const MAX_CALLS: usize = 1_024;

/// The hooks of a directory, as an interceptor.
pub struct HookInterceptor {
    load_hooks: LoadHooks,
    cwd: String,
    sessions: HashMap<String, InterceptedSession>,
}

/// A session of the host.
struct InterceptedSession {
    hooks: ServedHooks,
    origin: Arc<Origin>,
    scope: EventScope,
    started: Instant,
    turns: u32,
    /// What hooks told the model since the last model call.
    told: Vec<String>,
    /// Why everything up to the next input is denied.
    stop_reason: Option<String>,
    /// The calls that may run, or that the host may let run.
    calls: HashMap<String, ToolCallRequest>,
}

/// The verdict that ends a step.
type StepVerdict = Box<InterceptorVerdict>;

impl HookInterceptor {
    /// An interceptor whose hooks are loaded for each session. `cwd` is the directory that the agents work in.
    #[must_use]
    pub fn new(cwd: String, load_hooks: LoadHooks) -> Self {
        Self { load_hooks, cwd, sessions: HashMap::new() }
    }

    /// Asks the hooks about a context.
    pub fn intercept(&mut self, context: &[u8]) -> InterceptorVerdict {
        // Another program might read another value of a key that is there twice.
        let decided = match read_payload(context) {
            Ok(Value::Object(context)) => self.decide(&context),
            Ok(_) => Err(failed("the context is not a JSON object")),
            Err(error) => Err(failed(&format!("the context cannot be read: {error}"))),
        };
        decided.unwrap_or_else(|verdict| *verdict)
    }

    fn decide(&mut self, context: &Map<String, Value>) -> Result<InterceptorVerdict, StepVerdict> {
        let (point, payload) = read_context(context).map_err(|HostFault { detail, .. }| failed(&detail))?;
        let text = |field: &str| context.get(field).and_then(|value| value.get("id")).and_then(Value::as_str);
        let (id, agent) = (text("session").unwrap_or_default(), text("agent").unwrap_or_default());
        if point == InterceptionPoint::AgentShutdown {
            let Some(session) = self.sessions.remove(id) else { return Ok(allow()) };
            session.end(&payload);
            return Ok(allow());
        }
        if point == InterceptionPoint::AgentStartup
            && let Some(former) = self.sessions.remove(id)
        {
            former.end(&json!({"reason": "exit"}));
        }
        if let Some(session) = self.sessions.get_mut(id) {
            return session.decide(point, payload, context);
        }
        if self.sessions.len() >= MAX_SESSIONS {
            return Err(failed(&format!("{MAX_SESSIONS} sessions are open")));
        }
        let hooks = (self.load_hooks)(id).map_err(|error| failed(&error.message))?;
        let mut session = InterceptedSession::new(hooks, id, agent, &self.cwd);
        // A host may have started before its interceptor.
        let source = if point == InterceptionPoint::AgentStartup { "startup" } else { "resume" };
        if let Err(verdict) = session.fire(EventKind::SessionStart, json!({"source": source, "cwd": self.cwd})) {
            session.end(&json!({"reason": "blocked"}));
            return Err(verdict);
        }
        let verdict = match point {
            InterceptionPoint::AgentStartup => Ok(allow()),
            _ => session.decide(point, payload, context),
        };
        self.sessions.insert(id.to_owned(), session);
        verdict
    }

    /// Ends the sessions that their hosts did not end.
    pub fn close(self) {
        self.sessions.into_values().for_each(|session| session.end(&json!({"reason": "exit"})));
    }
}

impl InterceptedSession {
    fn new(hooks: ServedHooks, id: &str, agent: &str, cwd: &str) -> Self {
        let (session, agent, cwd) = (id.to_owned(), agent.to_owned(), cwd.to_owned());
        let origin = Arc::new(Origin { session, agent, cwd, turn: 1, ..Origin::default() });
        let scope = EventScope { overlay: Arc::clone(&hooks.overlay), ..EventScope::default() };
        let (told, calls, started) = (Vec::new(), HashMap::new(), Instant::now());
        Self { hooks, origin, scope, started, turns: 0, told, stop_reason: None, calls }
    }

    fn decide(
        &mut self,
        point: InterceptionPoint,
        payload: Value,
        context: &Map<String, Value>,
    ) -> Result<InterceptorVerdict, StepVerdict> {
        if point == InterceptionPoint::Input {
            self.stop_reason = None;
        } else if let Some(reason) = &self.stop_reason {
            return Err(deny(reason));
        }
        let before = target_of_payload(point, &payload);
        let after = match point {
            InterceptionPoint::AgentStartup | InterceptionPoint::AgentShutdown => payload,
            InterceptionPoint::Input => self.begin_turn(payload)?,
            InterceptionPoint::PreModelCall => self.review_request(payload)?,
            InterceptionPoint::PostModelCall => self.fire(EventKind::CompletionPost, payload)?,
            InterceptionPoint::PreToolCall => self.decide_call(payload)?,
            InterceptionPoint::PostToolCall => self.conclude_call(&payload)?,
            InterceptionPoint::Output => self.end_turn(payload)?,
        };
        let target = target_of_payload(point, &after);
        if target == before {
            return Ok(allow());
        }
        // A text of the target stays one, and other values stay what they are where they can.
        let value = match (point, context.get("target")) {
            (InterceptionPoint::Input, Some(Value::Object(own))) => {
                let mut own = own.clone();
                own.extend(target.get("content").map(|content| (String::from("content"), content.clone())));
                Value::Object(own)
            }
            _ => target,
        };
        let transform = Some(TargetTransform { path: String::from("$target"), value });
        Ok(InterceptorVerdict { transform, ..InterceptorVerdict::new(InterceptorDecision::Transform) })
    }

    /// Fires an event, and returns the payload as hooks left it.
    fn fire(&mut self, kind: EventKind, payload: Value) -> Result<Value, StepVerdict> {
        let name = EventName::from(kind);
        let mut payload = payload;
        let fits = name.complete(&mut payload).and_then(|()| check_payload(&name, &payload));
        fits.map_err(|error| failed(&format!("the context is not valid for `{name}`: {error}")))?;
        let outcome = self.hooks.runtime.fire_in(&Event::new(name, payload, Arc::clone(&self.origin)), &self.scope);
        self.told.extend(outcome.model_texts().map(str::to_owned));
        self.stop_reason = self.stop_reason.take().or_else(|| outcome.stop_reason());
        match outcome.decision {
            Decision::Allow => Ok(outcome.payload.into_value()),
            Decision::Ask => Err(ask(&outcome.reason())),
            Decision::Deny => Err(deny(&outcome.reason_for_model())),
        }
    }

    fn begin_turn(&mut self, payload: Value) -> Result<Value, StepVerdict> {
        self.turns = self.turns.saturating_add(1);
        self.origin = Arc::new(Origin { turn: self.turns, ..(*self.origin).clone() });
        self.scope = EventScope { overlay: Arc::clone(&self.hooks.overlay), ..EventScope::default() };
        let submitted = self.fire(EventKind::PromptSubmit, payload)?;
        let message = self.fire(EventKind::TurnStart, submitted.get("prompt").cloned().unwrap_or_default())?;
        Ok(json!({"prompt": message}))
    }

    fn review_request(&mut self, payload: Value) -> Result<Value, StepVerdict> {
        let (model, tools) = (payload.get("model").cloned(), payload.get("tools").cloned());
        let mut reviewed = self.fire(EventKind::CompletionPre, payload)?;
        if reviewed.get("model") != model.as_ref() || reviewed.get("tools") != tools.as_ref() {
            return Err(failed("hooks changed the model or its tools, which a host of AGENT-HOOKS does not let them"));
        }
        let told = std::mem::take(&mut self.told).into_iter().map(|text| json!({"role": "system", "content": text}));
        if let Some(messages) = reviewed.get_mut("messages").and_then(Value::as_array_mut) {
            messages.extend(told);
        }
        Ok(reviewed)
    }

    fn decide_call(&mut self, payload: Value) -> Result<Value, StepVerdict> {
        let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, name) = (text("id"), text("name"));
        let args = payload.get("args").filter(|args| args.is_object()).cloned();
        let args = args.ok_or_else(|| failed("the arguments of the call are not an object"))?;
        let caller = caller_of(&Payload::new(payload));
        let request = ToolCallRequest::new(id.clone(), caller, name.clone(), args.clone());
        let checked = self.hooks.runtime.check_tool_call(request, &self.origin, &self.scope);
        let CheckedToolCall { call, open_asks, remarks } = checked.map_err(|refusal| {
            let stops = refusal.stops_run().then(|| refusal.reason().to_owned());
            self.stop_reason = self.stop_reason.take().or(stops);
            deny(refusal.reason())
        })?;
        self.told.extend(remarks.context);
        if call.name != name {
            return Err(failed("hooks changed the tool, which a host of AGENT-HOOKS does not let them"));
        }
        if self.calls.len() >= MAX_CALLS {
            return Err(failed(&format!("{MAX_CALLS} calls have no result yet")));
        }
        let changed = json!({"args": call.args});
        let is_changed = call.args != args;
        let open_ask = open_asks.first().map(|open_ask| open_ask.reason().to_owned());
        match open_ask {
            // An approval would let the call run as it was.
            Some(_) if is_changed => {
                Err(failed("hooks ask about a call that they changed, which the format cannot say"))
            }
            Some(reason) => {
                self.calls.insert(id, call);
                Err(ask(&reason))
            }
            None => {
                self.calls.insert(id, call);
                Ok(changed)
            }
        }
    }

    fn conclude_call(&mut self, payload: &Value) -> Result<Value, StepVerdict> {
        let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_error = payload.get("is_error").and_then(Value::as_bool).unwrap_or_default();
        let call = self.calls.remove(text("call_id"));
        let call = call.ok_or_else(|| failed("the hooks were not asked about this call, or refused it"))?;
        // An approval of the host may have changed the arguments once more.
        let call = ToolCallRequest { args: payload.get("args").cloned().unwrap_or_default(), ..call };
        let value = payload.get("result").cloned().unwrap_or_default();
        let result = ToolResult::new(call.id.as_str(), call.name.as_str(), value, is_error);
        let before = result.clone();
        let reviewed = self.hooks.runtime.review_tool_result(&call, result, &self.origin, &self.scope);
        self.told.extend(reviewed.remarks.context);
        self.stop_reason = self.stop_reason.take().or(reviewed.stop_reason);
        let ToolResult { content, is_error, result, .. } = reviewed.result;
        // A host takes no other value for whether the tool failed, so a result that became an error is withheld.
        if is_error && !before.is_error {
            return Err(deny(&content));
        }
        Ok(if content == before.content { payload.clone() } else { json!({"content": content, "result": result}) })
    }

    fn end_turn(&mut self, payload: Value) -> Result<Value, StepVerdict> {
        let stop = json!({"response": payload.get("text"), "finish_reason": "stop"});
        let stopped = self.fire(EventKind::AgentStop, stop)?;
        self.fire(EventKind::TurnEnd, json!({"text": stopped.get("response")}))
    }

    fn end(mut self, payload: &Value) {
        let duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let reason = payload.get("reason").cloned().unwrap_or_default();
        let end = json!({"reason": reason, "turns": self.turns, "duration_ms": duration_ms});
        // Nothing can be denied any more.
        drop(self.fire(EventKind::SessionEnd, end));
        if let Some(tape) = self.hooks.runtime.tape() {
            tape.close();
        }
    }
}

const fn allow() -> InterceptorVerdict {
    InterceptorVerdict::new(InterceptorDecision::Allow)
}

fn deny_for(reason: &str, message: &str) -> StepVerdict {
    let (reason, message) = (Some(reason.to_owned()), Some(message.to_owned()));
    Box::new(InterceptorVerdict { reason, message, ..InterceptorVerdict::new(InterceptorDecision::Deny) })
}

fn deny(message: &str) -> StepVerdict {
    deny_for(DENIED, message)
}

fn failed(message: &str) -> StepVerdict {
    deny_for(FAILED, message)
}

fn ask(message: &str) -> StepVerdict {
    Box::new(InterceptorVerdict { approval: Some(Map::new()), ..*deny_for(ASKED, message) })
}

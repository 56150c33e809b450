//! Hooks as an interceptor of a host that speaks AGENT-HOOKS: a context comes in, and a verdict goes out.
//!
//! An ask of a hook is a deny that an approval of the host can lift; any other deny is final. What hooks change is a
//! transform of the whole target. What they tell the model is added to the messages of the next model call. Whatever cannot
//! be decided, or is not possible in the format, denies. Sessions are those of `pintle serve`.

use std::collections::HashMap;

use pintle_host::EventKind;
use pintle_host::contract::read_payload;
use pintle_host::dialects::agent_hooks::{
    HostFault, InterceptionPoint, InterceptorDecision, InterceptorVerdict, TargetTransform, read_context,
    target_of_payload,
};
use pintle_host::event::ToolResult;
use serde_json::{Map, Value, json};

use super::protocol::{
    ApproveCallRequest, DecidedCallAnswer, DecisionWord, FireEventRequest, FiredEventAnswer, OpenSessionAnswer,
    OpenSessionRequest, RequestError, RequestedCall, UserResponse,
};
use super::session::ServedSession;
use super::{LoadHooks, MAX_SESSIONS, ServedHooks};

/// The reasons of verdicts, for programs.
const DENIED: &str = "pintle:denied";
const ASKED: &str = "pintle:asked";
const FAILED: &str = "pintle:failed";

/// The hooks of a directory, as an interceptor.
pub struct HookInterceptor {
    load_hooks: LoadHooks,
    cwd: String,
    sessions: HashMap<String, InterceptedSession>,
}

/// A session of the host.
struct InterceptedSession {
    session: ServedSession,
    /// Whether the user's input has no answer yet.
    is_in_turn: bool,
    /// What hooks told the model since the last model call.
    told: Vec<String>,
    /// Why everything up to the next input is denied.
    stop_reason: Option<String>,
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
        let hooks = (self.load_hooks)(id).map_err(not_done)?;
        // A host may have started before its interceptor.
        let source = if point == InterceptionPoint::AgentStartup { "startup" } else { "resume" };
        let mut session = InterceptedSession::open(hooks, (id, agent), &self.cwd, source)?;
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
    fn open(hooks: ServedHooks, (id, agent): (&str, &str), cwd: &str, source: &str) -> Result<Self, StepVerdict> {
        let [session, agent, source] = [id, agent, source].map(str::to_owned);
        let request = OpenSessionRequest { session, cwd: None, agent: Some(agent), source: Some(source) };
        let (session, OpenSessionAnswer { outcome, .. }) = ServedSession::open(hooks, &request, cwd);
        let session = session.ok_or_else(|| deny(&outcome.reason_for_model))?;
        Ok(Self { session, is_in_turn: false, told: outcome.context, stop_reason: outcome.stop_reason })
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

    /// Keeps what an answer says beside its decision.
    fn note(&mut self, texts: Vec<String>, stop_reason: Option<String>) {
        self.told.extend(texts);
        self.stop_reason = self.stop_reason.take().or(stop_reason);
    }

    /// Fires an event, and returns the payload as hooks left it.
    fn fire(&mut self, kind: EventKind, payload: Value) -> Result<Value, StepVerdict> {
        let request = FireEventRequest { session: String::new(), event: kind.name().to_owned(), payload };
        let FiredEventAnswer { decision, payload, reason, reason_for_model, context, stop_reason, .. } =
            self.session.fire(request).map_err(not_done)?;
        self.note(context, stop_reason);
        match decision {
            DecisionWord::Allow => Ok(payload),
            DecisionWord::Ask => Err(ask(&reason)),
            DecisionWord::Deny => Err(deny(&reason_for_model)),
        }
    }

    fn begin_turn(&mut self, payload: Value) -> Result<Value, StepVerdict> {
        if std::mem::replace(&mut self.is_in_turn, true) {
            self.session.begin_next_turn();
        }
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
        let args = payload.get("args").and_then(Value::as_object).cloned();
        let args = args.ok_or_else(|| failed("the arguments of the call are not an object"))?;
        // Another interceptor may have denied an earlier call with this ID.
        self.session.forget_call(&id);
        let (vocabulary, cwd, permission_mode, read_only) = (None, None, None, None);
        let call =
            RequestedCall { id: id.clone(), name: name.clone(), args, vocabulary, cwd, permission_mode, read_only };
        let DecidedCallAnswer { call, approval_request, refusal, context, .. } =
            self.session.decide(call).map_err(not_done)?;
        self.note(context, refusal.as_ref().filter(|refusal| refusal.stops_run).map(|refusal| refusal.reason.clone()));
        let asked = approval_request.map(|request| (request.call, request.reasons));
        let (call, reasons) = match (refusal, call, asked) {
            (Some(refusal), ..) => return Err(deny(&refusal.reason)),
            (None, Some(call), None) => (call, Vec::new()),
            (None, _, Some(asked)) => asked,
            (None, None, None) => return Err(failed("the call was not decided")),
        };
        let fault = match reasons.is_empty() {
            _ if call.name != name => Some("hooks changed the tool, which a host of AGENT-HOOKS does not let them"),
            // An approval would let the call run as it was.
            false if call.rewritten => Some("hooks ask about a call that they changed, which the format cannot say"),
            _ => None,
        };
        if let Some(fault) = fault {
            self.session.forget_call(&id);
            return Err(failed(fault));
        }
        match reasons.first() {
            Some(reason) => Err(ask(reason)),
            None => Ok(json!({"args": call.args})),
        }
    }

    fn conclude_call(&mut self, payload: &Value) -> Result<Value, StepVerdict> {
        let id = payload.get("call_id").and_then(Value::as_str).unwrap_or_default();
        let is_error = payload.get("is_error").and_then(Value::as_bool).unwrap_or_default();
        // The call ran, so what hooks asked about was approved.
        let (session, by) = (String::new(), Some(String::from("host")));
        let approval = ApproveCallRequest { session, call: id.to_owned(), decision: UserResponse::Allow, by };
        drop(self.session.approve(&approval));
        let mut call = self.session.take_call(id).map_err(not_done)?;
        if payload.get("name").and_then(Value::as_str) != Some(&call.name) {
            return Err(failed("the hooks were asked about this call of another tool"));
        }
        // An approval of the host may have changed the arguments once more.
        call.args = payload.get("args").cloned().unwrap_or_default();
        let value = payload.get("result").cloned().unwrap_or_default();
        let result = ToolResult::new(call.id.as_str(), call.name.as_str(), value, is_error);
        let before = (result.content.clone(), result.is_error);
        let reviewed = self.session.review_result(&call, result);
        self.note(reviewed.remarks.context, reviewed.stop_reason);
        let ToolResult { content, is_error, result, .. } = reviewed.result;
        // A host takes no other value for whether the tool failed, so a result that became an error is withheld.
        if is_error && !before.1 {
            return Err(deny(&content));
        }
        Ok(if content == before.0 { payload.clone() } else { json!({"content": content, "result": result}) })
    }

    fn end_turn(&mut self, payload: Value) -> Result<Value, StepVerdict> {
        let stop = json!({"response": payload.get("text"), "finish_reason": "stop"});
        let stopped = self.fire(EventKind::AgentStop, stop)?;
        self.is_in_turn = false;
        self.fire(EventKind::TurnEnd, json!({"text": stopped.get("response")}))
    }

    fn end(mut self, payload: &Value) {
        if self.is_in_turn {
            self.session.begin_next_turn();
        }
        self.session.end(payload.get("reason").and_then(Value::as_str).unwrap_or("exit"));
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

fn not_done(error: RequestError) -> StepVerdict {
    failed(&error.message)
}

fn ask(message: &str) -> StepVerdict {
    Box::new(InterceptorVerdict { approval: Some(Map::new()), ..*deny_for(ASKED, message) })
}

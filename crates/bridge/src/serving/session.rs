//! One session of a host in another language: its hooks, its turn, and the calls that are under way.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use pintle_host::event::permission_reply::PermissionBasis;
use pintle_host::event::{
    CallFacts, EventPayload, LogLine, PermissionReply, SessionEnd, SessionStart, ToolResult, check_payload,
};
use pintle_host::lifecycle::ToolCallRequest;
use pintle_host::tools::{VOCABULARIES, caller_of, vocabulary_by_name};
use pintle_host::{
    CheckedToolCall, Event, EventKind, EventName, EventScope, HookRemarks, NoApprover, Origin, Payload, Refusal,
    ReviewedToolResult, explain,
};
use serde_json::{Value, json};

use super::ServedHooks;
use super::protocol::{
    ApproveCallRequest, CallApprovalRequest, ConcludeCallRequest, ConcludedCallAnswer, DecidedCallAnswer, DecisionWord,
    EndedSessionAnswer, ErrorCode, ExplainEventRequest, ExplainedEventAnswer, ExplainedHook, FireEventRequest,
    FiredEventAnswer, MAX_ID_CHARS, ModelToolResult, OpenSessionAnswer, OpenSessionRequest, RequestError,
    RequestedCall, RunnableCall, StepRefusal, UserResponse,
};

/// The calls of a session that are neither refused nor concluded. Of more the oldest is forgotten.
pub(super) const MAX_OPEN_CALLS: usize = 1_024;

/// What the server says itself about a tool call, beside what it works out. What hooks judge must not come from the payload that they judge.
const OWN_FACTS: [&str; 3] = ["project", "pause_ends_at_ms", "allowance_ends_at_ms"];

/// An open session.
pub(super) struct ServedSession {
    hooks: ServedHooks,
    origin: Arc<Origin>,
    scope: EventScope,
    started: Instant,
    turns: u32,
    calls: VecDeque<ServedCall>,
}

/// A call that was decided on, and may run or waits for the user.
struct ServedCall {
    request: ToolCallRequest,
    /// Whether hooks changed the call.
    is_rewritten: bool,
    /// Why hooks ask for the user; empty if the call may run.
    open_asks: Vec<Refusal>,
}

impl ServedSession {
    /// Starts a session, unless a hook denies that.
    pub(super) fn open(
        hooks: ServedHooks,
        request: &OpenSessionRequest,
        cwd: &str,
    ) -> (Option<Self>, OpenSessionAnswer) {
        let origin = Arc::new(Origin {
            session: request.session.clone(),
            turn: 1,
            agent: request.agent.clone().unwrap_or_else(|| hooks.agent.clone()),
            cwd: request.cwd.clone().unwrap_or_else(|| cwd.to_owned()),
            ..Origin::default()
        });
        let scope = EventScope { overlay: Arc::clone(&hooks.overlay), ..EventScope::default() };
        let calls = VecDeque::new();
        let session = Self { hooks, origin, scope, started: Instant::now(), turns: 0, calls };
        let source = request.source.clone().unwrap_or_else(|| String::from("startup"));
        let start = SessionStart { source, cwd: session.origin.cwd.clone(), ..SessionStart::default() };
        // There is no session yet that could wait for the user.
        let unattended = EventScope { approver: Some(Arc::new(NoApprover)), ..session.scope.clone() };
        let event = Event::from_payload(&start, Arc::clone(&session.origin));
        let outcome = session.hooks.runtime.fire_in(&event, &unattended);
        let opened = outcome.is_allowed();
        let answer = OpenSessionAnswer { opened, outcome: FiredEventAnswer::new(&event, outcome) };
        if !opened {
            session.close("blocked");
            return (None, answer);
        }
        (Some(session), answer)
    }

    /// Fires an event of the host.
    pub(super) fn fire(&mut self, request: FireEventRequest) -> Result<FiredEventAnswer, RequestError> {
        let event = to_event(&self.hooks, &request.event, request.payload, &self.origin)?;
        let kind = event.name.kind();
        let fired_by = match kind {
            EventKind::SessionStart => Some("open"),
            EventKind::SessionEnd => Some("end"),
            _ => None,
        };
        if let Some(operation) = fired_by {
            let message = format!("`{kind}` cannot be fired: `{operation}` does it");
            return Err(RequestError::new(ErrorCode::BadRequest, message));
        }
        let event = if kind == EventKind::TurnEnd { self.with_logs(event) } else { event };
        let outcome = self.hooks.runtime.fire_in(&event, &self.scope);
        if kind == EventKind::TurnEnd {
            self.hooks.runtime.tape().iter().for_each(|tape| tape.record_checkpoint(1));
            self.begin_next_turn();
        }
        Ok(FiredEventAnswer::new(&event, outcome))
    }

    /// Adds what scripts logged in the turn that ends.
    fn with_logs(&self, event: Event) -> Event {
        let lines: Vec<LogLine> = self.scope.logs.take_lines().into_iter().map(LogLine::from).collect();
        let mut payload = event.payload.value().clone();
        if let (Some(fields), Ok(lines)) = (payload.as_object_mut(), serde_json::to_value(lines)) {
            fields.insert(String::from("logs"), lines);
        }
        Event::new(event.name, payload, event.origin)
    }

    pub(super) fn begin_next_turn(&mut self) {
        self.turns = self.turns.saturating_add(1);
        self.origin = Arc::new(Origin { turn: self.turns.saturating_add(1), ..(*self.origin).clone() });
        self.scope = EventScope { overlay: Arc::clone(&self.hooks.overlay), ..EventScope::default() };
    }

    /// Asks all hooks about a tool call.
    pub(super) fn decide(&mut self, call: RequestedCall) -> Result<DecidedCallAnswer, RequestError> {
        let request = to_call_request(call)?;
        if self.calls.iter().any(|open| open.request.id == request.id) {
            let message = format!("call `{}` is neither refused nor concluded", request.id);
            return Err(RequestError::new(ErrorCode::CallInUse, message)
                .help("pass on the user's response with `approve` or the result with `conclude`, or use another ID"));
        }
        let (name, args) = (request.name.clone(), request.args.clone());
        let checked = match self.hooks.runtime.check_tool_call(request, &self.origin, &self.scope) {
            Ok(checked) => checked,
            Err(refusal) => return Ok(refused(StepRefusal::from(&refusal), HookRemarks::default())),
        };
        let CheckedToolCall { call: request, open_asks, remarks } = checked;
        let is_rewritten = name != request.name || args != request.args;
        let open = ServedCall { request, is_rewritten, open_asks };
        let answer = match open.open_asks.is_empty() {
            true => runnable(&open, remarks),
            false => open.to_approval_request(remarks),
        };
        self.calls.push_back(open);
        while self.calls.len() > MAX_OPEN_CALLS {
            self.calls.pop_front();
        }
        Ok(answer)
    }

    /// Takes the user's response to an approval request.
    pub(super) fn approve(&mut self, request: &ApproveCallRequest) -> Result<DecidedCallAnswer, RequestError> {
        let asked = |open: &ServedCall| open.request.id == request.call && !open.open_asks.is_empty();
        let Some(index) = self.calls.iter().position(asked) else {
            let message = format!("no approval request of call `{}` is open", request.call);
            return Err(RequestError::new(ErrorCode::UnknownCall, message)
                .help("`decide` says whether there is one; it has one response"));
        };
        let Some(open) = self.calls.get_mut(index) else { return Err(internal()) };
        let asks = std::mem::take(&mut open.open_asks);
        let approver = request.by.clone().unwrap_or_else(|| String::from("user"));
        let decision = request.decision;
        let payload = open.to_reply(decision, PermissionBasis::Once, approver);
        self.fire_payload(&payload);
        // The response is on the tape before the host acts on it, or it does not count.
        let lost = self.hooks.runtime.tape().and_then(|tape| tape.error_text());
        let reason = match (decision, lost) {
            (UserResponse::Allow, None) => {
                return self.calls.get(index).map(|open| runnable(open, HookRemarks::default())).ok_or_else(internal);
            }
            (UserResponse::Allow, Some(error)) => format!("the user's response cannot be recorded: {error}"),
            (UserResponse::Deny, _) => String::from("the user refused this call"),
        };
        self.calls.remove(index);
        let event = asks.first().map_or(EventKind::ToolPre, Refusal::event);
        let refusal = StepRefusal { event: event.name().to_owned(), reason, hooks: Vec::new(), stops_run: false };
        Ok(refused(refusal, HookRemarks::default()))
    }

    /// Takes a call that was allowed, and is to be concluded.
    pub(super) fn take_call(&mut self, id: &str) -> Result<ToolCallRequest, RequestError> {
        let Some(index) = self.calls.iter().position(|open| open.request.id == id) else {
            let message = format!("no call `{id}` was allowed, or it is concluded already");
            return Err(RequestError::new(ErrorCode::UnknownCall, message).help("ask with `decide` before a tool runs"));
        };
        if self.calls.get(index).is_none_or(|open| !open.open_asks.is_empty()) {
            let message = format!("call `{id}` was not approved, so it must not have run");
            return Err(RequestError::new(ErrorCode::NotApproved, message).help("ask the user, and use `approve`"));
        }
        Ok(self.calls.remove(index).ok_or_else(internal)?.request)
    }

    /// Forgets a call that does not run.
    pub(super) fn forget_call(&mut self, id: &str) {
        self.calls.retain(|open| open.request.id != id);
    }

    /// Shows all hooks the result of a call that was taken.
    pub(super) fn review_result(&self, call: &ToolCallRequest, result: ToolResult) -> ReviewedToolResult {
        self.hooks.runtime.review_tool_result(call, result, &self.origin, &self.scope)
    }

    /// Shows all hooks the result of a call.
    pub(super) fn conclude(&mut self, request: &ConcludeCallRequest) -> Result<ConcludedCallAnswer, RequestError> {
        let call = self.take_call(&request.call)?;
        let result = ToolResult::from_content(&call.id, &call.name, &request.result.content, request.result.is_error);
        let reviewed = self.review_result(&call, result);
        Ok(ConcludedCallAnswer {
            result: ModelToolResult { content: reviewed.result.content, is_error: reviewed.result.is_error },
            stop_reason: reviewed.stop_reason,
            context: reviewed.remarks.context,
            notices: reviewed.remarks.notices,
        })
    }

    /// Ends the session. Approval requests without a response are refused.
    pub(super) fn end(mut self, reason: &str) -> EndedSessionAnswer {
        for open in std::mem::take(&mut self.calls).iter().filter(|open| !open.open_asks.is_empty()) {
            let reply = open.to_reply(UserResponse::Deny, PermissionBasis::Unavailable, String::new());
            self.fire_payload(&reply);
        }
        let turns = self.turns;
        self.close(reason);
        EndedSessionAnswer { turns }
    }

    fn close(self, reason: &str) {
        let duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let end = SessionEnd { reason: reason.to_owned(), turns: self.turns, duration_ms, ..SessionEnd::default() };
        self.fire_payload(&end);
        if let Some(tape) = self.hooks.runtime.tape() {
            tape.close();
        }
    }

    /// Fires an event that no hook can deny.
    fn fire_payload<P: EventPayload>(&self, payload: &P) {
        let _ = self.hooks.runtime.fire_in(&Event::from_payload(payload, Arc::clone(&self.origin)), &self.scope);
    }
}

impl ServedCall {
    fn to_runnable(&self) -> RunnableCall {
        let ToolCallRequest { id, name, args, .. } = &self.request;
        RunnableCall { id: id.clone(), name: name.clone(), args: args.clone(), rewritten: self.is_rewritten }
    }

    fn to_approval_request(&self, remarks: HookRemarks) -> DecidedCallAnswer {
        let reasons = self.open_asks.iter().map(|ask| ask.reason().to_owned()).collect();
        let hooks = self.open_asks.iter().flat_map(Refusal::hooks).map(|hook| hook.as_str().to_owned()).collect();
        let request = CallApprovalRequest { call: self.to_runnable(), reasons, hooks };
        DecidedCallAnswer { approval_request: Some(request), ..decided(DecisionWord::Ask, remarks) }
    }

    fn to_reply(&self, decision: UserResponse, basis: PermissionBasis, approver: String) -> PermissionReply {
        let call = &self.request;
        PermissionReply {
            id: call.id.clone(),
            name: call.name.clone(),
            decision: String::from(if decision == UserResponse::Allow { "allow" } else { "deny" }),
            source: basis.source().to_owned(),
            reason: approver,
            detail: basis,
            args: Some(call.args.clone()),
            facts: call.facts(EventKind::PermissionReply),
            ..PermissionReply::default()
        }
    }
}

fn decided(decision: DecisionWord, remarks: HookRemarks) -> DecidedCallAnswer {
    let HookRemarks { context, notices } = remarks;
    DecidedCallAnswer { decision, call: None, approval_request: None, refusal: None, context, notices }
}

fn runnable(open: &ServedCall, remarks: HookRemarks) -> DecidedCallAnswer {
    DecidedCallAnswer { call: Some(open.to_runnable()), ..decided(DecisionWord::Allow, remarks) }
}

fn refused(refusal: StepRefusal, remarks: HookRemarks) -> DecidedCallAnswer {
    DecidedCallAnswer { refusal: Some(refusal), ..decided(DecisionWord::Deny, remarks) }
}

impl From<&Refusal> for StepRefusal {
    fn from(refusal: &Refusal) -> Self {
        Self {
            event: refusal.event().name().to_owned(),
            reason: refusal.reason().to_owned(),
            hooks: refusal.hooks().iter().map(|hook| hook.as_str().to_owned()).collect(),
            stops_run: refusal.stops_run(),
        }
    }
}

/// The error for what cannot happen.
pub(super) fn internal() -> RequestError {
    RequestError::new(ErrorCode::Internal, "the request could not be finished")
}

/// Checks an ID of the host.
pub(super) fn check_id(field: &str, id: &str) -> Result<(), RequestError> {
    if id.is_empty() || id.len() > MAX_ID_CHARS || id.chars().any(char::is_control) {
        let message = format!("`{field}` is empty, longer than {MAX_ID_CHARS} bytes, or has control characters");
        return Err(RequestError::new(ErrorCode::BadRequest, message));
    }
    Ok(())
}

fn to_call_request(call: RequestedCall) -> Result<ToolCallRequest, RequestError> {
    check_id("id", &call.id)?;
    let args = Value::Object(call.args);
    let vocabulary = match &call.vocabulary {
        Some(name) => vocabulary_by_name(name).ok_or_else(|| {
            let known: Vec<&str> = VOCABULARIES.iter().map(|vocabulary| vocabulary.name).collect();
            RequestError::new(ErrorCode::UnknownVocabulary, "no tool vocabulary has this name")
                .help(format!("the vocabularies are {}", known.join(", ")))
        })?,
        None => caller_of(&Payload::new(json!({"name": call.name, "args": args}))),
    };
    let (permission_mode, read_only, cwd) = (call.permission_mode, call.read_only, call.cwd);
    Ok(ToolCallRequest {
        permission_mode,
        read_only,
        cwd,
        ..ToolCallRequest::new(call.id, vocabulary, call.name, args)
    })
}

/// Builds the event of a request, with what a host finds out about a tool call.
fn to_event(hooks: &ServedHooks, name: &str, mut payload: Value, origin: &Arc<Origin>) -> Result<Event, RequestError> {
    let shown: String = name.chars().take(MAX_ID_CHARS).collect();
    let name = EventName::parse(&shown).map_err(|error| {
        RequestError::new(ErrorCode::UnknownEvent, error.to_string()).help("`pintle events` lists them")
    })?;
    if let Some(fields) = payload.as_object_mut().filter(|_| name.def().is_about_tool_call()) {
        fields.retain(|field, _| !OWN_FACTS.iter().chain(&CallFacts::WORKED_OUT).any(|own| own == field));
    }
    let fits = name.complete(&mut payload).and_then(|()| check_payload(&name, &payload));
    fits.map_err(|error| {
        RequestError::new(ErrorCode::BadPayload, format!("the payload is not valid for `{name}`: {error}"))
            .help(format!("`pintle events {name}` shows an example payload"))
    })?;
    Ok(hooks.runtime.complete_event(Cow::Owned(Event::new(name, payload, Arc::clone(origin)))).into_owned())
}

/// Predicts which hooks would run for an event.
pub(super) fn explain_event(
    hooks: &ServedHooks,
    request: ExplainEventRequest,
    cwd: &str,
) -> Result<ExplainedEventAnswer, RequestError> {
    let origin = Arc::new(Origin { cwd: cwd.to_owned(), ..Origin::default() });
    let event = to_event(hooks, &request.event, request.payload, &origin)?;
    let set = hooks.runtime.hooks().with_chains(hooks.overlay.chains().iter().cloned());
    let explained = explain(&set, &event).into_iter().map(|hook| ExplainedHook {
        hook: hook.hook.as_str().to_owned(),
        runs: hook.prediction.is_yes(),
        reason: hook.prediction.to_string(),
        event: hook.event.as_str().to_owned(),
        layer: hook.layer.to_string(),
        priority: hook.priority,
        path: hook.location.path().map(|path| path.display().to_string()),
    });
    Ok(ExplainedEventAnswer { event: event.name.as_str().to_owned(), hooks: explained.collect() })
}

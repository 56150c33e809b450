//! A proxy between an MCP client and an MCP server, which asks hooks about the calls of tools, the reading of resources and
//! the prompts that the client gets.
//!
//! The proxy is a host of [`HostServer`]: each guarded request is decided, approved by the user
//! if hooks ask, and its answer reviewed. Everything else is passed on unread by hooks, byte for byte. What cannot be
//! decided does not reach the server, and what cannot be reviewed does not reach the client.

mod guarded;
mod message;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use globset::GlobSet;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::serving::HostServer;
use crate::serving::protocol::{
    ApproveCallRequest, CallApprovalRequest, ConcludeCallRequest, ConcludedCallAnswer, DecideCallRequest,
    DecidedCallAnswer, DecisionWord, EndSessionRequest, EndedSessionAnswer, ErrorCode, HostRequest, HostToolResult,
    OpenSessionAnswer, OpenSessionRequest, RequestError, RequestedCall, RunnableCall, UserResponse,
};
use guarded::{GuardedMethod, ReviewedText, add_context, read_answer};
use message::{RpcAnswer, RpcId, RpcKind, RpcMessage, RpcProblem, write_answer, write_request};

/// What the IDs of the proxy's own requests begin with. The server can have no such ID.
const OWN_ID: &str = "pintle-ask-";

/// What the methods about tasks begin with.
const TASKS: &str = "tasks/";

/// The session of the hooks. A proxy has one.
const SESSION: &str = "mcp";

/// Most characters of the arguments that the user is shown.
const MAX_SHOWN_CHARS: usize = 4_000;

/// Takes lines, each with its end.
pub type LineSink = Box<dyn Fn(&[u8]) + Send + Sync>;

/// What a proxy is told.
pub struct ProxyOptions {
    /// The name of the server. Hooks know the tools as `mcp__NAME__TOOL`.
    pub name: String,
    /// The tools that the client sees and can call, by their names at the server; all if `None`.
    pub only: Option<GlobSet>,
    /// The tools that it neither sees nor can call.
    pub hidden: GlobSet,
}

/// A proxy. Cheap to clone; clones are the same proxy.
#[derive(Clone)]
pub struct McpProxy(Arc<ProxyShared>);

struct ProxyShared {
    hooks: HostServer,
    options: ProxyOptions,
    to_client: LineSink,
    to_server: LineSink,
    /// Takes what the user should know.
    notify: Box<dyn Fn(&str) + Send + Sync>,
    state: Mutex<ProxyState>,
}

#[derive(Default)]
struct ProxyState {
    /// The requests of the client that are not answered.
    requests: HashMap<RpcId, OpenRequest>,
    /// The calls that the user is asked about, by the ID of the question.
    asks: HashMap<String, GuardedCall>,
    /// Whether the client can ask its user.
    can_ask: bool,
    /// The number of guarded calls so far.
    calls: u64,
    is_server_gone: bool,
}

/// A request that is not answered.
enum OpenRequest {
    /// Its answer is passed on.
    Plain,
    Initialize,
    ListTools,
    /// Hooks or the user decide about it; the server does not know it.
    Deciding {
        is_cancelled: bool,
    },
    /// The server does it.
    Running(SentCall),
}

/// A call that hooks decide about.
struct GuardedCall {
    method: GuardedMethod,
    id: RpcId,
    /// Its ID for the hooks.
    call: String,
    message: RpcMessage,
    line: Vec<u8>,
    context: Vec<String>,
}

/// A call that hooks allowed.
struct SentCall {
    method: GuardedMethod,
    call: String,
    /// What hooks said to the model when they allowed it.
    context: Vec<String>,
}

impl McpProxy {
    /// Opens the session of the hooks.
    ///
    /// # Errors
    /// When the hooks do not load, or one of them denies the session.
    pub fn open(
        hooks: HostServer,
        options: ProxyOptions,
        to_client: LineSink,
        to_server: LineSink,
        notify: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Self, RequestError> {
        let state = Mutex::default();
        let proxy = Self(Arc::new(ProxyShared { hooks, options, to_client, to_server, notify, state }));
        let (sender, receiver) = channel();
        let request = OpenSessionRequest { session: String::from(SESSION), cwd: None, agent: None, source: None };
        proxy.submit(HostRequest::Open(request), 0, move |_, answer| drop(sender.send(answer)));
        let opened: OpenSessionAnswer = receiver.recv().map_err(|_| unreadable())??;
        if !opened.opened {
            let reason = opened.outcome.reason;
            return Err(RequestError::new(ErrorCode::BadRequest, format!("a hook denied the session: {reason}")));
        }
        Ok(proxy)
    }

    /// Takes a line of the client.
    pub fn read_client(&self, line: &[u8]) {
        let message = match RpcMessage::parse(line) {
            Ok(message) => message,
            Err(problem) => return (self.0.to_client)(&write_answer(None, RpcAnswer::Error(problem))),
        };
        match message.kind.clone() {
            RpcKind::Request(id) => self.take_request(id, message, line),
            RpcKind::Notification => self.take_notification(&message, line),
            RpcKind::Answer(id) => self.take_client_answer(&id, &message, line),
        }
    }

    /// Takes a line of the server.
    pub fn read_server(&self, line: &[u8]) {
        let message = match RpcMessage::parse(line) {
            Ok(message) => message,
            Err(problem) => {
                return (self.0.notify)(&format!("a line of the server is left out: {}", problem.message()));
            }
        };
        match message.kind.clone() {
            RpcKind::Request(id) if id.as_text().is_some_and(|id| id.starts_with(OWN_ID)) => {
                let problem = RpcProblem::invalid(format!("the ID of a request cannot begin with `{OWN_ID}`"));
                (self.0.to_server)(&write_answer(Some(&id), RpcAnswer::Error(problem)));
            }
            RpcKind::Request(_) | RpcKind::Notification => (self.0.to_client)(line),
            RpcKind::Answer(id) => self.take_server_answer(id, message, line),
        }
    }

    /// Whether hooks are still deciding about a call.
    #[must_use]
    pub fn is_deciding(&self) -> bool {
        let state = self.lock();
        let is_asked = |id: &RpcId| state.asks.values().any(|call| call.id == *id);
        state.requests.iter().any(|(id, open)| matches!(open, OpenRequest::Deciding { .. }) && !is_asked(id))
    }

    /// Says that a line was too long to be read.
    pub fn skip_long_line(&self, is_from_client: bool) {
        if is_from_client {
            let problem = RpcProblem::invalid("the message is too long");
            (self.0.to_client)(&write_answer(None, RpcAnswer::Error(problem)));
        } else {
            (self.0.notify)("a line of the server is left out: it is too long");
        }
    }

    /// Answers what the server did not.
    pub fn end_server(&self) {
        let mut state = self.lock();
        state.is_server_gone = true;
        let open: Vec<RpcId> = state.requests.drain().map(|(id, _)| id).collect();
        drop(state);
        for id in open {
            self.answer(&id, RpcAnswer::Error(RpcProblem::refused("the MCP server ended")));
        }
    }

    /// Ends the session of the hooks, when nothing more is read.
    pub fn close(&self) {
        let request = EndSessionRequest { session: String::from(SESSION), reason: Some(String::from("exit")) };
        self.submit(HostRequest::End(request), 0, |_, _: Result<EndedSessionAnswer, RequestError>| {});
        self.0.hooks.close();
    }

    fn lock(&self) -> MutexGuard<'_, ProxyState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, id: &RpcId, answer: RpcAnswer) {
        (self.0.to_client)(&write_answer(Some(id), answer));
    }

    /// Sends a request to the hooks. `size_bytes` is that of the message that it comes from.
    fn submit<A: DeserializeOwned>(
        &self,
        request: HostRequest,
        size_bytes: usize,
        done: impl FnOnce(Self, Result<A, RequestError>) + Send + 'static,
    ) {
        let proxy = self.clone();
        let send = move |result: Result<Value, RequestError>| {
            done(proxy, result.and_then(|answer| serde_json::from_value(answer).map_err(|_| unreadable())));
        };
        self.0.hooks.submit_request(request, size_bytes, Box::new(move |answer| send(answer.result)));
    }

    fn tell(&self, notices: &[String]) {
        notices.iter().for_each(|notice| (self.0.notify)(notice));
    }

    fn take_request(&self, id: RpcId, message: RpcMessage, line: &[u8]) {
        let method = message.method().to_owned();
        let params = message.params();
        let guarded = GuardedMethod::find(&method);
        let starts_task = guarded.is_some() && params.is_some_and(|params| params.contains_key("task"));
        let open = match (guarded, method.as_str()) {
            // The result of a task comes later, by another request.
            _ if starts_task || method.starts_with(TASKS) => {
                return self.answer(&id, RpcAnswer::Error(RpcProblem::invalid("tasks are not passed on")));
            }
            (Some(_), _) => OpenRequest::Deciding { is_cancelled: false },
            (None, "initialize") => OpenRequest::Initialize,
            (None, "tools/list") => OpenRequest::ListTools,
            (None, _) => OpenRequest::Plain,
        };
        let mut state = self.lock();
        if state.is_server_gone {
            drop(state);
            return self.answer(&id, RpcAnswer::Error(RpcProblem::refused("the MCP server ended")));
        }
        if method == "initialize" {
            let elicitation = params.and_then(|params| params.get("capabilities")?.get("elicitation")?.as_object());
            state.can_ask = elicitation.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"));
        }
        match state.requests.entry(id.clone()) {
            Entry::Occupied(_) => {
                drop(state);
                let problem = RpcProblem::invalid("another request with this ID is open");
                return self.answer(&id, RpcAnswer::Error(problem));
            }
            Entry::Vacant(entry) => drop(entry.insert(open)),
        }
        drop(state);
        match guarded {
            Some(method) => self.decide(method, id, message, line.to_vec()),
            None => (self.0.to_server)(line),
        }
    }

    fn take_notification(&self, message: &RpcMessage, line: &[u8]) {
        // A server could do what it is told without an ID, too.
        if GuardedMethod::find(message.method()).is_some() || message.method().starts_with(TASKS) {
            let problem = RpcProblem::invalid("the message is a request without an ID");
            return (self.0.to_client)(&write_answer(None, RpcAnswer::Error(problem)));
        }
        if message.method() == "notifications/cancelled"
            && let Some(id) = message.params().and_then(|params| RpcId::read(params.get("requestId")?))
            && let Some(OpenRequest::Deciding { is_cancelled }) = self.lock().requests.get_mut(&id)
        {
            *is_cancelled = true;
            return;
        }
        (self.0.to_server)(line);
    }

    fn take_client_answer(&self, id: &RpcId, message: &RpcMessage, line: &[u8]) {
        let Some(own) = id.as_text().filter(|id| id.starts_with(OWN_ID)) else { return (self.0.to_server)(line) };
        // A second answer means nothing.
        let Some(call) = self.lock().asks.remove(&own) else { return };
        let result = message.fields.get("result");
        let accepts = |result: &&Value| {
            result.get("action").is_some_and(|action| action == "accept")
                && result.pointer("/content/decision").is_some_and(|decision| decision == "allow")
        };
        let decision = if result.filter(accepts).is_some() { UserResponse::Allow } else { UserResponse::Deny };
        self.approve(call, decision, "user of the MCP client", |proxy, call, result| proxy.take_decision(call, result));
    }

    fn approve(
        &self,
        call: GuardedCall,
        decision: UserResponse,
        approver: &str,
        done: impl FnOnce(Self, GuardedCall, Result<DecidedCallAnswer, RequestError>) + Send + 'static,
    ) {
        let (session, by) = (String::from(SESSION), Some(approver.to_owned()));
        let request = ApproveCallRequest { session, call: call.call.clone(), decision, by };
        self.submit(HostRequest::Approve(request), 0, move |proxy, result| done(proxy, call, result));
    }

    /// Asks the hooks about a call.
    fn decide(&self, method: GuardedMethod, id: RpcId, message: RpcMessage, line: Vec<u8>) {
        let nothing = Map::new();
        let (tool, args) = match method.read_call(message.params().unwrap_or(&nothing)) {
            Ok(call) => call,
            Err(problem) => return self.settle(&id, RpcAnswer::Error(problem)),
        };
        if method == GuardedMethod::CallTool && !self.0.options.shows(&tool) {
            let problem = RpcProblem::invalid_params(format!("unknown tool: {tool}"));
            return self.settle(&id, RpcAnswer::Error(problem));
        }
        let mut state = self.lock();
        state.calls += 1;
        let call = format!("call_{}", state.calls);
        drop(state);
        let requested = RequestedCall {
            id: call.clone(),
            name: format!("{}{tool}", self.0.options.prefix()),
            args,
            vocabulary: None,
            cwd: None,
            permission_mode: None,
            read_only: None,
        };
        let request = HostRequest::Decide(DecideCallRequest { session: String::from(SESSION), call: requested });
        let size_bytes = line.len();
        let call = GuardedCall { method, id, call, message, line, context: Vec::new() };
        self.submit(request, size_bytes, move |proxy, result| proxy.take_decision(call, result));
    }

    /// Answers a request that the server does not get.
    fn settle(&self, id: &RpcId, answer: RpcAnswer) {
        let open = self.lock().requests.remove(id);
        // A client that cancelled a request does not wait for its answer.
        if !matches!(open, None | Some(OpenRequest::Deciding { is_cancelled: true })) {
            self.answer(id, answer);
        }
    }

    fn take_decision(&self, mut call: GuardedCall, result: Result<DecidedCallAnswer, RequestError>) {
        let decided = match result {
            Ok(decided) => decided,
            Err(error) => {
                let reason = format!("Pintle could not decide about this call, so it did not run: {}", error.message);
                return self.settle(&call.id, call.method.refuse(reason));
            }
        };
        self.tell(&decided.notices);
        call.context.extend(decided.context);
        match (decided.decision, decided.call, decided.approval_request) {
            (DecisionWord::Allow, Some(runnable), _) => self.run(call, &runnable),
            (DecisionWord::Ask, _, Some(approval_request)) => self.ask(call, &approval_request),
            _ => {
                let reason = decided.refusal.map_or_else(|| String::from("a hook refused this call"), |why| why.reason);
                self.settle(&call.id, call.method.refuse(reason));
            }
        }
    }

    /// Lets the user of the client decide. Without one the call does not run.
    fn ask(&self, call: GuardedCall, approval_request: &CallApprovalRequest) {
        let reasons = approval_request.reasons.join("\n");
        let mut state = self.lock();
        if !state.can_ask {
            drop(state);
            let reason = format!("this call needs the approval of the user, whom the MCP client cannot ask: {reasons}");
            return self.approve(call, UserResponse::Deny, "no user", move |proxy, call, _| {
                proxy.settle(&call.id, call.method.refuse(reason));
            });
        }
        let (name, args) = (Value::from(approval_request.call.name.as_str()), approval_request.call.args.to_string());
        let id = format!("{OWN_ID}{}", call.call);
        let request = json!({
            "message": format!("{reasons}\n\nMay this call run?\n{name} {}", shorten(&args)),
            "requestedSchema": {
                "type": "object",
                "properties": {"decision": {"type": "string", "title": "Decision", "enum": ["allow", "deny"]}},
                "required": ["decision"],
            },
        });
        state.asks.insert(id.clone(), call);
        drop(state);
        (self.0.to_client)(&write_request(&id, "elicitation/create", &request));
    }

    /// Passes an allowed call on as hooks left it.
    fn run(&self, mut call: GuardedCall, runnable: &RunnableCall) {
        if runnable.rewritten && self.rewrite(&mut call, runnable).is_none() {
            let reason = "a hook changed this call to one that its MCP server does not have, so it did not run";
            self.conclude_unsent(&call.call);
            return self.settle(&call.id, call.method.refuse(String::from(reason)));
        }
        let GuardedCall { method, id, call, line, context, .. } = call;
        let mut state = self.lock();
        match state.requests.get_mut(&id) {
            Some(open @ OpenRequest::Deciding { is_cancelled: false }) => {
                *open = OpenRequest::Running(SentCall { method, call, context });
                drop(state);
                (self.0.to_server)(&line);
            }
            // The client cancelled it, or the server ended.
            _ => {
                state.requests.remove(&id);
                drop(state);
                self.conclude_unsent(&call);
            }
        }
    }

    fn rewrite(&self, call: &mut GuardedCall, runnable: &RunnableCall) -> Option<()> {
        let name = runnable.name.strip_prefix(&self.0.options.prefix())?;
        if call.method == GuardedMethod::CallTool && !self.0.options.shows(name) {
            return None;
        }
        let params = call.message.fields.get_mut("params")?.as_object_mut()?;
        call.method.write_call(params, name, &runnable.args)?;
        call.line = call.message.to_line();
        Some(())
    }

    /// Tells the hooks that an allowed call did not run.
    fn conclude_unsent(&self, call: &str) {
        let given = ReviewedText { text: String::from("the call did not run"), is_error: true };
        self.conclude(call, given, |_, _| {});
    }

    fn conclude(
        &self,
        call: &str,
        reviewed: ReviewedText,
        done: impl FnOnce(Self, Result<ConcludedCallAnswer, RequestError>) + Send + 'static,
    ) {
        let size_bytes = reviewed.text.len();
        let result = HostToolResult { content: reviewed.text, is_error: reviewed.is_error };
        let request = ConcludeCallRequest { session: String::from(SESSION), call: call.to_owned(), result };
        self.submit(HostRequest::Conclude(request), size_bytes, done);
    }

    fn take_server_answer(&self, id: RpcId, message: RpcMessage, line: &[u8]) {
        let mut state = self.lock();
        let open = match state.requests.entry(id.clone()) {
            Entry::Occupied(entry) if !matches!(entry.get(), OpenRequest::Deciding { .. }) => Some(entry.remove()),
            _ => None,
        };
        drop(state);
        match open {
            None => (self.0.notify)("an answer of the server is left out: nothing asked for it"),
            Some(OpenRequest::Running(call)) => self.review(id, call, message, line.to_vec()),
            Some(OpenRequest::Initialize) => {
                self.pass_changed(message, line, |result| {
                    let capabilities = result.get_mut("capabilities").and_then(Value::as_object_mut);
                    capabilities.is_some_and(|known| known.shift_remove("tasks").is_some())
                });
            }
            Some(OpenRequest::ListTools) => self.pass_changed(message, line, |result| {
                let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut) else { return false };
                let count = tools.len();
                tools.retain(|tool| {
                    tool.get("name").and_then(Value::as_str).is_none_or(|name| self.0.options.shows(name))
                });
                tools.len() < count
            }),
            Some(_) => (self.0.to_client)(line),
        }
    }

    /// Passes an answer on, written again if its result was changed.
    fn pass_changed(&self, mut message: RpcMessage, line: &[u8], change: impl FnOnce(&mut Value) -> bool) {
        match message.fields.get_mut("result").is_some_and(change) {
            true => (self.0.to_client)(&message.to_line()),
            false => (self.0.to_client)(line),
        }
    }

    /// Shows the hooks the answer to a call, and passes on what they leave.
    fn review(&self, id: RpcId, sent: SentCall, message: RpcMessage, line: Vec<u8>) {
        let SentCall { method, call, mut context } = sent;
        let given = read_answer(&message.fields);
        self.conclude(&call, given.clone(), move |proxy, result| {
            let concluded = match result {
                Ok(concluded) => concluded,
                Err(error) => {
                    let reason = format!("Pintle could not review this result, so it is withheld: {}", error.message);
                    return proxy.answer(&id, method.refuse(reason));
                }
            };
            proxy.tell(&concluded.notices);
            context.extend(concluded.context.into_iter().chain(concluded.stop_reason));
            let left = ReviewedText { text: concluded.result.content, is_error: concluded.result.is_error };
            if left == given && context.is_empty() {
                return (proxy.0.to_client)(&line);
            }
            match add_context(&message.fields, &context).filter(|_| left == given) {
                Some(fields) => (proxy.0.to_client)(&RpcMessage { fields, kind: message.kind }.to_line()),
                None => proxy.answer(&id, method.replace_answer(&message.fields, &left, &context)),
            }
        });
    }
}

impl ProxyOptions {
    fn prefix(&self) -> String {
        format!("mcp__{}__", self.name)
    }

    /// Whether the client sees a tool.
    fn shows(&self, tool: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(tool)) && !self.hidden.is_match(tool)
    }
}

fn unreadable() -> RequestError {
    RequestError::new(ErrorCode::Internal, "the hooks gave no answer")
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => {
            let (shown, rest) = text.split_at_checked(end).unwrap_or((text, ""));
            format!("{shown}… ({} more characters)", rest.chars().count())
        }
    }
}

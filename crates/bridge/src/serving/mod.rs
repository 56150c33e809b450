//! Hosts in other languages, which send requests to one process: `pintle serve --stdio` and `--http`.
//!
//! [`protocol`] has the requests and answers. A transport gives each request to [`HostServer::submit`] with a function that
//! sends the answer. Each session has a thread of its own: the requests of a session are done one after the other, in the
//! order in which they were submitted, and those of different sessions at the same time.

pub mod interceptor;
pub mod protocol;
mod session;

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pintle_host::contract::MAX_PAYLOAD_BYTES;
use pintle_host::{HookOverlay, Runtime};
use serde::Serialize;
use serde_json::{Value, json};

use protocol::{
    ErrorCode, HelloAnswer, HostRequest, OPERATIONS, OpenSessionRequest, PROTOCOL_VERSION, RequestError, ServerLimits,
    read_request,
};
use session::{ServedSession, check_id, explain_event, internal};

/// Most sessions that are open at the same time; each has a thread.
const MAX_SESSIONS: usize = 256;

/// Most requests that wait at the same time, over all sessions.
const MAX_WAITING: usize = 1_024;

/// Most bytes of the requests that wait.
const MAX_WAITING_BYTES: usize = 4 * MAX_PAYLOAD_BYTES;

/// The stack of a session's thread: that of a main thread, on which hooks also run.
const STACK_BYTES: usize = 8 << 20;

/// The hooks of one session.
#[derive(Debug, Clone)]
pub struct ServedHooks {
    /// The runtime, with the tape of the session if it has one.
    pub runtime: Arc<Runtime>,
    /// The hooks of the loaded agent.
    pub overlay: Arc<HookOverlay>,
    /// The name of the loaded agent.
    pub agent: String,
}

/// Loads the hooks of a session, of which it gets the ID. What scripts keep belongs to one session, so each session has a
/// runtime of its own.
pub type LoadHooks = Box<dyn Fn(&str) -> Result<ServedHooks, RequestError> + Send + Sync>;

/// Sends an answer to the host.
pub type SendAnswer = Box<dyn FnOnce(HostAnswer) + Send>;

/// The answer to a request.
#[derive(Debug)]
pub struct HostAnswer {
    /// The ID of the request; `null` if it has none.
    pub id: Value,
    /// The result, or why the request was not done.
    pub result: Result<Value, RequestError>,
}

impl HostAnswer {
    /// The answer as the host gets it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.result {
            Ok(result) => json!({"id": self.id, "result": result}),
            Err(error) => json!({"id": self.id, "error": error}),
        }
    }
}

/// Serves the requests of hosts. Cheap to clone; clones are the same server.
#[derive(Clone)]
pub struct HostServer(Arc<ServerState>);

struct ServerState {
    load_hooks: LoadHooks,
    /// The hooks that were loaded at the start, for requests outside of sessions.
    hooks: ServedHooks,
    cwd: String,
    /// After this time without a request a session ends; `None` if it stays open.
    idle: Option<Duration>,
    activity: Mutex<ServerActivity>,
    is_changed: Condvar,
}

/// What the server does at the moment.
#[derive(Default)]
struct ServerActivity {
    /// The open sessions by their IDs.
    sessions: HashMap<String, SessionQueue>,
    /// The number of all sessions so far.
    opened: u64,
    /// The number of threads of sessions, among them those that are ending.
    threads: usize,
    waiting: usize,
    waiting_bytes: usize,
}

/// The requests of a session.
struct SessionQueue {
    number: u64,
    sender: Sender<QueuedRequest>,
}

struct QueuedRequest {
    request: HostRequest,
    pending: PendingAnswer,
}

/// A request that waits for its answer. It gets one whatever happens.
struct PendingAnswer {
    server: Arc<ServerState>,
    id: Value,
    bytes: usize,
    send: Option<SendAnswer>,
}

impl PendingAnswer {
    fn send(mut self, result: Result<Value, RequestError>) {
        self.send_once(result);
    }

    fn send_once(&mut self, result: Result<Value, RequestError>) {
        if let Some(send) = self.send.take() {
            send(HostAnswer { id: std::mem::take(&mut self.id), result });
        }
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        self.send_once(Err(internal()));
        let mut activity = self.server.lock();
        activity.waiting = activity.waiting.saturating_sub(1);
        activity.waiting_bytes = activity.waiting_bytes.saturating_sub(self.bytes);
        drop(activity);
        self.server.is_changed.notify_all();
    }
}

/// Counts the thread of a session, which leaves the table when the thread ends, however it does.
struct SessionThread {
    server: Arc<ServerState>,
    id: String,
    number: u64,
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        self.server.forget_session(&self.id, self.number);
        let mut activity = self.server.lock();
        activity.threads = activity.threads.saturating_sub(1);
        drop(activity);
        self.server.is_changed.notify_all();
    }
}

impl HostServer {
    /// Starts to serve with hooks that are loaded already. `cwd` is the directory of sessions that name none.
    #[must_use]
    pub fn new(hooks: ServedHooks, cwd: String, idle: Option<Duration>, load_hooks: LoadHooks) -> Self {
        let (activity, is_changed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(ServerState { load_hooks, hooks, cwd, idle, activity, is_changed }))
    }

    /// Takes a request, whose answer is sent when it is done. `operation` is its operation, if the transport says it.
    pub fn submit(&self, text: &[u8], operation: Option<&str>, send: SendAnswer) {
        self.take_request(text.len(), || read_request(text, operation), send);
    }

    /// Takes a request of a host in this process. `size_bytes` is what it has in memory.
    pub fn submit_request(&self, request: HostRequest, size_bytes: usize, send: SendAnswer) {
        self.take_request(size_bytes, || (Value::Null, Ok(request)), send);
    }

    fn take_request(
        &self,
        size_bytes: usize,
        read: impl FnOnce() -> (Value, Result<HostRequest, RequestError>),
        send: SendAnswer,
    ) {
        let mut activity = self.0.lock();
        let is_full =
            activity.waiting >= MAX_WAITING || activity.waiting_bytes.saturating_add(size_bytes) > MAX_WAITING_BYTES;
        if !is_full {
            activity.waiting += 1;
            activity.waiting_bytes += size_bytes;
        }
        drop(activity);
        let (id, request) = read();
        if is_full {
            let error = RequestError::new(ErrorCode::TooManyRequests, "too many requests wait");
            let result = Err(error.help("send it again when others are answered"));
            return send(HostAnswer { id, result });
        }
        let pending = PendingAnswer { server: Arc::clone(&self.0), id, bytes: size_bytes, send: Some(send) };
        match request {
            Err(error) => pending.send(Err(error)),
            Ok(HostRequest::Hello(_)) => pending.send(to_result(Ok(self.0.hello()))),
            Ok(HostRequest::Explain(request)) => {
                let server = Arc::clone(&self.0);
                let explain = move || pending.send(to_result(explain_event(&server.hooks, request, &server.cwd)));
                // A thread that cannot be started drops the request, which answers it.
                let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(explain);
            }
            Ok(HostRequest::Open(request)) => self.0.open_session(request, pending),
            Ok(request) => self.0.queue_request(request, pending),
        }
    }

    /// Does what was submitted, ends all sessions, and returns when that is done. Nothing may be submitted any more.
    pub fn close(&self) {
        let mut activity = self.0.lock();
        // Without a sender a session ends after its last request.
        activity.sessions.clear();
        while activity.threads > 0 || activity.waiting > 0 {
            activity = self.0.is_changed.wait(activity).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl ServerState {
    fn lock(&self) -> MutexGuard<'_, ServerActivity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hello(&self) -> HelloAnswer {
        HelloAnswer {
            pintle: String::from(env!("CARGO_PKG_VERSION")),
            protocol: PROTOCOL_VERSION,
            operations: OPERATIONS.iter().map(|name| String::from(*name)).collect(),
            hooks: self.hooks.runtime.hooks().hooks().count(),
            limits: ServerLimits {
                request_bytes: MAX_PAYLOAD_BYTES,
                sessions: MAX_SESSIONS,
                waiting_requests: MAX_WAITING,
                open_calls: session::MAX_OPEN_CALLS,
            },
        }
    }

    fn open_session(self: &Arc<Self>, request: OpenSessionRequest, pending: PendingAnswer) {
        let is_relative = |dir: &String| !std::path::Path::new(dir).is_absolute();
        let checked = check_id("session", &request.session).and_then(|()| match &request.cwd {
            Some(dir) if is_relative(dir) => {
                Err(RequestError::new(ErrorCode::BadRequest, "`cwd` is not an absolute path"))
            }
            _ => Ok(()),
        });
        if let Err(error) = checked {
            return pending.send(Err(error));
        }
        let mut activity = self.lock();
        let error = if activity.sessions.contains_key(&request.session) {
            let error = RequestError::new(ErrorCode::SessionInUse, "a session with this ID is open");
            Some(error.help("end it, or use another ID"))
        } else if activity.threads >= MAX_SESSIONS {
            let error = RequestError::new(ErrorCode::TooManySessions, format!("{MAX_SESSIONS} sessions are open"));
            Some(error.help("end those that are over"))
        } else {
            None
        };
        if let Some(error) = error {
            drop(activity);
            return pending.send(Err(error));
        }
        let (sender, receiver) = channel();
        activity.opened += 1;
        activity.threads += 1;
        let number = activity.opened;
        activity.sessions.insert(request.session.clone(), SessionQueue { number, sender });
        drop(activity);
        let thread = SessionThread { server: Arc::clone(self), id: request.session.clone(), number };
        let run = move || thread.server.run_session(&thread, &request, pending, &receiver);
        // A thread that cannot be started drops the request, which answers it.
        let _ = thread::Builder::new().name(String::from("session")).stack_size(STACK_BYTES).spawn(run);
    }

    /// Gives a request to the session that it names.
    fn queue_request(&self, request: HostRequest, pending: PendingAnswer) {
        let id = match &request {
            HostRequest::Fire(request) => &request.session,
            HostRequest::Decide(request) => &request.session,
            HostRequest::Approve(request) => &request.session,
            HostRequest::Conclude(request) => &request.session,
            HostRequest::End(request) => &request.session,
            HostRequest::Hello(_) | HostRequest::Open(_) | HostRequest::Explain(_) => {
                return pending.send(Err(internal()));
            }
        };
        let mut activity = self.lock();
        let queue = match &request {
            // What follows is not for this session.
            HostRequest::End(_) => activity.sessions.remove(id).map(|queue| queue.sender),
            _ => activity.sessions.get(id).map(|queue| queue.sender.clone()),
        };
        let unsent = match queue {
            None => Some(pending),
            Some(sender) => {
                sender.send(QueuedRequest { request, pending }).err().map(|SendError(queued)| queued.pending)
            }
        };
        drop(activity);
        if let Some(pending) = unsent {
            pending.send(Err(unknown_session()));
        }
    }

    fn run_session(
        &self,
        thread: &SessionThread,
        request: &OpenSessionRequest,
        pending: PendingAnswer,
        receiver: &Receiver<QueuedRequest>,
    ) {
        let forget = || self.forget_session(&thread.id, thread.number);
        let session = match (self.load_hooks)(&thread.id) {
            Err(error) => {
                forget();
                pending.send(Err(error));
                None
            }
            Ok(hooks) => {
                let (session, answer) = ServedSession::open(hooks, request, &self.cwd);
                if session.is_none() {
                    forget();
                }
                pending.send(to_result(Ok(answer)));
                session
            }
        };
        if let Some(session) = session {
            self.serve_session(session, forget, receiver);
        }
        // What was queued for a session that did not open.
        receiver.try_iter().for_each(|queued| queued.pending.send(Err(unknown_session())));
    }

    fn serve_session(&self, mut session: ServedSession, forget: impl Fn(), receiver: &Receiver<QueuedRequest>) {
        loop {
            let next = match self.idle {
                Some(idle) => receiver.recv_timeout(idle),
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let QueuedRequest { request, pending } = match next {
                Ok(queued) => queued,
                Err(RecvTimeoutError::Timeout) => {
                    // What was sent meanwhile is done all the same.
                    forget();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    session.end("exit");
                    return;
                }
            };
            let result = match request {
                HostRequest::Fire(request) => to_result(session.fire(request)),
                HostRequest::Decide(request) => to_result(session.decide(request.call)),
                HostRequest::Approve(request) => to_result(session.approve(&request)),
                HostRequest::Conclude(request) => to_result(session.conclude(&request)),
                HostRequest::End(request) => {
                    let answer = session.end(request.reason.as_deref().unwrap_or("done"));
                    return pending.send(to_result(Ok(answer)));
                }
                HostRequest::Hello(_) | HostRequest::Open(_) | HostRequest::Explain(_) => Err(internal()),
            };
            pending.send(result);
        }
    }

    /// Removes a session from the table, unless another one has its ID by now. Its thread ends after its last request.
    fn forget_session(&self, id: &str, number: u64) {
        let mut activity = self.lock();
        if activity.sessions.get(id).is_some_and(|queue| queue.number == number) {
            activity.sessions.remove(id);
        }
    }
}

fn unknown_session() -> RequestError {
    RequestError::new(ErrorCode::UnknownSession, "no session with this ID is open").help("open it with `open`")
}

fn to_result(answer: Result<impl Serialize, RequestError>) -> Result<Value, RequestError> {
    serde_json::to_value(answer?).map_err(|_| internal())
}

#[cfg(test)]
mod tests {
    use pintle_host::{EventName, Layer, Verdict, native};

    use super::*;

    #[test]
    fn an_idle_session_is_ended() {
        let (ended, ends) = channel();
        let event = EventName::parse("session.end").unwrap();
        let hook = native::hook("ended", event, move |_| {
            let _ = ended.send(());
            Verdict::pass()
        });
        let hooks = ServedHooks {
            runtime: Runtime::builder().chain(native::chain("test", Layer::Project, [hook])).load().runtime,
            overlay: Arc::new(HookOverlay::new(Vec::new())),
            agent: String::from("root"),
        };
        let idle = Some(Duration::from_millis(1));
        let server = HostServer::new(hooks.clone(), String::from("/"), idle, Box::new(move |_| Ok(hooks.clone())));
        let ask = |request: Value| {
            let (sender, answers) = channel();
            let send = Box::new(move |answer: HostAnswer| drop(sender.send(answer.result)));
            server.submit(request.to_string().as_bytes(), None, send);
            answers.recv().unwrap()
        };
        for _ in 0..2 {
            assert_eq!(ask(json!({"op": "open", "session": "s"})).unwrap()["opened"], true);
            ends.recv().unwrap();
            let error = ask(json!({"op": "fire", "session": "s", "event": "turn.start", "payload": {}})).unwrap_err();
            assert_eq!(error.code, ErrorCode::UnknownSession);
        }
        server.close();
        assert!(ends.try_recv().is_err(), "a session ends once");
    }
}

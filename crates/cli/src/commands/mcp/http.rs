//! MCP servers that are reached over HTTP: the transport "Streamable HTTP" of MCP 2025-06-18.
//!
//! Each line of the client is a POST. Its answer is a body, or events of a stream. A server with a session has one more
//! stream for what it says on its own.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::select;
use parking_lot::Mutex;
use pintle_host::async_runtime::runtime_handle;
use pintle_host::contract::MAX_PAYLOAD_BYTES;
use pintle_host::{build_keyed_client, innermost_text};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use sse_stream::{Sse, SseStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use url::Url;

use super::{GRACE, ServerConnection, ServerOutput};
use crate::error::CliError;
use crate::loopback::is_loopback_host;

/// The header with the session that a server opened.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// The header with the version of the protocol, once both know it.
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The header with the last event that was read of a stream.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may take for what needs no answer. The next message waits for it.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait before a stream that ended is read on, if the server does not say.
const RETRY: Duration = Duration::from_secs(1);
const MAX_RETRY: Duration = Duration::from_secs(30);
/// How often the stream of one answer is read on.
const MAX_RESUMES: u32 = 5;
/// How much of an error page is read.
const ERROR_BYTES: usize = 64 << 10;
/// The error code for a server that gave no answer.
const NO_ANSWER: i64 = -32_000;

/// A server behind an address.
pub(super) struct HttpServer {
    session: Arc<HttpSession>,
    /// The lines of the client; `None` is their end.
    to_send: UnboundedSender<Option<Vec<u8>>>,
    waiting: Mutex<Option<UnboundedReceiver<Option<Vec<u8>>>>>,
    sending: Mutex<Option<JoinHandle<()>>>,
    /// Told when the client has ended.
    ended: Arc<Notify>,
}

/// A line of the server; `None` if it is too long.
type ServerLine = Option<Vec<u8>>;

struct HttpSession {
    url: Url,
    headers: HeaderMap,
    client: Client,
    state: Mutex<HttpSessionState>,
}

#[derive(Default)]
struct HttpSessionState {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// Where lines of the server go, while the session is open.
    lines: Option<Sender<ServerLine>>,
}

/// What identifies a message.
#[derive(Deserialize)]
struct MessageHead {
    id: Option<Value>,
    method: Option<String>,
}

/// What matters here of the answer to `initialize`.
#[derive(Deserialize)]
struct InitializeAnswer {
    result: InitializeResult,
}

#[derive(Deserialize)]
struct InitializeResult {
    #[serde(rename = "protocolVersion")]
    protocol_version: String,
}

/// How far a stream was read.
#[derive(Default)]
struct StreamPosition {
    last_event: Option<HeaderValue>,
    retry: Option<Duration>,
}

impl HttpServer {
    /// Prepares a connection. `variable` reads the environment.
    pub(super) fn new(
        url: Url,
        headers: &[String],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, CliError> {
        // The rest of the address may have a key in it.
        let host = url.host_str().unwrap_or_default();
        let is_local = is_loopback_host(host);
        match url.scheme() {
            "https" => {}
            "http" if is_local => {}
            "http" => {
                let error =
                    CliError::invalid_input(format!("--url: `http://{host}` is neither encrypted nor on this machine"));
                return Err(error.help("use its https address"));
            }
            scheme => {
                return Err(CliError::invalid_input(format!("--url: `{scheme}:` is not the address of an MCP server"))
                    .help("it begins with `https://`, or with `http://localhost`"));
            }
        }
        let mut map = HeaderMap::new();
        for header in headers {
            let (name, value) = parse_header(header, variable)?;
            map.append(name, value);
        }
        let mut client = build_keyed_client(CONNECT).user_agent(concat!("pintle/", env!("CARGO_PKG_VERSION")));
        if is_local {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| CliError::failure(format!("cannot speak HTTP: {error}")))?;
        let (to_send, waiting) = unbounded_channel();
        Ok(Self {
            session: Arc::new(HttpSession { url, headers: map, client, state: Mutex::default() }),
            to_send,
            waiting: Mutex::new(Some(waiting)),
            sending: Mutex::default(),
            ended: Arc::default(),
        })
    }
}

fn parse_header(
    header: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderName, HeaderValue), CliError> {
    let invalid = |message: String| CliError::invalid_input(format!("--header: {message}"));
    let (name, written) =
        header.split_once(':').ok_or_else(|| invalid(String::from("a header is `Name: value`, such as `X-Key: a`")))?;
    let (mut value, mut rest) = (String::new(), written.trim());
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}').ok_or_else(|| invalid(String::from("`${` has no `}`")))?;
        let found = variable(name).ok_or_else(|| invalid(format!("the environment variable `{name}` is not set")))?;
        value.extend([before, &found]);
        rest = behind;
    }
    value.push_str(rest);
    let name = name.trim();
    let known = HeaderName::try_from(name).map_err(|_| invalid(format!("`{name}` is not the name of a header")))?;
    // The value may be a secret, so no message has it.
    let mut value =
        HeaderValue::try_from(value).map_err(|_| invalid(format!("the value of `{name}` is not one of a header")))?;
    value.set_sensitive(true);
    Ok((known, value))
}

impl ServerConnection for HttpServer {
    fn start(&self) -> Result<ServerOutput, CliError> {
        let failed = |reason: String| CliError::failure(format!("cannot speak HTTP: {reason}"));
        let runtime = runtime_handle().map_err(|error| failed(error.to_string()))?;
        let waiting = self.waiting.lock().take().ok_or_else(|| failed(String::from("it is open")))?;
        let (lines, answers) = channel();
        self.session.state.lock().lines = Some(lines);
        let (session, ended) = (Arc::clone(&self.session), Arc::clone(&self.ended));
        *self.sending.lock() = Some(runtime.spawn(async move {
            let grace = async {
                ended.notified().await;
                sleep(GRACE).await;
            };
            // What was sent is waited for no longer than that.
            select(pin!(Arc::clone(&session).send_all(waiting)), pin!(grace)).await;
            session.close().await;
        }));
        Ok(Box::new(move |take| answers.into_iter().for_each(|line: ServerLine| take(line.as_deref()))))
    }

    fn send(&self, line: &[u8]) {
        // It is received until the session is over.
        let _ = self.to_send.send(Some(line.to_vec()));
    }

    fn end_input(&self) {
        let _ = self.to_send.send(None);
        self.ended.notify_one();
    }

    fn finish(&self) -> bool {
        let (sending, runtime) = (self.sending.lock().take(), runtime_handle());
        sending.zip(runtime.ok()).is_some_and(|(sending, runtime)| runtime.block_on(sending).is_ok())
    }
}

impl HttpSession {
    /// Sends the lines of the client in their order. Only requests are not waited for, except for the first.
    async fn send_all(self: Arc<Self>, mut waiting: UnboundedReceiver<Option<Vec<u8>>>) {
        let (mut requests, mut listener) = (JoinSet::new(), JoinSet::new());
        while let Some(Some(line)) = waiting.recv().await {
            let head = serde_json::from_slice(&line).unwrap_or(MessageHead { id: None, method: None });
            let method = head.method.as_deref().unwrap_or_default();
            match head.id {
                Some(id) if method == "initialize" => self.request(&id, &line).await,
                Some(id) if !method.is_empty() => {
                    let session = Arc::clone(&self);
                    requests.spawn(async move { session.request(&id, &line).await });
                }
                _ => {
                    // What needs no answer, and is refused, is of no interest to the client.
                    let posted = timeout(PATIENCE, self.post(&line)).await;
                    let is_taken =
                        posted.is_ok_and(|posted| posted.is_ok_and(|response| response.status().is_success()));
                    if is_taken && method == "notifications/initialized" && listener.is_empty() {
                        listener.spawn(Arc::clone(&self).listen());
                    }
                }
            }
            while requests.try_join_next().is_some() {}
        }
        while requests.join_next().await.is_some() {}
    }

    /// Ends the session. Nothing more is passed on.
    async fn close(&self) {
        if self.state.lock().id.is_some() {
            let _ = timeout(GRACE, self.build(Method::DELETE).send()).await;
        }
        self.state.lock().lines = None;
    }

    /// A request with the headers that all of them have.
    fn build(&self, method: Method) -> RequestBuilder {
        let state = self.state.lock();
        let known = [(SESSION, state.id.clone()), (VERSION, state.version.clone())];
        drop(state);
        let mut headers = self.headers.clone();
        headers.extend(known.into_iter().filter_map(|(name, value)| Some((name, value?))));
        self.client.request(method, self.url.clone()).headers(headers)
    }

    /// Sends a request of the client and passes its answer on, which is an error if there is none.
    async fn request(&self, id: &Value, line: &[u8]) {
        let answered = match self.post(line).await {
            Ok(response) => self.take_answer(id, response).await,
            Err(reason) => Err(reason),
        };
        if let Err(reason) = answered {
            let error = json!({"code": NO_ANSWER, "message": format!("the MCP server gave no answer: {reason}")});
            self.pass_on(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().as_bytes());
        }
    }

    async fn post(&self, line: &[u8]) -> Result<Response, String> {
        let accepted = const { HeaderValue::from_static("application/json, text/event-stream") };
        let request = self.build(Method::POST).header(ACCEPT, accepted).header(CONTENT_TYPE, JSON).body(line.to_vec());
        let response = request.send().await.map_err(|error| innermost_text(&error))?;
        if let Some(id) = response.headers().get(SESSION) {
            self.state.lock().id.get_or_insert_with(|| id.clone());
        }
        Ok(response)
    }

    /// Why the server did not take a request, by its status.
    fn explain(&self, status: StatusCode) -> String {
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                format!("it answers {status}; name a key that it knows by `--header`")
            }
            StatusCode::NOT_FOUND if self.state.lock().id.is_some() => {
                String::from("its session is over; connect to it again")
            }
            status => format!("it answers {status}"),
        }
    }

    /// Passes on what a response has, up to the answer to a request.
    async fn take_answer(&self, id: &Value, mut response: Response) -> Result<(), String> {
        let status = response.status();
        if has_type(&response, JSON) {
            let most = if status.is_success() { MAX_PAYLOAD_BYTES } else { ERROR_BYTES };
            let body = read_body(&mut response, most).await?;
            if is_answer(id, &body) {
                self.pass_on_answer(&body);
                return Ok(());
            }
        }
        if !status.is_success() {
            return Err(self.explain(status));
        }
        let mut position = StreamPosition::default();
        for resume in 0..=MAX_RESUMES {
            if !has_type(&response, EVENTS) {
                return Err(String::from("what it sends is not an answer to the request"));
            }
            if self.read_stream(response, &mut position, Some(id)).await {
                return Ok(());
            }
            let Some(last_event) = position.last_event.clone().filter(|_| resume < MAX_RESUMES) else { break };
            sleep(position.retry.unwrap_or(RETRY)).await;
            response = self.open_stream(Some(last_event)).await?;
        }
        Err(String::from("its stream ended before the answer"))
    }

    /// Reads what the server says on its own, until the task is aborted or the server has no such stream.
    async fn listen(self: Arc<Self>) {
        let mut position = StreamPosition::default();
        while let Ok(response) = self.open_stream(position.last_event.clone()).await
            && has_type(&response, EVENTS)
        {
            self.read_stream(response, &mut position, None).await;
            sleep(position.retry.unwrap_or(RETRY)).await;
        }
    }

    async fn open_stream(&self, last_event: Option<HeaderValue>) -> Result<Response, String> {
        let mut request = self.build(Method::GET).header(ACCEPT, EVENTS);
        if let Some(last_event) = last_event {
            request = request.header(LAST_EVENT, last_event);
        }
        let opened = request.send().await.and_then(Response::error_for_status);
        opened.map_err(|error| innermost_text(&error))
    }

    /// Passes on the messages of a stream, to the answer to a request or to its end. Returns whether it had the answer.
    async fn read_stream(&self, response: Response, position: &mut StreamPosition, id: Option<&Value>) -> bool {
        // No event may be longer than a message.
        let unread = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&unread);
        let limited = response.bytes_stream().map(move |bytes| match bytes {
            Ok(bytes) if counter.fetch_add(bytes.len(), Ordering::Relaxed) <= MAX_PAYLOAD_BYTES => Ok(bytes),
            Ok(_) => Err(std::io::Error::other("an event is too long")),
            Err(error) => Err(std::io::Error::other(error)),
        });
        let mut events = pin!(SseStream::from_bytes_stream(limited));
        while let Some(Ok(event)) = events.next().await {
            unread.store(0, Ordering::Relaxed);
            let Sse { data, id: event_id, retry, .. } = event;
            if let Some(event_id) = event_id {
                position.last_event = HeaderValue::try_from(event_id).ok();
            }
            if let Some(retry) = retry {
                position.retry = Some(Duration::from_millis(retry).min(MAX_RETRY));
            }
            let Some(data) = data.filter(|data| !data.trim().is_empty()) else { continue };
            if id.is_some_and(|id| is_answer(id, data.as_bytes())) {
                self.pass_on_answer(data.as_bytes());
                return true;
            }
            self.pass_on(data.as_bytes());
        }
        if unread.load(Ordering::Relaxed) > MAX_PAYLOAD_BYTES {
            self.send_line(None);
        }
        false
    }

    /// Passes on an answer. That to `initialize` names the version of the protocol.
    fn pass_on_answer(&self, answer: &[u8]) {
        let mut state = self.state.lock();
        if state.version.is_none()
            && let Ok(InitializeAnswer { result }) = serde_json::from_slice(answer)
        {
            state.version = HeaderValue::try_from(result.protocol_version).ok();
        }
        drop(state);
        self.pass_on(answer);
    }

    /// Passes on a message, whose line ends between the tokens of its JSON text become spaces.
    fn pass_on(&self, message: &[u8]) {
        let mut line = message.to_vec();
        line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        line.push(b'\n');
        self.send_line(Some(line));
    }

    fn send_line(&self, line: ServerLine) {
        if let Some(lines) = &self.state.lock().lines {
            // It is received until the session is over.
            let _ = lines.send(line);
        }
    }
}

/// Whether a message is the answer to a request.
fn is_answer(id: &Value, message: &[u8]) -> bool {
    let head = serde_json::from_slice::<MessageHead>(message);
    head.is_ok_and(|head| head.method.is_none() && head.id.as_ref() == Some(id))
}

/// Whether a response has a media type, with or without parameters.
fn has_type(response: &Response, media_type: &str) -> bool {
    let written = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    written.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media_type)
}

async fn read_body(response: &mut Response, most: usize) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| innermost_text(&error))? {
        if body.len() + part.len() > most {
            return Err(String::from("its answer is too long"));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

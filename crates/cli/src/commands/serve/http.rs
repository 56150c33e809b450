//! `--http`: requests over HTTP from programs of this machine that know the token.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, ORIGIN, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response, StatusCode};
use pintle_bridge::serving::protocol::{ErrorCode, OPERATIONS, PROTOCOL_VERSION, RequestError, SCHEMA};
use pintle_bridge::serving::{HostAnswer, HostServer};
use pintle_host::async_runtime::runtime_handle;
use pintle_host::contract::MAX_PAYLOAD_BYTES;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::error::{CliError, CliStatus};
use crate::loopback::{
    HttpToken, LIMITS, LoopbackService, TokenFile, accept, has_token, loopback_host, parse_loopback, watch_signals,
};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(super) struct HttpOptions {
    /// Serve programs of this machine over HTTP, at this loopback address. The first line on standard output says
    /// the address and the file of the token [default: a free port of 127.0.0.1].
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0",
          value_parser = parse_loopback, conflicts_with = "resident")]
    http: Option<SocketAddr>,
    /// File of the token that requests over HTTP must have; it is created if it does not exist [default: a new file in
    /// the state directory for this run].
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
}

impl HttpOptions {
    pub(super) fn is_wanted(&self) -> bool {
        self.http.is_some()
    }
}

/// Serves until a signal ends it, and then ends all sessions.
pub(super) fn serve(
    server: &HostServer,
    options: HttpOptions,
    state_dir: Option<PathBuf>,
    terminal: &Terminal,
) -> Result<CliStatus, CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::failure(format!("cannot serve over HTTP: {error}"));
    let address = options.http.unwrap_or_else(|| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
    let runtime = runtime_handle().map_err(|error| failed(&error))?;
    let listener = runtime.block_on(TcpListener::bind(address)).map_err(|error| {
        failed(&error).help("another program may use the port; without an address a free one is used")
    })?;
    let address = listener.local_addr().map_err(|error| failed(&error))?;
    let (token, token_file) = TokenFile::open(options.token_file, state_dir)?;
    let ended = runtime.block_on(async { watch_signals() }).map_err(|error| failed(&error))?;
    terminal.print_json(&json!({
        "url": format!("http://{address}"),
        "token_file": token_file.path,
        "pintle": env!("CARGO_PKG_VERSION"),
        "protocol": PROTOCOL_VERSION,
    }));
    let service = Arc::new(HttpService { server: server.clone(), token, body_time: LIMITS.body_time });
    let accepting = runtime.spawn(accept(listener, service, LIMITS));
    runtime.block_on(ended);
    accepting.abort();
    server.close();
    Ok(CliStatus::Done)
}

struct HttpService {
    server: HostServer,
    token: HttpToken,
    body_time: Duration,
}

impl LoopbackService for HttpService {
    async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let answer = match self.route(request).await {
            Ok(HttpReply::Schema) => return build_response(StatusCode::OK, SCHEMA),
            Ok(HttpReply::Answer(answer)) => answer,
            Err(error) => HostAnswer { id: Value::Null, result: Err(error) },
        };
        let status = answer.result.as_ref().err().map_or(StatusCode::OK, |error| status_of(error.code));
        build_response(status, format!("{}\n", answer.to_json()))
    }
}

impl HttpService {
    async fn route(&self, request: Request<Incoming>) -> Result<HttpReply, RequestError> {
        check_sender(&request)?;
        self.check_token(request.headers())?;
        let path = request.uri().path().to_owned();
        let (method, name) = match path.strip_prefix("/v1/") {
            Some(name @ ("health" | "schema")) => (Method::GET, name),
            Some(name) if name != "hello" && OPERATIONS.contains(&name) => (Method::POST, name),
            _ => {
                let paths = "`POST /v1/OPERATION`, `GET /v1/health` and `GET /v1/schema`";
                let error = RequestError::new(ErrorCode::NotFound, "there is no such path");
                return Err(error.help(format!("there are {paths}")));
            }
        };
        if request.method() != method {
            let message = format!("the method of `{path}` is {method}");
            return Err(RequestError::new(ErrorCode::MethodNotAllowed, message));
        }
        match name {
            "schema" => Ok(HttpReply::Schema),
            "health" => self.ask("hello", Bytes::from_static(b"{}")).await.map(HttpReply::Answer),
            name => self.ask(name, read_body(request, self.body_time).await?).await.map(HttpReply::Answer),
        }
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), RequestError> {
        if has_token(headers, &self.token) {
            return Ok(());
        }
        let error = RequestError::new(ErrorCode::Unauthorized, "the token is missing or wrong");
        Err(error.help("send `Authorization: Bearer TOKEN` with the token of the file that the first line names"))
    }

    /// Gives a request to the server. It is read on a thread that may take its time.
    async fn ask(&self, operation: &str, text: Bytes) -> Result<HostAnswer, RequestError> {
        let (sender, receiver) = oneshot::channel();
        let (server, operation) = (self.server.clone(), operation.to_owned());
        tokio::task::spawn_blocking(move || {
            // A program that does not wait for its answer is gone.
            server.submit(&text, Some(&operation), Box::new(move |answer| drop(sender.send(answer))));
        });
        receiver.await.map_err(|_| RequestError::new(ErrorCode::Internal, "the request could not be finished"))
    }
}

enum HttpReply {
    Schema,
    Answer(HostAnswer),
}

/// Refuses requests of browsers, and those that were sent to another host: its name may lead here for now.
fn check_sender(request: &Request<Incoming>) -> Result<(), RequestError> {
    if request.headers().contains_key(ORIGIN) {
        return Err(RequestError::new(ErrorCode::Forbidden, "requests of browsers are refused (`Origin`)"));
    }
    if loopback_host(request).is_some() {
        return Ok(());
    }
    let error = RequestError::new(ErrorCode::Forbidden, "the header `Host` is not a loopback address");
    Err(error.help("send requests to the URL of the first line on standard output"))
}

async fn read_body(request: Request<Incoming>, body_time: Duration) -> Result<Bytes, RequestError> {
    let body = Limited::new(request.into_body(), MAX_PAYLOAD_BYTES);
    match tokio::time::timeout(body_time, body.collect()).await {
        Err(_) => Err(RequestError::new(ErrorCode::TimedOut, "the request did not arrive in time")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(RequestError::too_long(format!("the request is longer than {MAX_PAYLOAD_BYTES} bytes")))
        }
        Ok(Err(error)) => Err(RequestError::new(ErrorCode::BadRequest, format!("the request is incomplete: {error}"))),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::NotFound | ErrorCode::UnknownSession | ErrorCode::UnknownCall => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::TimedOut => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::SessionInUse | ErrorCode::CallInUse | ErrorCode::NotApproved => StatusCode::CONFLICT,
        ErrorCode::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::TooManySessions | ErrorCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Internal | ErrorCode::HooksNotLoaded | ErrorCode::NoTape => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::NotJson
        | ErrorCode::BadRequest
        | ErrorCode::UnknownOperation
        | ErrorCode::UnknownEvent
        | ErrorCode::BadPayload
        | ErrorCode::UnknownVocabulary => StatusCode::BAD_REQUEST,
    }
}

fn build_response(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
    }
    response
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::TcpStream;

    use pintle_bridge::serving::ServedHooks;
    use pintle_host::{HookOverlay, Runtime};
    use tokio::task::JoinHandle;

    use super::*;
    use crate::loopback::HttpLimits;

    /// Longer than any test takes.
    const LONG: Duration = Duration::from_secs(3_600);
    const SHORT: Duration = Duration::from_millis(1);

    struct TestServer {
        address: SocketAddr,
        token: String,
        accepting: JoinHandle<()>,
    }

    impl Drop for TestServer {
        fn drop(&mut self) {
            self.accepting.abort();
        }
    }

    impl TestServer {
        fn start(limits: HttpLimits) -> Self {
            let hooks = ServedHooks {
                runtime: Runtime::builder().load().runtime,
                overlay: Arc::new(HookOverlay::new(Vec::new())),
                agent: String::from("root"),
            };
            let server = HostServer::new(hooks.clone(), String::from("/"), None, Box::new(move |_| Ok(hooks.clone())));
            let dir = tempfile::tempdir().unwrap();
            let (token, file) = TokenFile::open(Some(dir.path().join("token")), None).unwrap();
            let text = fs::read_to_string(&file.path).unwrap().trim().to_owned();
            let runtime = runtime_handle().unwrap();
            let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
            let address = listener.local_addr().unwrap();
            let service = Arc::new(HttpService { server, token, body_time: limits.body_time });
            let accepting = runtime.spawn(accept(listener, service, limits));
            Self { address, token: text, accepting }
        }

        /// Connects and sends the start of a request.
        fn send(&self, first_line: &str, rest: &str) -> TcpStream {
            let stream = TcpStream::connect(self.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            self.send_on(&stream, first_line, rest);
            stream
        }

        fn send_on(&self, mut stream: &TcpStream, first_line: &str, rest: &str) {
            let (host, token) = (self.address, &self.token);
            let head = format!("{first_line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{rest}");
            stream.write_all(head.as_bytes()).unwrap();
        }
    }

    /// What the server sends until it closes the connection.
    fn read_to_close(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("the connection stays: {error}"),
            _ => String::from_utf8(answer).unwrap(),
        }
    }

    /// The status of the next answer, which is read with its body.
    fn read_answer(mut stream: &TcpStream) -> u16 {
        let mut answer = String::new();
        let mut byte = [0];
        // The body is one line.
        while !(answer.contains("\r\n\r\n") && answer.ends_with("}\n")) {
            stream.read_exact(&mut byte).unwrap();
            answer.push(char::from(byte[0]));
        }
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    #[test]
    fn a_slow_head_ends_its_connection() {
        let server = TestServer::start(HttpLimits { head_time: SHORT, body_time: LONG, ..LIMITS });
        assert_eq!(read_to_close(server.send("GET /v1/health", "")), "");
    }

    #[test]
    fn a_slow_body_is_answered_and_ends_its_connection() {
        let server = TestServer::start(HttpLimits { head_time: LONG, body_time: SHORT, ..LIMITS });
        let answer = read_to_close(server.send("POST /v1/explain", "Content-Length: 100\r\n\r\n{"));
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("\"timed_out\""), "{answer}");
    }

    #[test]
    fn a_connection_beyond_the_limit_is_served_when_another_ends() {
        let server = TestServer::start(HttpLimits { connections: 1, head_time: LONG, body_time: LONG });
        let first = server.send("GET /v1/health", "\r\n");
        assert_eq!(read_answer(&first), 200);
        let second = server.send("GET /v1/health", "\r\n");
        for _ in 0..20 {
            server.send_on(&first, "GET /v1/health", "\r\n");
            assert_eq!(read_answer(&first), 200);
        }
        second.set_nonblocking(true).unwrap();
        assert_eq!(second.peek(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        second.set_nonblocking(false).unwrap();
        drop(first);
        assert_eq!(read_answer(&second), 200);
    }
}

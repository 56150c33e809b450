//! Answers HTTP requests from this machine: what `pintle serve --http` and `pintle view` share.

mod token;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub(crate) use token::{HttpToken, TokenFile};

/// Most fields and bytes of the head of a request.
const MAX_FIELDS: usize = 64;
const MAX_HEAD_BYTES: usize = 16 << 10;

/// What connections may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpLimits {
    /// Most connections at the same time; others wait.
    pub(crate) connections: usize,
    /// How long the head of a request may take.
    pub(crate) head_time: Duration,
    /// How long its body may take.
    pub(crate) body_time: Duration,
}

pub(crate) const LIMITS: HttpLimits =
    HttpLimits { connections: 128, head_time: Duration::from_secs(10), body_time: Duration::from_secs(30) };

/// What answers the requests.
pub(crate) trait LoopbackService: Send + Sync + 'static {
    /// The response to a request, whatever it is.
    fn respond(&self, request: Request<Incoming>) -> impl Future<Output = Response<Full<Bytes>>> + Send;
}

/// Reads an address of this machine with a port.
pub(crate) fn parse_loopback(text: &str) -> Result<SocketAddr, String> {
    let by_name = text.strip_prefix("localhost:").map(|port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
    let address: SocketAddr = by_name
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| String::from("expected an address with a port, such as `127.0.0.1:8765`"))?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err(format!("`{}` is not a loopback address: only programs of this machine may ask", address.ip())),
    }
}

/// What ends with the first signal that asks the server to end, from now on.
#[cfg(unix)]
pub(crate) fn watch_signals() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn watch_signals() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        let _ = interrupt.recv().await;
    })
}

/// Answers the requests of all connections, until it is aborted.
pub(crate) async fn accept(listener: TcpListener, service: Arc<impl LoopbackService>, limits: HttpLimits) {
    let slots = Arc::new(Semaphore::new(limits.connections));
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, for example: others may be closed soon.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            let respond = service_fn(|request| {
                let service = Arc::clone(&service);
                async move { Ok::<_, Infallible>(service.respond(request).await) }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(limits.head_time);
            connection.max_headers(MAX_FIELDS).max_buf_size(MAX_HEAD_BYTES);
            // A connection that breaks concerns only its program.
            let _ = connection.serve_connection(TokioIo::new(stream), respond).await;
            drop(slot);
        });
    }
}

/// Whether a request has the token, as `Authorization: Bearer TOKEN`.
pub(crate) fn has_token(headers: &HeaderMap, token: &HttpToken) -> bool {
    let given = only_value(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix(b"Bearer "));
    given.is_some_and(|given| token.is(given))
}

/// The host that a request was sent to, if it is this machine: the name of another one may lead here for now.
pub(crate) fn loopback_host(request: &Request<Incoming>) -> Option<&str> {
    let host = only_value(request.headers(), &HOST).and_then(|host| std::str::from_utf8(host).ok())?;
    let authority = request.uri().authority().map(|authority| authority.as_str());
    (is_loopback_host(host) && authority.is_none_or(is_loopback_host)).then_some(host)
}

/// The value of a header that occurs once.
pub(crate) fn only_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none()).map(HeaderValue::as_bytes)
}

/// Whether a host, with or without a port, is this machine.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    let is_port = |port: &str| port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_own = |name: &str| {
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        name.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    is_own(host) || host.rsplit_once(':').is_some_and(|(name, port)| is_own(name) && is_port(port))
}

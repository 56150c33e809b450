//! Answers the page's requests, if they come from the page.
//!
//! A request needs the token, and no other page or name can send one: `Host` must be this machine, and `Origin` and
//! `Sec-Fetch-Site`, which browsers set, must be those of the page itself.

use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    ORIGIN, REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::answers::ViewedLog;
use super::page::find_file;
use super::parameters::ViewParameters;
use crate::error::CliError;
use crate::loopback::{HttpToken, LoopbackService, has_token, loopback_host, only_value};

/// Where the data is; everything else is a file of the page.
const DATA: &str = "/api/";
/// The data for the browser that was opened: the token.
const TOKEN: &str = "token";
/// Most bytes of a path with its query.
const MAX_PATH_BYTES: usize = 4_000;

/// What the page may do: run its own scripts, and ask this server. Text is never taken for HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Why a request has no answer.
#[derive(Debug)]
pub(super) struct ViewError {
    status: StatusCode,
    message: String,
}

impl ViewError {
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing at this address")
    }
}

impl From<CliError> for ViewError {
    fn from(error: CliError) -> Self {
        let help = error.help.map(|help| format!("; {help}")).unwrap_or_default();
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{}{help}", error.message))
    }
}

/// The link that opened the browser, which other programs can see on the command line of that: it works once.
struct OpeningLink {
    ticket: HttpToken,
    /// Whether it was used.
    is_used: bool,
    /// Who is told when it is used again: another program has the token then.
    stolen: Option<oneshot::Sender<()>>,
}

impl OpeningLink {
    /// Whether a request may have the token for the ticket of the link.
    fn redeem(&mut self, headers: &HeaderMap) -> bool {
        if self.is_stolen() || !has_token(headers, &self.ticket) {
            return false;
        }
        if std::mem::replace(&mut self.is_used, true) {
            // The receiver is gone only if the program ends.
            self.stolen.take().map(|stolen| stolen.send(()));
            return false;
        }
        true
    }

    /// Whether it was used twice. Then nothing is answered any more.
    fn is_stolen(&self) -> bool {
        self.stolen.is_none()
    }
}

/// What answers the page.
pub(super) struct ViewService {
    log: Arc<ViewedLog>,
    token: HttpToken,
    link: Mutex<OpeningLink>,
}

impl ViewService {
    /// Creates the service, and what is told if the link that opened the browser was used twice.
    pub(super) fn new(log: ViewedLog, token: HttpToken, ticket: HttpToken) -> (Self, oneshot::Receiver<()>) {
        let (stolen, receiver) = oneshot::channel();
        let link = Mutex::new(OpeningLink { ticket, is_used: false, stolen: Some(stolen) });
        (Self { log: Arc::new(log), token, link }, receiver)
    }
}

impl LoopbackService for ViewService {
    async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let response = match self.route(&request).await {
            Ok(response) => response,
            Err(error) => {
                let mut response = build_data(&json!({"error": error.message}));
                *response.status_mut() = error.status;
                response
            }
        };
        with_headers(response)
    }
}

impl ViewService {
    async fn route(&self, request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, ViewError> {
        let Some(host) = loopback_host(request) else {
            return Err(ViewError::new(StatusCode::FORBIDDEN, "the header `Host` is not this machine"));
        };
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(ViewError::new(StatusCode::METHOD_NOT_ALLOWED, "the page is read only"));
        }
        if request.body().size_hint().exact() != Some(0) {
            return Err(ViewError::bad_request("a request has no body"));
        }
        let uri = request.uri();
        if uri.path_and_query().is_some_and(|path| path.as_str().len() > MAX_PATH_BYTES) {
            return Err(ViewError::new(StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        let Some(name) = uri.path().strip_prefix(DATA) else {
            let file = find_file(uri.path()).filter(|_| uri.query().is_none()).ok_or_else(ViewError::not_found)?;
            let mut response = Response::new(Full::new(Bytes::from_static(file.packed)));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            return Ok(response);
        };
        check_page(request.headers(), host)?;
        if name == TOKEN {
            if self.link.lock().redeem(request.headers()) {
                return Ok(build_data(&json!({"token": self.token.as_str()})));
            }
            return Err(ViewError::new(StatusCode::UNAUTHORIZED, "the link is wrong or was used before"));
        }
        if self.link.lock().is_stolen() || !has_token(request.headers(), &self.token) {
            return Err(ViewError::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong"));
        }
        let parameters = ViewParameters::parse(uri.query().unwrap_or_default())?;
        let (log, name) = (Arc::clone(&self.log), name.to_owned());
        let answered = tokio::task::spawn_blocking(move || log.answer(&name, &parameters)).await;
        match answered {
            Ok(Some(answer)) => answer.map(|answer| build_data(&answer)),
            Ok(None) => Err(ViewError::not_found()),
            Err(_) => Err(ViewError::new(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be finished")),
        }
    }
}

/// Refuses what a browser sends for another page.
fn check_page(headers: &HeaderMap, host: &str) -> Result<(), ViewError> {
    let own = format!("http://{host}");
    let is_own = |name: &HeaderName, wanted: &str| {
        !headers.contains_key(name) || only_value(headers, name).is_some_and(|value| value == wanted.as_bytes())
    };
    match is_own(&ORIGIN, &own) && is_own(&HeaderName::from_static("sec-fetch-site"), "same-origin") {
        true => Ok(()),
        false => Err(ViewError::new(StatusCode::FORBIDDEN, "requests of other pages are refused")),
    }
}

fn build_data(value: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(value.to_string())));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn with_headers(mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    let status = response.status();
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    match status {
        StatusCode::UNAUTHORIZED => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        StatusCode::METHOD_NOT_ALLOWED => drop(headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"))),
        _ => {}
    }
    response
}

#[cfg(test)]
mod tests {
    use hyper::header::AUTHORIZATION;

    use super::*;

    #[test]
    fn a_link_works_once_and_ends_everything_when_it_is_used_again() {
        let (stolen, mut receiver) = oneshot::channel();
        let ticket = HttpToken::random().unwrap();
        let bearer = |text: &str| {
            let value = HeaderValue::from_str(&format!("Bearer {text}")).unwrap();
            HeaderMap::from_iter([(AUTHORIZATION, value)])
        };
        let right = bearer(ticket.as_str());
        let mut link = OpeningLink { ticket, is_used: false, stolen: Some(stolen) };
        assert!(!link.redeem(&bearer("x")) && !link.redeem(&HeaderMap::new()) && link.redeem(&right));
        assert!(!link.redeem(&bearer("x")) && !link.is_stolen() && receiver.try_recv().is_err());
        assert!(!link.redeem(&right) && link.is_stolen() && receiver.try_recv().is_ok());
        assert!(!link.redeem(&right));
    }
}

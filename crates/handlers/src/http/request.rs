//! Performs one request with its redirects.

use std::time::Duration;

use pintle_contract::{CancelToken, ReceiveError};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response};
use serde_json::{Map, Value, json};
use url::Url;

use super::allowlist::HostAllowList;
use super::error::{HttpError, HttpErrorCause};
use super::resolve::BlockedAddress;
use super::{MOST_REDIRECTS, MOST_RESPONSE_BYTES};
use crate::async_runtime::runtime_handle;

/// Headers that the connection sets. A custom `host` would also bypass the allowlist at servers with several virtual
/// hosts.
const OWN_HEADERS: [&str; 9] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers that may follow a redirect to another host. All others may contain a key.
const HARMLESS_HEADERS: [&str; 5] = ["accept", "accept-language", "content-language", "content-type", "user-agent"];

/// A request.
#[derive(Debug)]
pub(super) struct HttpRequest {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<String>,
}

impl HttpRequest {
    /// Builds a request from a script's arguments.
    pub(super) fn new(
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Option<&str>,
    ) -> Result<Self, HttpError> {
        let invalid = |reason: String| HttpErrorCause::InvalidRequest { reason };
        let known = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
        if !known.contains(&method) {
            return Err(invalid(format!("unknown method `{method}`; use one of `{}`", known.join("`, `"))).into());
        }
        let method = Method::from_bytes(method.as_bytes()).map_err(|error| invalid(error.to_string()))?;
        let url = Url::parse(url).map_err(|error| invalid_url(error, url))?;
        let mut own = HeaderMap::new();
        for (name, value) in headers {
            if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                return Err(invalid(format!("the header `{name}` is set by the connection; remove it")).into());
            }
            let wrong = |what: &str| {
                invalid(format!("the {what} of the header `{}` is not allowed in HTTP", name.escape_debug()))
            };
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("name"))?;
            own.append(key, HeaderValue::from_str(value).map_err(|_| wrong("value"))?);
        }
        Ok(Self { method, url, headers: own, body: body.map(str::to_owned) })
    }

    /// Checks the URL against the list.
    pub(super) fn check(&self, allowed: &HostAllowList) -> Result<(), HttpError> {
        let scheme = self.url.scheme();
        let checked = match self.url.host() {
            _ if !matches!(scheme, "http" | "https") => {
                Err(format!("scheme \"{scheme}\" is not permitted (only http/https)"))
            }
            None => Err(String::from("URL has no host")),
            Some(host) => allowed.check(&host),
        };
        checked.map_err(|reason| HttpError::at_url(HttpErrorCause::Denied { reason }, display_url(&self.url)))
    }

    /// Follows the redirect of a response; `None` if it is not a redirect.
    fn follow_redirect(&mut self, response: &Response) -> Result<Option<()>, HttpError> {
        let status = response.status().as_u16();
        if !matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
        let text = String::from_utf8_lossy(location.as_bytes()).into_owned();
        let next = self.url.join(&text).map_err(|error| invalid_url(error, &text))?;
        // As browsers and curl do (RFC 9110, 15.4): 303 changes to GET, and 301 and 302 do so after a POST.
        let asks_anew = match status {
            303 => self.method != Method::HEAD,
            301 | 302 => self.method == Method::POST,
            _ => false,
        };
        if asks_anew {
            self.method = Method::GET;
            self.body = None;
        }
        if next.origin() != self.url.origin() {
            let kept = self.headers.iter().filter(|(name, _)| HARMLESS_HEADERS.contains(&name.as_str()));
            self.headers = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        }
        self.url = next;
        Ok(Some(()))
    }
}

/// Runs the request on the shared runtime and waits for it.
pub(super) fn run_request(
    client: Client,
    allowed: std::sync::Arc<HostAllowList>,
    fetch: HttpRequest,
    timeout_ms: u64,
    cancel: &CancelToken,
) -> Result<Value, HttpError> {
    let url = display_url(&fetch.url);
    let (done, arriving) = cancel.channel();
    let runtime = runtime_handle()
        .map_err(|error| HttpErrorCause::ClientFailed { reason: format!("cannot start the HTTP runtime: {error}") })?;
    let task = runtime.spawn(async move {
        let limit = Duration::from_millis(timeout_ms);
        let outcome = tokio::time::timeout(limit, send_following_redirects(&client, &allowed, fetch)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(HttpError::at_url(HttpErrorCause::TimedOut { timeout_ms }, url)));
        done.send(outcome);
    });
    // The request has its own time limit.
    let outcome = arriving.receive(None);
    task.abort();
    outcome.unwrap_or_else(|error| match error {
        ReceiveError::Disconnected => {
            let reason = String::from("the request crashed; this is a defect");
            Err(HttpErrorCause::ClientFailed { reason }.into())
        }
        ReceiveError::Cancelled | ReceiveError::TimedOut => Err(HttpErrorCause::Cancelled.into()),
    })
}

async fn send_following_redirects(
    client: &Client,
    allowed: &HostAllowList,
    mut fetch: HttpRequest,
) -> Result<Value, HttpError> {
    for _ in 0..=MOST_REDIRECTS {
        fetch.check(allowed)?;
        let mut request = client.request(fetch.method.clone(), fetch.url.clone()).headers(fetch.headers.clone());
        if let Some(body) = &fetch.body {
            request = request.body(body.clone());
        }
        let response = request.send().await.map_err(|error| describe_error(&error, &fetch.url))?;
        if fetch.follow_redirect(&response)?.is_none() {
            return read_response(response, &fetch.url).await;
        }
    }
    Err(HttpError::at_url(HttpErrorCause::TooManyRedirects, display_url(&fetch.url)))
}

/// Reads a response in the form for scripts.
async fn read_response(mut response: Response, url: &Url) -> Result<Value, HttpError> {
    let status = response.status();
    let mut headers = Map::new();
    for name in response.headers().keys() {
        let values = response.headers().get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let joined = values.collect::<Vec<_>>().join(", ");
        headers.insert(canonical_header_name(name.as_str()), Value::String(joined));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| describe_error(&error, url))? {
        if body.len() + piece.len() > MOST_RESPONSE_BYTES {
            return Err(HttpError::at_url(HttpErrorCause::ResponseTooLarge, display_url(url)));
        }
        body.extend_from_slice(&piece);
    }
    Ok(json!({
        "status": status.as_u16(),
        "ok": status.is_success(),
        "url": display_url(url),
        "body": String::from_utf8_lossy(&body),
        "headers": headers,
    }))
}

/// `content-type` as `Content-Type`.
fn canonical_header_name(name: &str) -> String {
    let mut start = true;
    let upper = |letter: char| {
        let shown = if start { letter.to_ascii_uppercase() } else { letter };
        start = letter == '-';
        shown
    };
    name.chars().map(upper).collect()
}

fn describe_error(error: &reqwest::Error, url: &Url) -> HttpError {
    let mut deepest: &dyn std::error::Error = error;
    loop {
        if let Some(BlockedAddress(reason)) = deepest.downcast_ref() {
            return HttpError::at_url(HttpErrorCause::Denied { reason: reason.clone() }, display_url(url));
        }
        match deepest.source() {
            Some(source) => deepest = source,
            // The outer errors only name the URL; the innermost one is the reason.
            None => {
                let cause = HttpErrorCause::ConnectionFailed { reason: deepest.to_string() };
                return HttpError::at_url(cause, display_url(url));
            }
        }
    }
}

fn invalid_url(error: url::ParseError, url: &str) -> HttpError {
    HttpError::at_url(HttpErrorCause::InvalidUrl { reason: error.to_string() }, url)
}

/// A URL without user name and password, which must not appear in logs.
fn display_url(url: &Url) -> String {
    let mut bare = url.clone();
    // Fails for URLs that cannot have one, which is fine.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_names_are_shown_in_canonical_case() {
        for (name, expected) in [("content-type", "Content-Type"), ("etag", "Etag"), ("x-a-b", "X-A-B")] {
            assert_eq!(canonical_header_name(name), expected);
        }
    }

    #[test]
    fn addresses_are_shown_without_credentials() {
        assert_eq!(display_url(&Url::parse("http://a:b@x.test/p?q").unwrap()), "http://x.test/p?q");
    }
}

//! Asking a server over HTTP.

use std::time::Duration;

use pintle_tape::show::single_line;
use reqwest::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, StatusCode, Url};

use crate::FleetError;
use crate::error::error_chain;
use crate::store::is_loopback;

/// How long to wait for a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of an answer that are read.
const MOST_ANSWER_BYTES: usize = 64 << 10;

/// An answer that was read to its end.
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
    /// How long the server asks to wait.
    pub(crate) retry_after: Duration,
}

/// The most characters of what a server says that are shown.
const MOST_REASON_CHARS: usize = 300;

/// What a server says, as a user may see it.
pub(crate) fn shown_reason(reason: &str) -> String {
    single_line(reason, MOST_REASON_CHARS)
}

/// Parses the address of a server: encrypted, unless it is on this machine. `name` is that of the server, `content` what
/// would be sent unencrypted, and `secret` what does not belong into an address.
pub(crate) fn parse_address(address: &str, name: &str, content: &str, secret: &str) -> Result<Url, FleetError> {
    let invalid = |reason: &str| {
        FleetError::invalid_input(format!("the address of the {name} is invalid: {reason}"))
            .help("write it as `https://HOST` or `https://HOST:PORT`")
    };
    let url = Url::parse(address).map_err(|error| invalid(&error.to_string()))?;
    let host = url.host_str().ok_or_else(|| invalid("it names no host"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(&format!("it has a user; {secret}")));
    }
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(host) => {}
        "http" => return Err(invalid(&format!("`http` would send {content} unencrypted to another machine"))),
        _ => return Err(invalid("it does not begin with `https://`")),
    }
    Ok(url)
}

/// The address of something below another address.
pub(crate) fn address_below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    url
}

/// Sets the cryptography of all encrypted connections.
pub(crate) fn install_cryptography() {
    // Another program may have chosen already, with the same effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// What all clients have in common.
pub(crate) fn client_builder(patience: Duration) -> ClientBuilder {
    install_cryptography();
    let builder = Client::builder().connect_timeout(CONNECT_PATIENCE).timeout(patience);
    builder.user_agent(concat!("pintle-fleet/", env!("CARGO_PKG_VERSION")))
}

/// A client that follows no redirects: what identifies it is for one address only.
pub(crate) fn new_client(patience: Duration) -> Result<Client, FleetError> {
    client_builder(patience).redirect(Policy::none()).build().map_err(|error| {
        FleetError::failure(format!("connections cannot be made: {}", error_chain(&error)))
            .help("name a file with certificates in `SSL_CERT_FILE`")
    })
}

/// Reads the body of a response. `None` if it is longer.
///
/// # Errors
/// Why it is not whole.
pub(crate) async fn read_body(response: &mut Response, most_bytes: usize) -> Result<Option<Vec<u8>>, String> {
    let mut body = Vec::new();
    while let Some(more) = response.chunk().await.map_err(|error| error_chain(&error))? {
        if body.len() + more.len() > most_bytes {
            return Ok(None);
        }
        body.extend_from_slice(&more);
    }
    Ok(Some(body))
}

/// Sends a request and reads the answer.
///
/// # Errors
/// Why the answer is not whole.
pub(crate) async fn send(request: RequestBuilder) -> Result<HttpAnswer, String> {
    let mut response = request.send().await.map_err(|error| error_chain(&error))?;
    let (status, retry_after) = (response.status(), retry_after(&response));
    let content_type = header(&response, CONTENT_TYPE).to_owned();
    match read_body(&mut response, MOST_ANSWER_BYTES).await? {
        Some(body) => Ok(HttpAnswer { status, content_type, body, retry_after }),
        None => Err(format!("its answer ({status}) is too long")),
    }
}

/// How long the server asks to wait, in seconds. A date is ignored.
fn retry_after(response: &Response) -> Duration {
    Duration::from_secs(header(response, RETRY_AFTER).trim().parse().unwrap_or_default())
}

fn header(response: &Response, name: HeaderName) -> &str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

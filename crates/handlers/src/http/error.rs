//! Errors of requests.

use std::fmt;

use super::{MOST_REDIRECTS, MOST_RESPONSE_BYTES};

/// The reason why a request has no response.
///
/// Its text starts with the script's function and ends with the URL, such as `http.get: network sandbox: host "x" is not
/// in the allowlist (url=http://x/)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    method: String,
    cause: HttpErrorCause,
    url: Option<String>,
}

/// What prevented a response. The text does not contain the URL, which may contain a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpErrorCause {
    /// The method or a header cannot be used.
    #[error("{reason}")]
    InvalidRequest {
        /// What is wrong with it.
        reason: String,
    },
    /// The URL, or that of a redirect, is not valid.
    #[error("network sandbox: invalid URL: {reason}")]
    InvalidUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The host or the address is not allowed.
    #[error("network sandbox: {reason}")]
    Denied {
        /// The rule that denies it.
        reason: String,
    },
    /// No complete response arrived within the time limit.
    #[error("no complete response within {timeout_ms} ms")]
    TimedOut {
        /// The time limit, in milliseconds.
        timeout_ms: u64,
    },
    /// The caller cancelled the request.
    #[error("cancelled")]
    Cancelled,
    /// The server redirected too often.
    #[error("more than {MOST_REDIRECTS} redirects")]
    TooManyRedirects,
    /// The response is too large.
    #[error("the response is larger than {MOST_RESPONSE_BYTES} bytes")]
    ResponseTooLarge,
    /// The connection failed.
    #[error("request failed: {reason}")]
    ConnectionFailed {
        /// The innermost error text.
        reason: String,
    },
    /// The client could not be started, or crashed.
    #[error("{reason}")]
    ClientFailed {
        /// What failed.
        reason: String,
    },
}

impl HttpError {
    /// What prevented the response.
    #[must_use]
    pub fn cause(&self) -> &HttpErrorCause {
        &self.cause
    }

    /// The URL that was requested last, without user name and password; `None` if it does not matter for the cause.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    pub(super) fn at_url(cause: HttpErrorCause, url: impl Into<String>) -> Self {
        Self { method: String::new(), cause, url: Some(url.into()) }
    }

    pub(super) fn with_method(self, method: &str) -> Self {
        Self { method: method.to_ascii_lowercase(), ..self }
    }
}

impl From<HttpErrorCause> for HttpError {
    fn from(cause: HttpErrorCause) -> Self {
        Self { method: String::new(), cause, url: None }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http.{}: {}", self.method, self.cause)?;
        match &self.url {
            Some(url) => write!(f, " (url={url})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for HttpError {}

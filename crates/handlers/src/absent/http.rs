//! The HTTP gateway of a build without the feature `http`: it allows no request.

use pintle_contract::{CancelToken, NetworkSpec};
use serde_json::Value;

/// Denies every request of scripts and hooks.
#[derive(Debug)]
pub struct HttpGateway(());

impl HttpGateway {
    /// A gateway for a network declaration. It allows nothing.
    #[must_use]
    pub fn new(_network: &NetworkSpec) -> Self {
        Self(())
    }

    /// Denies a request.
    ///
    /// # Errors
    /// Always.
    pub fn request_until(
        &self,
        method: &str,
        url: &str,
        _headers: &[(String, String)],
        _body: Option<&str>,
        _timeout_ms: u64,
        _cancel: &CancelToken,
    ) -> Result<Value, HttpNotBuiltError> {
        Err(HttpNotBuiltError { method: method.to_ascii_lowercase(), url: url.to_owned() })
    }
}

/// A request that cannot be made without the feature `http`.
#[derive(Debug, thiserror::Error)]
#[error("http.{method}: the feature `http` is not built into this program (url={url})")]
pub struct HttpNotBuiltError {
    method: String,
    url: String,
}

/// The text of a URL, whose host is not parsed.
pub(crate) fn host_of(address: &str) -> String {
    address.to_owned()
}

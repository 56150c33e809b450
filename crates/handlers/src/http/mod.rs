//! The HTTP gateway: the only network access of scripts and hooks.

mod allowlist;
mod error;
mod private_address;
mod request;
mod resolve;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pintle_contract::{CancelToken, NetworkSpec};
use reqwest::{Client, ClientBuilder};
use serde_json::Value;

use self::allowlist::HostAllowList;
pub use self::error::{HttpError, HttpErrorCause};
pub use self::resolve::{DnsLookup, SystemDns};

/// The largest response that is read, after decompression.
pub const MOST_RESPONSE_BYTES: usize = 1 << 20;

/// The most redirects that one request follows.
pub const MOST_REDIRECTS: usize = 5;

/// A new HTTP client, for connections with and without TLS.
///
/// TLS uses the program's own cryptography if it has installed one, and `ring` otherwise.
fn build_client() -> ClientBuilder {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // It fails if another thread installs one at this moment, which does as well.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
    Client::builder()
}

/// A new HTTP client for requests with keys. It follows no redirect, which could send them to a host that the user did not
/// choose.
pub fn build_keyed_client(connect_timeout: Duration) -> ClientBuilder {
    build_client().connect_timeout(connect_timeout).redirect(reqwest::redirect::Policy::none())
}

/// The reason of an error: the outermost text only contains the address, the innermost one the reason.
#[must_use]
pub fn innermost_text(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

/// The host of a URL, or the text itself if it has no known host.
pub(crate) fn host_of(address: &str) -> String {
    let parsed = url::Url::parse(address).ok();
    parsed.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| address.to_owned())
}

/// Makes HTTP requests for scripts and hooks, to allowed hosts only.
///
/// The rules follow AI Harness; where it does not define a rule, the stricter choice applies:
///
/// - An empty list allows nothing. `example.com` allows that host and its subdomains, `*.example.com` only the
///   subdomains, `*` every host. Case, ports and a trailing dot are ignored.
/// - An IP address instead of a name must be listed itself, or match `*` and be on the public internet.
/// - Addresses of private networks (loopback, link-local, private, carrier-grade NAT, multicast, …) must always be
///   listed themselves, even if an allowed name resolves to them; `localhost` allows the loopback addresses. A name is
///   resolved once per connection, and only checked addresses are connected to, so that a second DNS response has no
///   effect.
/// - Each redirect is checked like a first request. At most [`MOST_REDIRECTS`] are followed; redirects to another host
///   carry only content negotiation headers, and no keys.
/// - Only `http` and `https`. No cookies, no proxies from the environment, and at most [`MOST_RESPONSE_BYTES`] of
///   response.
#[derive(Debug)]
pub struct HttpGateway {
    allowed: Arc<HostAllowList>,
    dns: Arc<dyn DnsLookup>,
    client: OnceLock<Result<Client, HttpErrorCause>>,
}

impl HttpGateway {
    /// A gateway for a network declaration. An invalid entry allows nothing.
    #[must_use]
    pub fn new(network: &NetworkSpec) -> Self {
        Self::with_dns(network, Arc::new(SystemDns))
    }

    /// A gateway that resolves names with `lookup`.
    #[must_use]
    pub fn with_dns(network: &NetworkSpec, lookup: Arc<dyn DnsLookup>) -> Self {
        Self { allowed: Arc::new(HostAllowList::new(&network.allowed_domains)), dns: lookup, client: OnceLock::new() }
    }

    /// Makes one request and reads the complete response: `{status, ok, url, body, headers}`, with header names in
    /// canonical case, and `url` as the last one after redirects.
    ///
    /// An error status is a response, not an error. `timeout_ms` covers everything, including redirects.
    ///
    /// # Errors
    /// When the gateway denies the request, no response arrives in time, or the response is too large.
    pub fn request(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Option<&str>,
        timeout_ms: u64,
    ) -> Result<Value, HttpError> {
        self.request_until(method, url, headers, body, timeout_ms, &CancelToken::default())
    }

    /// As [`HttpGateway::request`], but stops soon after `cancel` is set.
    ///
    /// # Errors
    /// As [`HttpGateway::request`], and when cancelled.
    pub fn request_until(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Option<&str>,
        timeout_ms: u64,
        cancel: &CancelToken,
    ) -> Result<Value, HttpError> {
        let outcome = request::HttpRequest::new(method, url, headers, body).and_then(|fetch| {
            // Deny before a client is built.
            fetch.check(&self.allowed)?;
            request::run_request(self.shared_client()?, Arc::clone(&self.allowed), fetch, timeout_ms, cancel)
        });
        outcome.map_err(|error| error.with_method(method))
    }

    fn shared_client(&self) -> Result<Client, HttpErrorCause> {
        let build = || {
            build_client()
                .user_agent(concat!("pintle/", env!("CARGO_PKG_VERSION")))
                .no_proxy()
                .referer(false)
                .redirect(reqwest::redirect::Policy::none())
                // A reused connection would outlive the check of its address.
                .pool_max_idle_per_host(0)
                .dns_resolver(resolve::FilteringDns::new(Arc::clone(&self.allowed), Arc::clone(&self.dns)))
                .build()
                .map_err(|error| HttpErrorCause::ClientFailed {
                    reason: format!("cannot create the HTTP client: {error}"),
                })
        };
        self.client.get_or_init(build).clone()
    }
}

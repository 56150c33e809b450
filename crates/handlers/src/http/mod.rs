//! The one way out to the network for scripts and hooks.

mod allowlist;
mod private_address;
mod request;
mod resolve;

use std::sync::{Arc, OnceLock};

use pintle_contract::{CancelToken, NetworkSpec};
use reqwest::Client;
use serde_json::Value;

use self::allowlist::HostAllowList;
pub use self::resolve::{DnsLookup, SystemDns};

/// The largest response that is read, after decompression.
pub const MOST_RESPONSE_BYTES: usize = 1 << 20;

/// How many redirects of one request are followed.
pub const MOST_REDIRECTS: usize = 5;

/// Makes HTTP requests for scripts and hooks, to allowed hosts only.
///
/// The rules (AI Harness reference, network; where the reference says nothing, the stricter choice):
///
/// - An empty list allows nothing. `example.com` allows that host and all below it, `*.example.com` only those below,
///   `*` every host. Case, ports and a trailing dot do not count.
/// - An address in place of a name must be listed itself, or fall under `*` and belong to the public internet.
/// - Addresses of private networks (loopback, link-local, private, carrier-grade NAT, multicast, …) must always be
///   listed themselves, also when an allowed name resolves to them; `localhost` stands for the loopback ones. A name
///   is resolved once for each connection and the connection goes to the addresses that were checked, so that a second
///   answer of the name server changes nothing.
/// - Each redirect is checked like a first request. At most [`MOST_REDIRECTS`] are followed; to another host go only
///   headers that say what is wanted, no keys.
/// - Only `http` and `https`. No cookies, no proxies of the environment, at most [`MOST_RESPONSE_BYTES`] of response.
#[derive(Debug)]
pub struct HttpGateway {
    allowed: Arc<HostAllowList>,
    dns: Arc<dyn DnsLookup>,
    client: OnceLock<Result<Client, String>>,
}

impl HttpGateway {
    /// A gate for a network declaration. An entry that is no host allows nothing.
    #[must_use]
    pub fn new(network: &NetworkSpec) -> Self {
        Self::with_dns(network, Arc::new(SystemDns))
    }

    /// A gate that asks `lookup` for the addresses of names.
    #[must_use]
    pub fn with_dns(network: &NetworkSpec, lookup: Arc<dyn DnsLookup>) -> Self {
        Self { allowed: Arc::new(HostAllowList::new(&network.allowed_domains)), dns: lookup, client: OnceLock::new() }
    }

    /// Makes one request and reads the whole response: `{status, ok, url, body, headers}`, header names in canonical
    /// case, `url` the last one after redirects.
    ///
    /// An error status is a response, not an error. `timeout_ms` covers everything, redirects too.
    ///
    /// # Errors
    /// When the gate refuses, nobody answers in time, or the response is too large; one line that begins with the
    /// script's function, such as `http.get: network sandbox: host "x" is not in the allowlist (url=http://x/)`.
    pub fn request(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Option<&str>,
        timeout_ms: u64,
    ) -> Result<Value, String> {
        self.request_until(method, url, headers, body, timeout_ms, &CancelToken::default())
    }

    /// As [`HttpGateway::request`], given up soon after `cancel` is raised.
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
    ) -> Result<Value, String> {
        let outcome = request::HttpRequest::new(method, url, headers, body).and_then(|fetch| {
            // Refuse what is refused before anything is built.
            fetch.check(&self.allowed)?;
            request::run_request(self.shared_client()?, Arc::clone(&self.allowed), fetch, timeout_ms, cancel)
        });
        outcome.map_err(|why| format!("http.{}: {why}", method.to_ascii_lowercase()))
    }

    fn shared_client(&self) -> Result<Client, String> {
        let build = || {
            Client::builder()
                .user_agent(concat!("pintle/", env!("CARGO_PKG_VERSION")))
                .no_proxy()
                .referer(false)
                .redirect(reqwest::redirect::Policy::none())
                // A kept connection would outlive the check of its address.
                .pool_max_idle_per_host(0)
                .dns_resolver(resolve::FilteringDns::new(Arc::clone(&self.allowed), Arc::clone(&self.dns)))
                .build()
                .map_err(|error| format!("cannot create the HTTP client: {error}"))
        };
        self.client.get_or_init(build).clone()
    }
}

//! Resolves names to addresses that may be connected to.

use std::fmt::{self, Debug};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::allowlist::HostAllowList;

/// Looks up the addresses of a name.
pub trait DnsLookup: Send + Sync + Debug {
    /// Looks up the addresses of `host`. May block.
    ///
    /// # Errors
    /// When the name is unknown or the lookup fails.
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDns;

impl DnsLookup for SystemDns {
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
    }
}

/// A resolver that checks addresses. The client connects only to the addresses that it returns.
#[derive(Debug, Clone)]
pub(super) struct FilteringDns {
    allowed: Arc<HostAllowList>,
    dns: Arc<dyn DnsLookup>,
}

impl FilteringDns {
    pub(super) fn new(allowed: Arc<HostAllowList>, lookup: Arc<dyn DnsLookup>) -> Self {
        Self { allowed, dns: lookup }
    }

    /// One denied address denies the name: a mixed response indicates a malicious name server.
    fn allowed_addresses(&self, host: &str) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let found = self.dns.lookup(host)?;
        for address in &found {
            self.allowed.check_resolved(host, *address).map_err(BlockedAddress)?;
        }
        // The client replaces port 0 with the port of the URL.
        Ok(found.into_iter().map(|address| SocketAddr::new(address, 0)).collect())
    }
}

impl Resolve for FilteringDns {
    fn resolve(&self, name: Name) -> Resolving {
        let checked = self.clone();
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || checked.allowed_addresses(name.as_str())).await??;
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// The reason why a resolved address was denied; found again inside the client's own error.
#[derive(Debug)]
pub(super) struct BlockedAddress(pub(super) String);

impl fmt::Display for BlockedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BlockedAddress {}

//! From names to addresses that may be connected to.

use std::fmt::{self, Debug};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::allowlist::HostAllowList;

/// Finds the addresses of a name.
pub trait DnsLookup: Send + Sync + Debug {
    /// Asks for the addresses of `host`. May block.
    ///
    /// # Errors
    /// When the name is not known or cannot be asked for.
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

/// A lookup whose answers are checked. The client connects to what comes out of here and to nothing else.
#[derive(Debug, Clone)]
pub(super) struct FilteringDns {
    allowed: Arc<HostAllowList>,
    dns: Arc<dyn DnsLookup>,
}

impl FilteringDns {
    pub(super) fn new(allowed: Arc<HostAllowList>, lookup: Arc<dyn DnsLookup>) -> Self {
        Self { allowed, dns: lookup }
    }

    /// One refused address refuses the name: a mixed answer is how a hostile name server goes fishing.
    fn allowed_addresses(&self, host: &str) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let found = self.dns.lookup(host)?;
        for address in &found {
            self.allowed.check_resolved(host, *address).map_err(BlockedAddress)?;
        }
        // The client puts the port of the URL in place of 0.
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

/// Why a resolved address was refused; found again below the client's own error.
#[derive(Debug)]
pub(super) struct BlockedAddress(pub(super) String);

impl fmt::Display for BlockedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BlockedAddress {}

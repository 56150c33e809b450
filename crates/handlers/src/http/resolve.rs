//! From names to addresses that may be connected to.

use std::fmt::{self, Debug};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::allow::AllowList;

/// Finds the addresses of a name.
pub trait Lookup: Send + Sync + Debug {
    /// Asks for the addresses of `host`. May block.
    ///
    /// # Errors
    /// When the name is not known or cannot be asked for.
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
    }
}

/// A lookup whose answers are checked. The client connects to what comes out of here and to nothing else.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    allowed: Arc<AllowList>,
    lookup: Arc<dyn Lookup>,
}

impl Checked {
    pub(super) fn new(allowed: Arc<AllowList>, lookup: Arc<dyn Lookup>) -> Self {
        Self { allowed, lookup }
    }

    /// One refused address refuses the name: a mixed answer is how a hostile name server goes fishing.
    fn addresses(&self, host: &str) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let found = self.lookup.lookup(host)?;
        for address in &found {
            self.allowed.check_resolved(host, *address).map_err(Refused)?;
        }
        // The client puts the port of the URL in place of 0.
        Ok(found.into_iter().map(|address| SocketAddr::new(address, 0)).collect())
    }
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let checked = self.clone();
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || checked.addresses(name.as_str())).await??;
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// Why a resolved address was refused; found again below the client's own error.
#[derive(Debug)]
pub(super) struct Refused(pub(super) String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

//! Connections that are used again.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::Client;

use super::StoreAddress;
use crate::FleetError;

/// How long a request waits until a connection is free.
const POOL_PATIENCE: Duration = Duration::from_secs(15);

/// A bounded number of connections to a store.
#[derive(Debug)]
pub struct StorePool {
    address: StoreAddress,
    idle: Mutex<Vec<Client>>,
    permits: Semaphore,
}

/// A connection in use. One that is not given back is closed, with whatever it has begun.
pub(crate) struct PooledClient<'p> {
    pool: &'p StorePool,
    client: Client,
    _permit: SemaphorePermit<'p>,
}

impl StorePool {
    /// A pool without connections, which has `most` of them later.
    #[must_use]
    pub fn new(address: StoreAddress, most: usize) -> Self {
        Self { address, idle: Mutex::default(), permits: Semaphore::new(most) }
    }

    /// Where the store is.
    pub(crate) fn address(&self) -> &StoreAddress {
        &self.address
    }

    /// Takes a connection.
    pub(crate) async fn take(&self) -> Result<PooledClient<'_>, FleetError> {
        let permit = match tokio::time::timeout(POOL_PATIENCE, self.permits.acquire()).await {
            Ok(Ok(permit)) => permit,
            _ => return Err(FleetError::failure("all connections to the store are busy")),
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let client = match idle.filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => self.address.connect().await?,
        };
        Ok(PooledClient { pool: self, client, _permit: permit })
    }
}

impl PooledClient<'_> {
    /// Gives the connection back, to be used again.
    pub(crate) fn give_back(self) {
        self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.client);
    }
}

impl Deref for PooledClient<'_> {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for PooledClient<'_> {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

//! Time and randomness, which tests replace.

use std::future::Future;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What a shipper needs of time and randomness.
pub trait ShipperTimer {
    /// The time since some moment, which never goes back.
    fn now(&self) -> Duration;

    /// The time of the day, in milliseconds since the Unix epoch.
    fn unix_ms(&self) -> u64;

    /// A random number.
    fn random(&self) -> u64;

    /// Waits.
    fn pause(&self, duration: Duration) -> impl Future<Output = ()>;
}

/// The time and the randomness of the system.
#[derive(Debug, Clone, Copy)]
pub struct SystemTimer(Instant);

impl Default for SystemTimer {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl ShipperTimer for SystemTimer {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn unix_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn random(&self) -> u64 {
        // Without random numbers, machines only come again together.
        getrandom::u64().unwrap_or_default()
    }

    async fn pause(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

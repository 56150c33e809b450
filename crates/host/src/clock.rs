//! The system clock.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pintle_contract::Clock;

/// A [`Clock`](pintle_contract::Clock) that returns the system time.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn unix_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// A clock that never advances, for runtimes without a journal: nothing uses call durations there, and reading the clock
/// twice for each call costs more than everything else in a short call.
#[derive(Debug)]
pub(crate) struct FrozenClock;

impl Clock for FrozenClock {
    fn unix_ms(&self) -> u64 {
        0
    }

    fn monotonic_us(&self) -> u64 {
        0
    }
}

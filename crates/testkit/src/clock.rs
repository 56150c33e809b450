//! A clock that tests control, and a running clock for benches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pintle_contract::Clock;

/// A clock that only moves when told to, or by a fixed step at each reading. Clones share the time.
#[derive(Debug, Clone, Default)]
pub struct FakeClock {
    now_us: Arc<AtomicU64>,
    step_us: u64,
}

impl FakeClock {
    /// Creates a clock that stays at the epoch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a clock that advances by `step_us` after each reading.
    #[must_use]
    pub fn with_step(step_us: u64) -> Self {
        Self { now_us: Arc::default(), step_us }
    }

    /// Advances the time.
    pub fn advance_us(&self, by_us: u64) {
        self.now_us.fetch_add(by_us, Ordering::AcqRel);
    }

    fn read(&self) -> u64 {
        self.now_us.fetch_add(self.step_us, Ordering::AcqRel)
    }
}

impl Clock for FakeClock {
    fn unix_ms(&self) -> u64 {
        self.read() / 1_000
    }

    fn monotonic_us(&self) -> u64 {
        self.read()
    }
}

/// The time since the clock was created, for benches. It has no date.
#[derive(Debug)]
pub struct RunningClock(Instant);

impl RunningClock {
    /// Creates a clock that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for RunningClock {
    fn unix_ms(&self) -> u64 {
        0
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_only_when_told_or_by_its_step() {
        let still = FakeClock::new();
        let shared = still.clone();
        shared.advance_us(2_500);
        assert_eq!((still.monotonic_us(), still.monotonic_us(), still.unix_ms()), (2_500, 2_500, 2));
        let stepping = FakeClock::with_step(10);
        assert_eq!((stepping.monotonic_us(), stepping.monotonic_us()), (0, 10));
    }
}

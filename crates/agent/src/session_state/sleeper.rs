//! Waits between attempts.

use std::fmt::Debug;
use std::time::Duration;

use pintle_host::CancelToken;

/// Waits between two attempts. A trait, so that tests need not wait.
pub trait Sleeper: Send + Sync + Debug {
    /// Waits, or returns early when `cancel` is set.
    fn sleep(&self, duration_ms: u64, cancel: &CancelToken);
}

/// Waits in real time.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealSleeper;

impl Sleeper for RealSleeper {
    fn sleep(&self, duration_ms: u64, cancel: &CancelToken) {
        cancel.wait(Duration::from_millis(duration_ms));
    }
}

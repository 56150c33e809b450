//! The clock, passed as an argument.

use std::fmt::Debug;

/// Provides the time. The engine and the tape receive it as an argument, so that tests and replay control it.
pub trait Clock: Send + Sync + Debug {
    /// The milliseconds since the Unix epoch, for display and for the tape.
    fn unix_ms(&self) -> u64;

    /// The microseconds of a monotonic clock, for durations.
    fn monotonic_us(&self) -> u64;
}

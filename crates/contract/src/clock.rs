//! Time as an argument.

use std::fmt::Debug;

/// Tells the time. The engine and the tape get it as an argument, so that tests and replay choose it.
pub trait Clock: Send + Sync + Debug {
    /// Milliseconds since the Unix epoch, for people and for the tape.
    fn unix_ms(&self) -> u64;

    /// Microseconds of a clock that never goes back, for durations.
    fn monotonic_us(&self) -> u64;
}

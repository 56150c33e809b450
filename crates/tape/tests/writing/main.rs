//! The writer.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod going_on;
mod large;
mod lost;
mod ordinary;
mod secrets;
mod session;
mod stage;

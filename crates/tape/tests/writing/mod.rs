//! The writer.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod branches;
mod fixture;
mod large;
mod lists;
mod lost;
mod ordinary;
mod resume;
mod secrets;
mod session;
mod shared;

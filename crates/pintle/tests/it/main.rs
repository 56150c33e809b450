//! The crate, as programs that embed it see it.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod asynchronous;
mod hooks;
mod lives;
mod outcomes;

//! Hooks that a Rust program registers, in the real agent loop: Harn's examples, and the gaps of upstream.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod examples;
pub(crate) mod fixture;
mod gaps;
mod manifest;
mod published;

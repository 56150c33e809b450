//! Sessions that are taken up from their tapes: nothing of them is lost, and nothing is there twice.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod everywhere;
mod fixture;
mod from_tape;
mod restored;
mod same;

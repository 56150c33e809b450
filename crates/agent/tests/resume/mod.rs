//! Sessions that are resumed from their tapes: nothing is lost, and nothing is duplicated.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod everywhere;
mod fixture;
mod from_tape;
mod restored;
mod same;

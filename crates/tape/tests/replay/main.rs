//! Tapes enacted again: they come out byte for byte, and what was changed on them is found.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod changed;
mod corpus;
mod cut;
mod fixture;
mod random;
mod rounds;
mod sessions;

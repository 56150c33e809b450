//! A replay reproduces a tape byte for byte, and finds changes to it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod changed;
mod corpus;
mod cut;
mod fixture;
mod random;
mod rounds;
mod sessions;

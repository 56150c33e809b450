//! Replayed tapes: they replay byte for byte, and changes to them are found.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod changed;
mod corpus;
mod cut;
mod fixture;
mod random;
mod rounds;
mod sessions;

//! The rule of composition (`docs/guide/composition.md`), sentence by sentence.
//!
//! Each test is named after the sentence it holds, with a number that documents cite. `naive` is a second
//! implementation of the whole rule, made of plain loops; `model` makes hooks that both can run.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod anything;
mod asks;
mod failures;
mod guards;
mod layers;
mod model;
mod naive;
mod once;
mod parallel_calls;
mod profiles;
mod properties;
mod selection;
mod shadow;
mod targets;
mod untrusted;

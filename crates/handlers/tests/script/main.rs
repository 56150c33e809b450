//! Tests scripts through the factory, with real worker processes.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod attacks;
mod calls;
mod fixture;
mod governed;
mod plugins;

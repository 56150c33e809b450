//! The native part of the npm package `pintle`: the crate `pintle` for Node.js. Values cross as JSON text, and `lib/` gives
//! them their types.

#[cfg(feature = "bench")]
mod bench;
mod calls;
mod life;
mod questions;
mod results;
mod runtime;
mod tape;

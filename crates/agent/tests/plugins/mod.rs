//! Starlark plugins in the real agent loop: Harn's examples written in Starlark, and its conformance scripts.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use crate::registered::fixture as stage;

mod conformance;
mod examples;
mod handlers;
mod permissions;
mod plugin;

//! Starlark plugins in the real agent loop: Harn's examples written in Starlark, and its conformance scripts.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

#[path = "../registered/fixture.rs"]
#[expect(dead_code, reason = "hooks come from files here, not from closures")]
mod stage;

mod conformance;
mod examples;
mod handlers;
mod permissions;
mod plugin;

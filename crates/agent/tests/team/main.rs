//! Members of a team: which events fire, in which order, and what follows from what hooks and people say.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod compaction;
mod fixture;
mod handoffs;
mod iterations;
mod payloads;
mod permissions;
mod prompts;
mod reminders;
mod tool_calls;

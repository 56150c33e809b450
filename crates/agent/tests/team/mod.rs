//! Members of a team: which events fire, in which order, and the effects of hooks and of the user's responses.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod compaction;
mod fixture;
mod handoffs;
mod iterations;
mod payloads;
mod permissions;
mod prompts;
mod reminders;
mod tool_calls;

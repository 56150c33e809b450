//! Personas and steps through the real agent loop, with hooks that a Rust program registers.
//!
//! The tests are tables of trigger, effect and negative: what happens, what follows, and the nearest case in which it
//! does not. Harn's own checks are in `conformance`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod approvals;
mod boundaries;
mod budgets;
mod conformance;
mod fixture;
mod guide;
mod handoffs;
mod pauses;
mod steps;
mod suspended;

//! Hooks of docker-agent through the real runtime, with real programs behind them.
//!
//! The files follow the list of what docker-agent's own tests check (docker-agent behaviour, section 7), and the holes
//! that it names (section 8).
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

mod combination;
mod compat;
mod fixture;
mod holes;
mod matching;
mod matrix;
mod pipeline;
mod protocol;
mod repeated;
#[path = "../worker/mod.rs"]
mod worker;

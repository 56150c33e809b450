//! The reference host: an agent loop that fires every event and obeys every outcome.
//!
//! A [`Session`] holds a conversation between a person and an agent. Each [`Session::turn`] asks the model, makes its
//! tool calls and asks again, until there is an answer that the hooks accept. Enter at `session/iterations.rs`; every
//! tool call goes through `tools/dispatch`, and every sub-agent through `delegation`.

pub mod model;

mod agent;
mod approval;
mod compaction;
mod delegation;
mod edits;
mod finish;
mod host;
mod judge;
mod meta;
mod observe;
mod permission;
mod persona;
mod reminders;
mod session;
mod taping;
mod team;
mod tools;
mod toolsets;
mod turn;
mod verify;
mod workspace;

pub use agent::OpenModel;
pub use compaction::Compacted;
pub use finish::UnsettledState;
pub use judge::ModelJudge;
pub use observe::{Happening, Observer, Unobserved};
pub use persona::{BudgetExceeded, Handoff, Paused, Persona, Step, StepError, StepErrorKind, Used};
pub use session::{
    Answer, DaemonOptions, Fault, FaultKind, Inbox, Interrupt, Interrupted, Past, PastState, RealSleeper, Session,
    SessionBuilder, Sleeper,
};
pub use tools::{Tool, ToolUse};
pub use workspace::Workspace;

/// The blocks of the embedding guide, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/embedding.md")]
mod embedding {}

/// The block of the guide on personas, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/personas.md")]
mod personas {}

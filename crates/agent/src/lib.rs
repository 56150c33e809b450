//! The reference host: an agent loop that fires every event and obeys every outcome.
//!
//! A [`Session`] holds a conversation between a user and an agent. Each [`Session::turn`] calls the model, runs its
//! tool calls and calls the model again, until it gives an answer that the hooks accept. Start reading at
//! `session/iteration_loop.rs`; every tool call goes through `tools/dispatch`, and every child agent through
//! `delegation`.

pub mod model;

mod agent;
mod approval;
mod compaction;
mod context_notes;
mod delegation;
mod edits;
mod finish;
mod host;
mod judge;
mod meta;
mod observer;
mod permission;
mod persona;
mod recording;
mod reminders;
mod session;
mod session_context;
mod team;
mod tools;
mod toolsets;
mod turn_context;
mod verify;
mod workspace;

pub use compaction::CompactionResult;
pub use finish::UnsettledState;
pub use judge::ModelJudge;
pub use observer::{AgentEvent, NoObserver, Observer, ToolCallEnd};
pub use persona::{
    BudgetExceeded, BudgetUsage, HandoffReceipt, PausedPersona, Persona, PersonaStep, StepError, StepErrorKind,
};
pub use session::{
    DaemonOptions, Inbox, InterruptHandle, InterruptResult, RealSleeper, Session, SessionBuilder, SessionStatus,
    SessionSummary, Sleeper, TurnError, TurnErrorKind, TurnOutput,
};
pub use session_context::ModelOpener;
pub use tools::{Tool, ToolContext};
pub use workspace::Workspace;

/// The code blocks of the embedding guide, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/embedding.md")]
mod embedding {}

/// The code block of the personas guide, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/personas.md")]
mod personas {}

//! The reference host: an agent loop that fires every event and obeys every outcome.
//!
//! A [`Session`] holds a conversation between a user and an agent. Each [`Session::turn`] calls the model, runs its
//! tool calls and calls the model again, until it gives an answer that the hooks accept. Start reading at
//! `turn_loop/iteration_loop.rs`; every tool call goes through `tools/dispatch`, and every child agent through
//! `delegation`.

pub mod model;

mod approval;
mod budget;
mod compaction;
mod completion;
mod conversation;
mod delegation;
mod edit_reports;
mod edits;
mod handoff_events;
mod host;
mod judge;
mod meta;
mod observer;
mod permission;
mod persona;
mod recording;
mod reminders;
mod scenario;
mod session;
mod session_events;
mod session_state;
mod team;
mod tools;
mod toolsets;
mod turn_context;
mod turn_error;
mod turn_life;
mod turn_loop;
mod unsettled;
mod verify;
mod workspace;

pub use budget::{BudgetExceeded, BudgetUsage};
pub use compaction::CompactionResult;
pub use judge::ModelJudge;
pub use observer::{AgentEvent, NoObserver, Observer, ToolCallEnd};
pub use persona::{HandoffReceipt, Persona, PersonaStep, StepError, StepErrorKind};
pub use scenario::{ScenarioDifference, ScenarioPlayer, ScenarioTranscript, TranscriptLine, compare_values};
pub use session::{
    DaemonOptions, InterruptHandle, InterruptResult, Session, SessionBuildError, SessionBuilder, SessionStatus,
    SessionSummary, TapeOverview,
};
pub use session_state::{Inbox, PausedPersona, RealSleeper, Sleeper, TurnOutput};
pub use turn_context::{ModelOpener, Tool, ToolContext, ToolError};
pub use turn_error::{TurnError, TurnErrorKind};
pub use workspace::{Workspace, WorkspaceError};

/// The code blocks of the guide to the agent loop, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/agent-loop.md")]
mod agent_loop {}

/// The code block of the personas guide, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/personas.md")]
mod personas {}

//! Helpers for Pintle's tests: a controlled clock, scripted hooks, example events, a journal of lines, an effect runner in memory, a
//! model server, and a bench that compares two things in one run. For development only.

pub mod bench;
pub mod model_server;

mod approver;
mod clock;
mod effects;
mod example;
mod handler;
mod hook;
mod journal;
mod lines;
mod matcher;
mod panics;
mod program;

pub use approver::ScriptedApprover;
pub use clock::{FakeClock, RunningClock};
pub use effects::InMemoryEffects;
pub use example::{
    catalogue_payload, event_from, example_event, example_guard, example_origin, fenced_blocks, misread_answers,
    plain_event, read_cases,
};
pub use handler::{CallMismatchError, ScriptedHandler, SeenCall};
pub use hook::{chain, hook};
pub use journal::LineJournal;
pub use lines::SharedLines;
pub use matcher::{ClosureMatcher, SubjectMatcher};
pub use panics::quiet_panics;
pub use program::{copy_program, make_executable};

/// The longest that a test waits for something that happens at once unless there is a fault.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(120);

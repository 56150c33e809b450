//! The reference host: an agent loop that fires every event and obeys every outcome.
//!
//! A [`Session`] holds a conversation between a person and an agent. Each [`Session::turn`] asks the model, makes its
//! tool calls and asks again, until there is an answer that the hooks accept. Enter at `session/iterations.rs`; every
//! tool call goes through `tools/dispatch`, and every sub-agent through `delegation`.

pub mod model;

mod agent;
mod compaction;
mod delegation;
mod host;
mod judge;
mod meta;
mod observe;
mod permission;
mod session;
mod team;
mod tools;
mod toolsets;
mod turn;
mod verify;
mod workspace;

pub use agent::OpenModel;
pub use compaction::Compacted;
pub use judge::ModelJudge;
pub use observe::{Happening, Observer, Unobserved};
pub use session::{
    Answer, Fault, FaultKind, Inbox, Interrupt, Interrupted, RealSleeper, Session, SessionBuilder, Sleeper,
};
pub use tools::{Tool, ToolUse};
pub use workspace::Workspace;

//! The reference host: an agent loop that fires every event and obeys every outcome.
//!
//! A [`Session`] holds a conversation between a person and an agent. Each [`Session::turn`] asks the model, makes its
//! tool calls and asks again, until there is an answer that the hooks accept. Enter at `session/iterations.rs`; every
//! tool call goes through `tools/dispatch.rs`, and every sub-agent through `delegation`.

pub mod model;

mod agent;
mod delegation;
mod host;
mod meta;
mod observe;
mod session;
mod tools;
mod turn;
mod verify;
mod workspace;

pub use agent::OpenModel;
pub use observe::{Happening, Observer, Unobserved};
pub use session::{Answer, Fault, FaultKind, Interrupt, Interrupted, RealSleeper, Session, SessionBuilder, Sleeper};
pub use tools::{Tool, ToolUse};
pub use workspace::Workspace;

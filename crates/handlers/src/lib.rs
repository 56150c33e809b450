//! What runs when a hook is asked: scripts, in process or isolated, and native closures.
//!
//! This crate is the only place that starts processes or opens sockets for a hook. It knows no dialect: a handler holds
//! the codec it was declared with.

pub mod http;
pub mod isolate;
pub mod jail;
pub mod mcp;
pub mod native;
pub mod process;
pub mod secrets;
pub mod snapshot;

mod build;
mod builtin;
mod command;
mod model;
mod pattern;
mod reach;
mod sandbox;
mod script;
mod surroundings;
mod template;
mod webhook;
mod worker;

pub use build::Builder;
pub use builtin::{BuiltinRow, CommandSafety, builtins, calendar_date, read_large_result, safety_of};
pub use isolate::WorkerProgram;
pub use script::{ScriptTool, worker_main};

//! Runs hooks: scripts, in process or in script workers, commands, webhooks, models, built-ins and native closures.
//!
//! This is the only crate that starts processes or opens sockets for a hook. It does not know dialects: a handler holds
//! the codec that it was declared with.

pub mod async_runtime;
pub mod http;
pub mod jail;
pub mod mcp;
pub mod native;
pub mod process;
pub mod script_worker;
pub mod secrets;
pub mod snapshot;

mod build;
mod builtin;
mod capabilities;
mod command;
mod command_context;
mod judge;
mod persistent;
mod regex_matcher;
mod sandbox;
mod script;
mod template;
mod webhook;

pub use build::DefaultHandlerFactory;
pub use builtin::{BuiltinDef, CommandSafety, builtins, classify_command};
pub use script::{ScriptTool, worker_main};
pub use script_worker::WorkerProgram;

//! Runs hooks: scripts, in process or in script workers, commands, webhooks, models, built-ins and native closures.
//!
//! What a handler needs from other crates is behind a feature: `script`, `commands`, `http`, `mcp` and `models`. A hook
//! that needs a feature which is not built in does not load, and its diagnostic names the feature.
//!
//! Commands and MCP servers are programs, which Pintle contains by means of Unix. On other systems the feature `commands`
//! is as if it were not built in, and an MCP server that is a program is not started; scripts, webhooks, models, native
//! hooks and built-ins that start no program, such as packs, run there.
//!
//! This is the only crate that starts processes or opens sockets for a hook. It does not know dialects: a handler holds
//! the codec that it was declared with.

// What only some features use is checked where all of them are built.
#![cfg_attr(not(all(unix, feature = "full")), allow(dead_code, unused_imports))]

#[cfg(feature = "http")]
pub mod async_runtime;
#[cfg(feature = "http")]
pub mod http;
#[cfg(not(feature = "http"))]
#[path = "absent/http.rs"]
pub mod http;
#[cfg(feature = "script")]
pub mod jail;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod native;
pub mod process;
pub mod script_worker;
pub mod secrets;
pub mod snapshot;

mod absent;
mod build;
mod builtin;
mod capabilities;
#[cfg(all(unix, feature = "commands"))]
mod command;
mod command_context;
mod hook_input;
#[cfg(feature = "models")]
mod judge;
#[cfg(all(unix, feature = "commands"))]
mod persistent;
#[cfg(any(feature = "script", all(unix, feature = "commands")))]
mod program_slots;
mod regex_matcher;
mod sandbox;
#[cfg(feature = "script")]
mod script;
#[cfg(not(feature = "script"))]
#[path = "absent/script.rs"]
mod script;
mod template;
#[cfg(feature = "http")]
mod webhook;
mod worker_program;

pub use build::DefaultHandlerFactory;
pub use builtin::{BuiltinDef, CommandSafety, builtins, classify_command, judge_call};
#[cfg(feature = "script")]
pub use script::ScriptTool;
pub use script_worker::WorkerProgram;
pub use worker_program::{serve_worker, worker_main};

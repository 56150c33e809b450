//! Builds handlers and matchers from scripts, in this process or in a script worker.

mod build;
mod function;
mod handler;
mod matcher;
mod modules;
mod remote;
mod tool;
mod worker;

pub(crate) use handler::NoopHandler;
pub(crate) use modules::ModuleCache;
pub use tool::ScriptTool;
pub use worker::worker_main;

//! Scripts: declarations into handlers and matchers, in this process or in an isolated one.

mod build;
mod handler;
mod matcher;
mod remote;
mod tool;
mod worker;

pub(crate) use handler::NoHandler;
pub use tool::ScriptTool;
pub use worker::worker_main;

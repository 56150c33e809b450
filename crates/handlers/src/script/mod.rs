//! Scripts: declarations into handlers and matchers, in this process or in an isolated one.

mod build;
mod function;
mod handler;
mod matcher;
mod modules;
mod remote;
mod tool;
mod worker;

pub(crate) use handler::NoHandler;
pub(crate) use modules::Modules;
pub use tool::ScriptTool;
pub use worker::worker_main;

//! What several commands are told in the same words.

mod agent;
mod asks;
pub(crate) mod consent;
mod event;
mod flags;
mod folders;
mod global;
mod hooks;
mod host;
pub(crate) mod payload;
mod places;
pub(crate) mod redaction;
mod rules;
mod session;
mod tape;
mod user;

pub(crate) use agent::{AgentOption, own_chains};
pub(crate) use asks::{Asks, open};
pub(crate) use event::{EventArgument, RowArgument};
pub(crate) use flags::HookFlags;
pub(crate) use folders::FolderOptions;
pub(crate) use global::{Color, Global};
pub(crate) use hooks::{HookOptions, builder, load, model_opener, model_script};
pub(crate) use host::{HostArgument, HostsArgument, ProjectOption, ScopeArgument};
pub(crate) use payload::{Given, example, payload};
pub(crate) use places::Places;
pub(crate) use redaction::Redaction;
pub(crate) use rules::{Rules, mode_of, mode_word};
pub(crate) use session::{LAST, SessionTape, find, pick, tapes, tapes_folder};
pub(crate) use tape::NewTape;
pub(crate) use user::UserOptions;

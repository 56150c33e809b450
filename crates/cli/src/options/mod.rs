//! What several commands are told in the same words.

mod asks;
mod event;
mod global;
mod hooks;
mod payload;
mod tape;

pub(crate) use asks::{Asks, open};
pub(crate) use event::{EventArgument, RowArgument};
pub(crate) use global::{Color, Global};
pub(crate) use hooks::{HookOptions, builder, here, load};
pub(crate) use payload::{Given, payload};
pub(crate) use tape::NewTape;

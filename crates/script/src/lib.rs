//! Starlark: the only crate that uses the `starlark` interpreter.
//!
//! A script is compiled and frozen once ([`compile`]) and called any number of times, each call in a fresh scope
//! with limits ([`Script::handle`], [`Script::run`], [`PluginFunction::call`]). Effects leave through one door, the
//! [`EffectRunner`](pintle_contract::Seam) of the [`Invocation`].
//!
//! The interpreter's own limits do not stop everything: one expression can allocate until the process dies. So
//! [`compile`] decides by analysis whether the cost of a script is bounded by its input ([`Placement`]). Only such
//! scripts are loaded and run in this process; the others belong in a worker process ([`worker`]) that may die.
//!
//! A process that runs hooks should set `RUST_LIB_BACKTRACE=0`: with `RUST_BACKTRACE=1` alone every error that a
//! script raises captures a backtrace, which makes a raising hook ten times slower.

pub mod search;
pub mod worker;

mod analysis;
mod call;
mod called;
mod compile;
mod demand;
mod finding;
mod globals;
mod load;
mod payload;
mod plugin;
mod reach;
mod source;
mod state;
mod values;
mod when;

pub use call::Invocation;
pub use called::{check_calls, tools_line};
pub use compile::{Compiled, Placement, Powers, Role, compile, compile_unbounded, with_room};
pub use finding::Finding;
pub use globals::{Builtin, DONE_KEY, catalogue, get_ready};
pub use load::Script;
pub use plugin::{
    CompiledPlugin, Facts, Given, Inventory, PluginFunction, PluginModule, Recorded, compile_plugin,
    compile_plugin_unbounded,
};
pub use reach::reaches;
pub use when::{CompiledWhen, When, compile_when};

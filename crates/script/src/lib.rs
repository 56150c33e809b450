//! Starlark: the only crate that uses the `starlark` interpreter.
//!
//! A script is compiled and frozen once ([`compile`]) and called any number of times, each call in a fresh scope with
//! limits ([`Script::handle`], [`Script::run`], [`PluginFunction::call`]). All effects go through the
//! [`EffectRunner`](pintle_contract::EffectRunner) of the [`Invocation`].
//!
//! The interpreter's own limits do not stop everything: one expression can allocate until the process dies. So
//! [`compile`] analyses whether the cost of a script is bounded by its input ([`ScriptPlacement`]). Only such scripts
//! are loaded and run in this process; the others belong in a worker process ([`worker`]) that may die.
//!
//! A process that runs hooks should set `RUST_LIB_BACKTRACE=0`: with only `RUST_BACKTRACE=1`, every error that a script
//! raises captures a backtrace, which makes a raising hook ten times slower.

pub mod search;
pub mod worker;

mod analysis;
mod call;
mod call_state;
mod called;
mod capabilities;
mod compile;
mod coverage;
mod demand;
mod finding;
mod globals;
mod guard_check;
mod language;
mod load;
mod mutants;
mod native;
mod payload;
mod plugin;
mod source;
mod starlark_values;
mod when;

pub use call::Invocation;
pub use called::{check_calls, tool_header_line};
pub use capabilities::capability_names;
pub use compile::{CompiledScript, compile, compile_covered, with_compiler_stack};
pub use coverage::{CoverageKind, CoveragePoint, CoverageRecorder, CoveredScript, PointHits};
pub use finding::ScriptFinding;
pub use globals::{DONE_KEY, ScriptBuiltinDef, catalogue};
pub use guard_check::{EventFunction, GuardScripts, check_guard};
pub use language::{ScriptKind, ScriptPlacement, ScriptPowers};
pub use load::Script;
pub use mutants::{ScriptMutant, script_mutants, when_mutants};
pub use plugin::{
    CompiledPlugin, FunctionInfo, PluginFunction, PluginInventory, PluginModule, RecordedArgument,
    RecordedRegistration, compile_plugin, compile_plugin_covered, compile_plugin_unbounded,
};
pub use when::{CompiledWhen, WhenPredicate, compile_when, compile_when_covered};

//! AI Harness: Markdown files with Starlark hooks, and Pintle's own format.
//!
//! Where the reference and its implementation differ, Pintle follows the reference; `DEVIATIONS.md` lists each
//! difference. Pintle adds optional keys to a hook: `timeout_ms`, `on_error`, `mode`, `files` and `examples`, and hooks
//! can subscribe to every event of the catalogue.

mod codec;
mod decode;
pub(crate) mod load;

use std::sync::LazyLock;

use crate::Dialect;

pub use codec::codec;
pub use load::{
    FETCHED_DIR, FaultKind, InlineHook, KEY_SECTIONS, PersonAnswer, PolicyBase, PolicyCase, PolicyCases,
    ScenarioAction, ScenarioCall, ScenarioExpectation, ScenarioFault, ScenarioReply, ScenarioStep, ScriptedResult,
    TestScenario, TestScenarios, TurnEnding, declare_hook, declare_pack, load, pack_arguments, policy_bases,
    read_case_file, read_hook, read_policy, read_scenario_file,
};

/// The AI Harness dialect.
pub static DIALECT: Dialect = Dialect {
    name: codec::NAME,
    description: "AI Harness: Markdown files with Starlark hooks, tools and agents under `.harness/`",
    profile: codec::PROFILE,
    events: LazyLock::new(|| codec::NAMES),
    codec,
    load,
};

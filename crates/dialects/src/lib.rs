//! The formats in which hooks are written: files to declarations, and events to payloads and output to verdicts through
//! a codec.
//!
//! Each dialect is a directory of the same shape: `mod.rs` (overview and event table), `load` (files to declarations
//! and diagnostics), `encode.rs` (an event as its handlers expect it), `decode.rs` (handler output to a verdict) and
//! `DEVIATIONS.md` (where Pintle differs on purpose; each line names a test). The list of dialects is [`DIALECTS`];
//! `document` parses the YAML and Markdown that several of them share.
//!
//! This crate does not read files: the loader reads them and passes [`Artifact`]s.

pub mod agent_hooks;
pub mod ai_harness;
pub mod command_hooks;
pub mod docker_agent;
pub mod document;
pub mod framework_hooks;
pub mod harn;
pub mod harness_framework;
pub mod lifecycle_hooks;

mod artifact;
mod client_files;
mod dialect;
mod file_schemas;
mod table;
mod words;

client_files::dialects!(
    [ai_harness, docker_agent, harn, harness_framework],
    [claude_code, codex, gemini, qwen, copilot, cursor, cline]
);

pub use ai_harness::{
    FETCHED_DIR, FaultKind, InlineHook, KEY_SECTIONS as ARTIFACT_KEYS, PersonAnswer, PolicyBase, PolicyCase,
    PolicyCases, ScenarioAction, ScenarioCall, ScenarioExpectation, ScenarioFault, ScenarioReply, ScenarioStep,
    ScriptedResult, TestScenario, TestScenarios, TurnEnding, declare_hook, declare_pack, pack_arguments, policy_bases,
    read_case_file, read_hook, read_policy, read_scenario_file,
};
pub use artifact::{Artifact, ArtifactKind, BundleFolder, ParseContext, ParsedProject, PathStatus, ProgramLookup};
pub(crate) use dialect::event;
pub use dialect::{Dialect, DialectEvent, EventAlias, EventMapping, EventNames, EventSupport, UnmappedEvents};
pub use file_schemas::{FileSchema, file_schemas};
pub use table::NATIVE;

#[cfg(test)]
mod test_support;

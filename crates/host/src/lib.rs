//! The embedding API of Pintle: load hooks, fire events, obey outcomes.
//!
//! # Overview
//!
//! A host is a program that runs an agent. At each point of the agent's life it tells Pintle what is about to happen, and
//! does what comes back: go on, go on with something else, or refuse. Who decides that are *hooks*: files, or closures of
//! the host.
//!
//! A host with a loop of its own calls one function per step of that loop. They know which events a step fires, in which
//! order, and what a deny means ([`lifecycle`]):
//!
//! ```
//! use std::sync::Arc;
//! use pintle_host::lifecycle::ToolCallRequest;
//! use pintle_host::tools::PINTLE;
//! use pintle_host::{EventScope, Origin, Runtime, ToolCallDecision, ToolHook};
//!
//! let guard = ToolHook::for_tools("shell").name("no_rm").pre(|event| {
//!     let command = event.tool_arg("command")?.as_str()?;
//!     command.starts_with("rm ").then(|| pintle_host::HookReturn::block("nothing is deleted here"))
//! });
//! let runtime = Runtime::builder().register_tool_hook(guard).build()?;
//!
//! let (origin, scope) = (Arc::new(Origin::default()), EventScope::default());
//! let call = ToolCallRequest::new("1", &PINTLE, "shell", serde_json::json!({"command": "rm -rf ."}));
//! match runtime.decide_tool_call(call, &origin, &scope) {
//!     ToolCallDecision::Refuse(refusal) => assert!(refusal.reason().contains("nothing is deleted here")),
//!     ToolCallDecision::Run(call) => unreachable!("{}", call.name),
//! }
//! # Ok::<(), pintle_host::LoadReport>(())
//! ```
//!
//! [`Runtime::life`] does the same for prompts, turns and model calls; [`Runtime::fire`] fires a single event.
//!
//! # Five concepts
//!
//! - **Event**: a point in an agent's life, with its data ([`Event`], [`EventKind`]). Some guard an action, some carry data
//!   that may be rewritten, some only tell. A payload is JSON; [`event`] has a type for each.
//! - **Hook**: a declaration of an event, a matcher, a handler and options. Hooks come from files
//!   ([`RuntimeBuilder::path`]), from code ([`register`]), or as a [`Chain`] of [`native`] closures.
//! - **Verdict**: what one hook says: allow, deny, ask or rewrite, with effects such as context for the model
//!   ([`Verdict`]). A hook that fails has not refused: its [`FailurePolicy`] decides.
//! - **Outcome**: what all verdicts come to by one rule, `deny > ask > rewrite > allow` ([`Outcome`]). Firing never fails:
//!   hooks that could not be called are in it.
//! - **Tape**: the record of everything that was decided, before the host acts on it. It replays byte for byte.
//!
//! # Examples
//!
//! `cargo run --package pintle --example NAME`: `guard` (ten lines), `own_loop` (an agent loop under hooks), `async_host`.
//! A service with axum is a package of its own: `cargo run --manifest-path crates/host/examples/axum_service/Cargo.toml`.
//!
//! # Features
//!
//! | feature | for | default |
//! | --- | --- | --- |
//! | `script` | hooks, conditions and tools in Starlark | yes |
//! | `tape` | recording, verifying and replaying sessions | yes |
//! | `commands` | hooks that are programs | |
//! | `http` | webhooks, and requests of scripts | |
//! | `mcp` | clients of MCP servers | |
//! | `models` | language models as judges | |
//! | `clients` | the tables of coding agents | |
//! | `full` | all of them | |
//!
//! Without features a program has native hooks and those of files that need none, such as packs. A hook that needs a
//! feature which is not built in does not load, and the error names the feature: [`RuntimeBuilder::build`] returns a
//! runtime only if everything that was declared can run.
//!
//! # Scripts that need a process
//!
//! A script that may use more time or memory than its input explains runs in a worker process. Call [`serve_worker`] first
//! in `main`, and the program is the worker of its own scripts.

#![deny(missing_docs)]
// What only some features use is checked where all of them are built.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

#[cfg(feature = "tape")]
pub mod live_replay;
mod load_report;
pub mod native;
mod refusal;
pub mod register;

#[cfg(not(feature = "tape"))]
mod absent_tape;
mod builder;
mod clock;
mod effects;
mod held_records;
mod host;
mod journal_fanout;
mod outcome_future;
mod overlay;
mod own_life;
mod own_loop;
mod payload_gate;
mod random;
mod read_large_result;
mod recheck;
mod restore_effect;
mod runtime;
mod scope;
#[cfg(feature = "script")]
mod script_tools;
mod state;
mod tape_gate;

#[cfg(not(feature = "tape"))]
use absent_tape::Tape;
#[cfg(feature = "tape")]
use pintle_tape::Tape;

pub use builder::{LoadedRuntime, RuntimeBuilder};
pub use clock::SystemClock;
pub use effects::ScopedEffects;
pub use held_records::HeldRecords;
pub use host::{AgentConversation, Host};
pub use load_report::LoadReport;
pub use outcome_future::OutcomeFuture;
pub use overlay::HookOverlay;
pub use own_life::RuntimeLife;
pub use own_loop::ToolCallDecision;
pub use random::{RandomSource, SeededRandom};
pub use recheck::RecheckMemory;
pub use refusal::Refusal;
pub use register::{
    HookEvent, HookRegistration, HookReturn, PersonaEvent, PersonaHook, SessionEvent, SessionHook, ToolHook,
};
pub use runtime::Runtime;
pub use scope::EventScope;
pub use state::{LayerState, LogBuffer, ScratchValues, ScriptLogLine, ScriptStateStore};

#[cfg(feature = "clients")]
pub use pintle_clients as clients;
pub use pintle_contract as contract;
pub use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Chain, Clock, Decision, Diagnostic, Effect, Event,
    EventKind, EventName, FailurePolicy, Handler, Hook, HookCall, Journal, Judge, Layer, NoApprover, Origin, Outcome,
    Payload, Profile, Redactor, Reminder, Severity, Verdict, event,
};
pub use pintle_dialects::command_hooks::DockerAgentVersion;
pub use pintle_engine::{
    HookExplanation, HookSet, RunPrediction, explain, is_matcher_failure_warning, is_untrusted_claim,
};
#[cfg(feature = "http")]
pub use pintle_handlers::async_runtime;
pub use pintle_handlers::http::HttpGateway;
#[cfg(feature = "http")]
pub use pintle_handlers::http::{HttpError, HttpErrorCause, build_client};
#[cfg(feature = "mcp")]
pub use pintle_handlers::mcp;
pub use pintle_handlers::{
    BuiltinDef, CommandSafety, WorkerProgram, builtins, classify_command, process, secrets, serve_worker, snapshot,
    worker_main,
};
#[cfg(feature = "script")]
pub use pintle_handlers::{ScriptTool, jail};
pub use pintle_lifecycle as lifecycle;
pub use pintle_loader::{LayerDirs, PolicyFiles, ProjectTrust, TrustGrant, TrustOptions};
#[cfg(feature = "script")]
pub use pintle_script as script;
#[cfg(feature = "tape")]
pub use pintle_tape as tape;
pub use {
    pintle_dialects as dialects, pintle_files as files, pintle_loader as loader, pintle_packs as packs,
    pintle_shell as shell, pintle_tools as tools,
};

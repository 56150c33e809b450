//! The runtime as Pintle's own programs use it, without a stable interface: it changes with any version.
//!
//! Programs that embed Pintle use the crate `pintle`, which wraps this one in types of its own. What is here beyond it:
//! configuration layers and trust ([`RuntimeBuilder::layers`], [`RuntimeBuilder::trust`]), programs that report every problem
//! of a hook file ([`RuntimeBuilder::load`]), Harn's registration functions ([`register`]), the scope in which a host fires
//! an agent's events ([`EventScope`]), the state of scripts, live replay, and the crates below, re-exported whole.
//!
//! ```
//! use std::sync::Arc;
//! use pintle_host::lifecycle::ToolCallRequest;
//! use pintle_host::tools::PINTLE;
//! use pintle_host::{EventScope, HookReturn, Origin, Runtime, ToolCallDecision, ToolHook};
//!
//! let guard = ToolHook::for_tools("shell").name("no_rm").pre(|event| {
//!     let command = event.tool_arg("command")?.as_str()?;
//!     command.starts_with("rm ").then(|| HookReturn::block("nothing is deleted here"))
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

#![deny(missing_docs)]
// What only some features use is checked where all of them are built.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

#[cfg(feature = "tape")]
pub mod live_replay;
mod load_report;
pub mod native;
#[cfg(feature = "tape")]
pub mod redecide;
mod refusal;
pub mod register;

#[cfg(not(feature = "tape"))]
mod absent_tape;
mod builder;
mod clock;
mod effects;
mod handler_override;
mod held_records;
mod host;
mod journal_fanout;
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

pub use builder::{HookCache, LoadedRuntime, RuntimeBuilder};
pub use clock::SystemClock;
pub use effects::ScopedEffects;
pub use handler_override::HandlerOverride;
pub use held_records::HeldRecords;
pub use host::{AgentConversation, Host};
pub use load_report::LoadReport;
pub use overlay::HookOverlay;
pub use own_life::RuntimeLife;
pub use own_loop::{CheckedToolCall, HookRemarks, ReviewedToolResult, ToolCallDecision};
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
pub use pintle_handlers::http::{HttpError, HttpErrorCause, build_keyed_client, innermost_text};
#[cfg(feature = "mcp")]
pub use pintle_handlers::mcp;
pub use pintle_handlers::{
    BuiltinDef, CommandSafety, WorkerProgram, builtins, classify_command, judge_call, process, secrets, serve_worker,
    snapshot, worker_main,
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

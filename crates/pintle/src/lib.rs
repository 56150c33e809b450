//! The embedding API of Pintle: load hooks, fire events, obey outcomes.
//!
//! A [`Runtime`] contains one compiled set of hooks. A host fires [`Event`]s and gets an [`Outcome`] for each, never an
//! error: hooks that failed are listed in the outcome.
//!
//! ```
//! use std::sync::Arc;
//! use pintle::{Chain, Event, EventKind, Hook, Layer, Origin, Profile, Runtime, Verdict, native};
//!
//! let guard = native::hook("no_format", EventKind::ToolPre, |call| {
//!     match call.event.subject() {
//!         Some("format_disk") => Verdict::deny("formatting is not allowed"),
//!         _ => Verdict::pass(),
//!     }
//! });
//! let runtime = Runtime::builder()
//!     .chain(Chain {
//!         source: Arc::from("main.rs"),
//!         dialect: "native",
//!         layer: Layer::Project,
//!         profile: Profile::SequentialFirstDeny,
//!         hooks: vec![Arc::new(guard)],
//!     })
//!     .build()
//!     .runtime;
//!
//! let call = serde_json::json!({"id": "1", "name": "format_disk", "arguments": "{}", "args": {}});
//! let event = Event::new(EventKind::ToolPre, call, Arc::new(Origin::default()));
//! let outcome = runtime.fire(&event);
//! assert_eq!(outcome.reason(), r#"blocked by hook "no_format": formatting is not allowed"#);
//! ```

#![deny(missing_docs)]

pub mod live_replay;
pub mod native;
pub mod register;

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
mod random;
mod read_large_result;
mod recheck;
mod restore_effect;
mod runtime;
mod scope;
mod state;
mod tape_gate;

pub use builder::{BuiltRuntime, RuntimeBuilder};
pub use clock::SystemClock;
pub use effects::ScopedEffects;
pub use held_records::HeldRecords;
pub use host::Host;
pub use outcome_future::OutcomeFuture;
pub use overlay::HookOverlay;
pub use own_life::RuntimeLife;
pub use own_loop::ToolCallDecision;
pub use random::{RandomSource, SeededRandom};
pub use recheck::RecheckMemory;
pub use register::{
    HookEvent, HookRegistration, HookReturn, PersonaEvent, PersonaHook, SessionEvent, SessionHook, ToolHook,
};
pub use runtime::Runtime;
pub use scope::EventScope;
pub use state::{LayerState, LogBuffer, ScratchValues, ScriptLogLine, ScriptStateStore};

pub use pintle_clients as clients;
pub use pintle_contract::*;
pub use pintle_dialects as dialects;
pub use pintle_engine::{
    HookExplanation, HookSet, RunPrediction, explain, is_matcher_failure_warning, is_untrusted_claim,
};
pub use pintle_files as files;
pub use pintle_handlers::async_runtime;
pub use pintle_handlers::http::HttpGateway;
pub use pintle_handlers::{
    BuiltinDef, CommandSafety, ScriptTool, WorkerProgram, builtins, classify_command, jail, mcp, process, secrets,
    snapshot, worker_main,
};
pub use pintle_lifecycle as lifecycle;
pub use pintle_loader as loader;
pub use pintle_packs as packs;
pub use pintle_script as script;
pub use pintle_shell as shell;
pub use pintle_tape as tape;
pub use pintle_tools as tools;

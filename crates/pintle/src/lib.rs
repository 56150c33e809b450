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
// What only some features use is checked where all of them are built.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

pub mod hosting;
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "tape")]
pub mod live_replay;
pub mod loading;
pub mod native;
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
mod random;
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
use effects::ScopedEffects;
use held_records::HeldRecords;
use host::Host;
use overlay::HookOverlay;
#[cfg(feature = "tape")]
use pintle_tape::Tape;
use random::{RandomSource, SeededRandom};
use recheck::RecheckMemory;
use state::{LogBuffer, ScratchValues, ScriptLogLine, ScriptStateStore};

pub use builder::{BuiltRuntime, RuntimeBuilder};
pub use clock::SystemClock;
pub use outcome_future::OutcomeFuture;
pub use own_life::RuntimeLife;
pub use own_loop::ToolCallDecision;
pub use register::{
    HookEvent, HookRegistration, HookReturn, PersonaEvent, PersonaHook, SessionEvent, SessionHook, ToolHook,
};
pub use runtime::Runtime;
pub use scope::EventScope;

#[cfg(feature = "clients")]
pub use pintle_clients as clients;
pub use pintle_contract as contract;
pub use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Chain, Clock, Decision, Diagnostic, Effect, Event,
    EventKind, EventName, FailurePolicy, Handler, Hook, HookCall, Journal, Judge, Layer, NoApprover, Origin, Outcome,
    Payload, Profile, Redactor, Reminder, Severity, Verdict, event,
};
pub use pintle_handlers::{WorkerProgram, serve_worker};
pub use pintle_lifecycle as lifecycle;
#[cfg(feature = "tape")]
pub use pintle_tape as tape;
pub use pintle_tools as tools;

//! The hook runtime for AI agents: load hooks, fire events, obey outcomes.
//!
//! A host is a program that runs an agent. At each point of the agent's life it tells Pintle what is about to happen, and
//! does what comes back: go on, go on with something else, or refuse. *Hooks* decide that: files that a user writes, packs
//! of rules, or closures of the program.
//!
//! ```
//! use pintle::{Hook, Runtime, ToolCall};
//! use serde_json::json;
//!
//! let runtime = Runtime::builder()
//!     .packs(["shell", "git"])
//!     .hook(Hook::deny_tools(["deploy_*"], "deployments are made by people"))
//!     .build()?;
//!
//! // What the model wants to do. `Err` has the reason, which is the call's result for the model.
//! let refusal = runtime.decide_tool_call(ToolCall::new("1", "shell", json!({"command": "rm -rf /"}))).unwrap_err();
//! assert!(refusal.reason().contains("[shell."));
//!
//! let call = runtime.decide_tool_call(ToolCall::new("2", "shell", json!({"command": "ls"}))).unwrap();
//! let output = format!("ran {}", call.args()["command"]); // the program's own tool, with the arguments that hooks left
//! let result = runtime.conclude_tool_call(&call, call.result(&output));
//! assert_eq!(result.content(), "ran \"ls\"");
//! # Ok::<(), pintle::LoadReport>(())
//! ```
//!
//! # Concepts
//!
//! - **Event**: a point in an agent's life, with its data. [`events`] has a type for each. Some guard an action, some carry
//!   data that may be rewritten, some only tell. [`Runtime::fire`] fires one.
//! - **Hook**: what is asked about an event. Hooks come from files ([`RuntimeBuilder::path`]), packs
//!   ([`RuntimeBuilder::packs`]) and closures ([`Hook::on`]).
//! - **Verdict**: what one hook says: allow, deny, ask or rewrite, with texts for the model and the user ([`Verdict`]). A
//!   hook that fails has not denied: its [`FailurePolicy`] decides.
//! - **Outcome**: what all verdicts come to by one rule, `deny > ask > rewrite > allow` ([`Outcome`]).
//! - **AgentLife**: the order in which an agent's events fire, and what a deny means at each ([`AgentLife`]).
//! - **Tape**: the record of everything that was decided, before the host acts on it. It replays byte for byte.
//!
//! [`RuntimeBuilder::build`] returns a runtime only if everything that was declared can run, since it may be a guard.
//!
//! # Features
//!
//! | feature | for | default |
//! | --- | --- | --- |
//! | `script` | hooks and conditions in Starlark | yes |
//! | `tape` | recording, verifying and replaying sessions | yes |
//! | `powershell` | packs that read lines of PowerShell and cmd | yes |
//! | `code` | packs that read the Python, JavaScript and other code of command lines | yes |
//! | `sql` | packs that read statements for databases | yes |
//! | `commands` | hooks that are programs | |
//! | `http` | webhooks, and requests of scripts | |
//! | `mcp` | hooks that call MCP servers | |
//! | `models` | language models as judges | |
//! | `full` | all of them | |
//!
//! Without features a program has closures, packs and other hooks of files that need none. A hook that needs a feature which
//! is not built in does not load, and the error names the feature. Packs ask about a command line that needs a reader which
//! is not built in.
//!
//! # Platforms
//!
//! Linux, macOS and Windows. The launcher of programs and the sandbox have no Windows form yet: a hook that is a program does
//! not load there, and an MCP server that is one does not start.
//!
//! # Stability
//!
//! Everything here is meant to last. What Pintle's own programs need beyond it, such as trust, configuration layers and the
//! agent loop, is in `pintle-host` and `pintle-agent`, which change with any version.

#![deny(missing_docs)]

mod approval;
mod event;
mod hook;
#[cfg(feature = "models")]
mod judge;
mod life;
mod outcome;
mod pending;
mod report;
mod runtime;
#[cfg(feature = "tape")]
mod tape;
mod tool;
mod verdict;

pub use approval::{ApprovalRequest, ApprovalResponse, Approver};
pub use event::{Event, EventError, EventType, Origin, ToolEvent, events};
pub use hook::{CallScope, FailurePolicy, Hook, HookCall, HookClosure};
#[cfg(feature = "models")]
pub use judge::JudgeRequest;
pub use life::{AgentLife, ReviewedAnswer};
pub use outcome::{Decision, Outcome, Refusal};
pub use report::{Diagnostic, LoadReport};
pub use runtime::{HookRegistration, Layer, Runtime, RuntimeBuilder};
#[cfg(feature = "tape")]
pub use tape::{Tape, TapeError};
pub use tool::{ToolCall, ToolOutput, ToolVocabulary};
pub use verdict::Verdict;

/// Makes this program the worker of its own scripts: a script that may use more time or memory than its input explains runs
/// in another process of the same program. Call it first in `main`, and end with the code that it returns.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(ended) = pintle::serve_worker() {
///         return ended;
///     }
///     // Build a runtime, and run the agent.
///     std::process::ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn serve_worker() -> Option<std::process::ExitCode> {
    pintle_host::serve_worker()
}

/// Serves as a worker until the runtime that started this process is done with it. For programs that
/// [`RuntimeBuilder::worker`] starts with arguments of their own, such as a module of an interpreter.
#[must_use]
pub fn run_worker() -> std::process::ExitCode {
    pintle_host::worker_main()
}

/// The code blocks of the embedding guide, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/embedding.md")]
mod embedding {}

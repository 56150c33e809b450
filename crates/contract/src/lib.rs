//! The words of Pintle: events, hooks, verdicts, outcomes and the seams between the crates.
//!
//! This crate holds data and traits only. It does no I/O, reads no clock, starts no thread and knows no dialect
//! by name; the tidy test of the workspace holds it to that.
//!
//! Data flows one way: event → select → dispatch → compose → outcome → tape (design, section 3). The modules
//! follow that order.

pub mod event;

mod agent;
mod answer;
mod build;
mod cancel;
mod clock;
mod codec;
mod declaration;
mod diagnostic;
mod effect;
mod failure;
mod handler;
mod hook;
mod journal;
mod json;
mod limits;
mod matcher;
mod outcome;
mod parts;
mod payload;
mod payload_limit;
mod plugin;
mod reach;
mod redact;
mod reminder;
mod resolver;
mod seam;
mod source;
mod suggest;
mod verdict;

pub use agent::{
    AgentSpec, BudgetSpec, CompactionSpec, DELEGATION_TOOLS, DONE_TOOL, DelegationSpec, ErrorBoundary, ExitMode,
    ExitSpec, HistorySpec, McpSpec, McpTransport, MemberSpec, MetaSpec, ModelSpec, NATIVE_TOOLS, NetworkSpec,
    OnMaxIterations, PermissionMode, PermissionRule, PermissionsSpec, PersonaSpec, PolicyMode, PriceSpec, RetrySpec,
    ScriptToolSpec, StepSpec, TeamSpec, ToolSpec, ToolsPolicy, ToolsetKind, ToolsetSpec, price_of,
};
pub use answer::{Answer, ProcessAnswer, Returned, ScriptAnswer};
pub use build::{Build, BuiltHandler, BuiltMatcher, Judge, JudgeQuestion};
pub use cancel::Cancel;
pub use clock::Clock;
pub use codec::Codec;
pub use declaration::{
    BuiltinSpec, CommandBinding, CommandSpec, HandlerSpec, HookDeclaration, HookExample, HttpSpec, JudgeSpec,
    MatcherSpec, SandboxSpec, ScriptText,
};
pub use diagnostic::{Diagnostic, Severity};
pub use effect::{Effect, LogLevel};
pub use event::{Event, EventName, Origin};
pub use failure::{Failure, FailureKind, FailurePolicy, LimitKind};
pub use handler::{Call, CallId, Handler, Influence};
pub use hook::{Chain, Hook, HookId, Layer, Mode, OnDeny, Profile, Standing};
pub use journal::{Entry, Journal, NoJournal};
pub use json::{JsonError, read_json, read_json_bytes, read_leading_json, shown_key};
pub use limits::Limits;
pub use matcher::{Match, Matcher, Subjects};
pub use outcome::{Approval, Decision, FailureReport, Outcome, Reason, ShadowVerdict, Warning};
pub use parts::{Get, Key, Part, Parts};
pub use payload::{Payload, field_of};
pub use payload_limit::{
    MAX_PAYLOAD_BYTES, MAX_PAYLOAD_VALUES, PayloadError, check_json_text, check_payload, payload_weight, read_payload,
};
pub use plugin::{Argument, Closure, FunctionRef, FunctionSpec, Plugin, Registration};
pub use reach::{Reach, UntrustedGuards};
pub use redact::Redact;
pub use reminder::{Authority, Propagate, Reminder, RoleHint};
pub use resolver::{DenyAll, Grant, Question, Resolution, Resolver};
pub use seam::{Caller, NoSeam, Reply, Request, Seam, SeamError};
pub use source::{Location, SourceFile, Span};
pub use suggest::did_you_mean;
pub use verdict::{Rewrite, Said, Verdict};

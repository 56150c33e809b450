//! The vocabulary of Pintle: events, hooks, verdicts, outcomes, and the traits between the crates.
//!
//! This crate holds data and traits only. It does no I/O, reads no clock, starts no thread and names no dialect; `xtask
//! tidy` checks this.
//!
//! Data flows one way: event → select → dispatch → compose → outcome → tape. The modules follow that order.

#![deny(missing_docs)]

pub mod event;

mod agent;
mod approver;
mod call_reads;
mod cancel_channel;
mod cancel_token;
mod capability;
mod clock;
mod codec;
mod declaration;
mod diagnostic;
mod effect;
mod effect_runner;
mod failure;
mod handler;
mod handler_factory;
mod handler_output;
mod hook;
mod journal;
mod json;
mod lazy_payload;
mod limits;
mod matcher;
mod operation;
mod outcome;
mod payload;
mod payload_limit;
mod plugin;
mod redactor;
mod reminder;
mod retention;
mod source;
mod suggest;
mod telemetry;
mod tool_kind;
mod verdict;

pub use agent::{
    AgentSpec, BudgetSpec, CompactionSpec, DELEGATION_TOOLS, DONE_TOOL, DelegationSpec, ErrorBoundary, ExitMode,
    ExitSpec, HistorySpec, LoopRules, McpSpec, McpTransport, MemberSpec, MetaSpec, ModelSpec, NATIVE_TOOLS,
    NetworkSpec, OnMaxIterations, PermissionMode, PermissionRule, PermissionsSpec, PersonaSpec, PolicyMode, PriceSpec,
    RefusalWording, RetrySpec, ScriptToolSpec, StepSpec, TeamSpec, ToolSpec, ToolsPolicy, ToolsetKind, ToolsetSpec,
    UnknownStepError, price_of,
};
pub use approver::{ApprovalRequest, ApprovalResponse, ApprovalScope, Approver, NoApprover};
pub use call_reads::{CallReads, EventCallReads};
pub use cancel_channel::{CancelReceiver, CancelSender, ReceiveError};
pub use cancel_token::{CancelToken, WakeGuard};
pub use capability::{Capability, UntrustedGuardPolicy};
pub use clock::Clock;
pub use codec::{Codec, FileContentKeys};
pub use declaration::{
    BuiltinSpec, CommandBinding, CommandSpec, HandlerSpec, HookDeclaration, HookExample, HttpSpec, JudgeSpec,
    MatcherSpec, SandboxSpec, ScriptSource,
};
pub use diagnostic::{Diagnostic, Severity};
pub use effect::{DELEGATING_EVENTS, Effect, LogLevel};
pub use effect_runner::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, NoEffects};
pub use event::{Event, EventKind, EventName, Origin};
pub use failure::{Failure, FailureKind, FailurePolicy, LimitKind};
pub use handler::{CallId, CallMemory, Handler, HookCall, HookInfluence};
pub use handler_factory::{
    BuiltHandler, BuiltMatcher, HandlerFactory, Judge, JudgeRequest, NameTest, NameTestKind, ScriptTexts,
};
pub use handler_output::{CommandOutput, FunctionOutput, HandlerOutput, ScriptOutput};
pub use hook::{Chain, DenyEffect, EnforcementMode, Hook, HookId, Layer, Profile, SourceTrust};
pub use journal::{DispatchId, EventCause, Journal, JournalEntry, NullJournal};
pub use json::{
    JsonError, estimate_json_bytes, format_key, json_text, read_json, read_json_bytes, read_leading_json, write_json,
};
pub use lazy_payload::{KeySource, LazyPayload, LazyValue, PayloadKey};
pub use limits::CallLimits;
pub use matcher::{MatchResult, Matcher, SubjectFilter};
pub use operation::{CallCommand, Operation, OperationKind, OperationTag, PathPlace};
pub use outcome::{Approval, Decision, FailureReport, Outcome, OutcomeReason, ShadowVerdict, Warning};
pub use payload::{ListPrefix, Payload, get_field, to_hex};
pub use payload_limit::{
    MAX_PAYLOAD_BYTES, MAX_PAYLOAD_VALUES, PayloadError, check_json_text, check_payload, measure_payload, read_payload,
};
pub use plugin::{FunctionRef, FunctionSpec, LoadedPlugin, RegisteredFunction, RegistrationArgument, RegistrationCall};
pub use redactor::Redactor;
pub use reminder::{Reminder, ReminderAuthority, ReminderPropagation, ReminderRoleHint};
pub use retention::TapeRetention;
pub use source::{ByteSpan, Location, SourceFile};
pub use suggest::{did_you_mean, suggest_nearest, suggest_or_list};
pub use telemetry::TelemetrySettings;
pub use tool_kind::ToolKind;
pub use verdict::{Rewrite, Verdict, VerdictKind};

//! Runs Pintle's hooks for other agents: reads the host's payload and writes its response.
//!
//! A host such as Claude Code starts `pintle hook claude` at a point in its agent's life. The bridge reads the host's
//! [event](HostEvent), fires the canonical events of that point in order, combines the hooks' verdicts into one
//! [`HostDecision`], fits it to what the host [supports](HostSupport), and writes it in the host's own format as a
//! [`HostResponse`].

mod agent_ancestors;
mod canary;
mod conversation;
mod deadline;
mod dispatch;
mod find_agents;
mod fit_to_host;
mod handle_call;
mod policy;
mod recognise;
#[cfg(target_os = "linux")]
mod resident;
mod retention;
mod session;
mod shared_call;

pub mod doctor;
pub mod install;
pub mod mcp_proxy;
pub mod serving;

pub use agent_ancestors::{AgentAncestor, find_agent_above, find_agent_behind};
pub use deadline::Deadline;
pub use find_agents::{FoundAgent, find_agents};
pub use handle_call::{HandledCall, HookLookup, HostCall, handle_call, preview_call};
pub use pintle_host::clients::host::{
    ActionSupport, HookAction, HostDecision, HostEvent, HostEventContext, HostEventData, HostPayloadError,
    HostResponse, HostSupport, HostToolCall, ResponseContext,
};
pub use pintle_host::clients::{
    CLIENTS as HOSTS, ClientDef as HostDef, ClientEventDef as HostEventDef, UnknownHost, list_names as list_host_names,
};
pub use recognise::{host_of_tape, host_of_tape_file, hosts_reading, recognise_payload};
#[cfg(target_os = "linux")]
pub use resident::{
    ParseCommand, ResidentCommand, ResidentOptions, ResidentReport, ask_residents, read_resident_log, run_resident,
};
pub use retention::{
    ExpiredSession, RetentionLimit, RetentionPlan, RetentionResult, is_retention_due, mark_retention_checked,
};
pub use session::{HostSessionSummary, KeptSessions, SessionSummaryError, StoredSession, hosts_dir};
pub use shared_call::CallingEntry;

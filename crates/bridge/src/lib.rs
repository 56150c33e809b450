//! Other agents as hosts: their payload in, their answer out.
//!
//! A host such as Claude Code starts `pintle hook claude` at a point in its agent's life. The bridge reads what the host
//! [told](Told), fires the canonical events of that point in order, composes what the hooks said into one [`HostDecision`],
//! narrows it to what the host [can do](Abilities), and writes it in the host's own terms as an [`HostResponse`].

mod deadline;
mod dispatch;
mod event_def;
mod fit_to_host;
mod handle_call;
mod host;
mod host_decision;
mod host_event;
mod host_response;
mod host_support;
mod policy;
mod session;

pub mod canary;
pub mod doctor;
pub mod hosts;
pub mod install;

pub use deadline::Deadline;
pub use event_def::{HostEventDef, HostPayloadError, ResponseContext};
pub use handle_call::{HookLookup, HostCall, handle_call};
pub use host::{HOSTS, HostDef, UnknownHost};
pub use host_decision::HostDecision;
pub use host_event::{HostEvent, HostEventContext, HostEventData, HostToolCall};
pub use host_response::HostResponse;
pub use host_support::{ActionSupport, HookAction, HostSupport};
pub use session::{HostSessionSummary, StoredSession};

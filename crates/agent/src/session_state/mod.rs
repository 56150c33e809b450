//! What a session and its turns keep, as data: nothing here fires an event.

mod approval_queue;
mod background_tasks;
mod child_limiter;
mod context_notes;
mod delegation_bounds;
mod inbox;
mod meta_registry;
mod pending_work;
mod persona_registry;
mod sleeper;
mod started_agents;
mod transcript;
mod turn_output;

pub use inbox::Inbox;
pub use persona_registry::PausedPersona;
pub use sleeper::{RealSleeper, Sleeper};
pub use turn_output::TurnOutput;

pub(crate) use approval_queue::{ApprovalQueue, PendingApproval};
pub(crate) use background_tasks::{BackgroundTask, BackgroundTasks, DelegationResult, TaskInfo};
pub(crate) use child_limiter::ChildLimiter;
pub(crate) use context_notes::ContextNotes;
pub(crate) use delegation_bounds::DelegationBounds;
pub(crate) use meta_registry::MetaRegistry;
pub(crate) use pending_work::{PendingWork, WorkItem, WorkKind};
pub(crate) use persona_registry::PersonaRegistry;
pub(crate) use started_agents::StartedAgents;
pub(crate) use transcript::ConversationTranscript;

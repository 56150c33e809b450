//! What hosts with agents of their own use: performing the requests of scripts, the state of sessions, holding records
//! back, and asking which hooks would run.

pub use pintle_engine::{HookExplanation, HookSet, RunPrediction, explain};

pub use crate::effects::ScopedEffects;
pub use crate::held_records::HeldRecords;
pub use crate::host::{AgentConversation, Host};
pub use crate::overlay::HookOverlay;
pub use crate::random::{RandomSource, SeededRandom};
pub use crate::recheck::RecheckMemory;
pub use crate::state::{LayerState, LogBuffer, ScratchValues, ScriptLogLine, ScriptStateStore};

//! Work that is still pending.

use serde::{Deserialize, Serialize};

/// An item of work that is still pending when a run is about to finish.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UnsettledWork {
    /// The kind of work: `tool_call`, `background_task`, `message`, `approval` or `suspended_persona`.
    pub category: String,
    /// The ID of the item.
    pub id: String,
    /// A description of the work, for the user.
    pub summary: String,
    /// How long the work has been pending, in milliseconds.
    pub age_ms: u64,
}

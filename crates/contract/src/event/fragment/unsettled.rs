//! Work that is not settled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A piece of work that is not settled when a run wants to finish.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnsettledWork {
    /// What it is: `tool_call`, `background_task`, `message`, `approval` or `suspended_persona`.
    pub category: String,
    /// Its id.
    pub id: String,
    /// What it is about, for a person.
    pub summary: String,
    /// How long it has been waiting, in milliseconds.
    pub age_ms: u64,
}

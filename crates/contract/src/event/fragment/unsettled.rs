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

/// The unsettled work of a session: work that has begun and not ended, and messages that were not delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnsettledState {
    /// Tool calls that are running, or that the model made and that have no result.
    pub tool_calls: Vec<UnsettledWork>,
    /// Delegations and commands that run in the background.
    pub background_tasks: Vec<UnsettledWork>,
    /// Messages to the agent that were not delivered yet.
    pub messages: Vec<UnsettledWork>,
    /// Unanswered approval requests.
    pub approvals: Vec<UnsettledWork>,
    /// Personas that were paused and not resumed.
    pub suspended_personas: Vec<UnsettledWork>,
}

/// The singular noun for the items of each list.
const WORDS: [&str; 5] = ["tool call", "background task", "message", "approval", "suspended persona"];

impl UnsettledState {
    fn lists(&self) -> [&Vec<UnsettledWork>; 5] {
        [&self.tool_calls, &self.background_tasks, &self.messages, &self.approvals, &self.suspended_personas]
    }

    /// Whether nothing is unsettled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|list| list.is_empty())
    }

    /// The number of items of each kind, by the singular noun, such as `tool call`.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
        WORDS.into_iter().zip(self.lists().map(Vec::len))
    }

    /// All items, kind by kind.
    #[must_use]
    pub fn all(&self) -> Vec<UnsettledWork> {
        self.lists().into_iter().flatten().cloned().collect()
    }

    /// A one-line summary, such as `1 tool call, 2 messages`.
    #[must_use]
    pub fn summary(&self) -> String {
        let told: Vec<String> = self
            .counts()
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
            .collect();
        if told.is_empty() { String::from("no unsettled work") } else { told.join(", ") }
    }
}

//! Teams: agents that delegate and hand over to each other by name.

use std::sync::Arc;

use super::{AgentSpec, PermissionsSpec, ToolsetSpec};

/// A team of agents that know each other by name. The first is the main agent.
#[derive(Debug, Clone, Default)]
pub struct TeamSpec {
    /// The agents, in the order of their file. Each has an [`AgentSpec::member`].
    pub agents: Vec<Arc<AgentSpec>>,
    /// The permission rules of all agents.
    pub permissions: PermissionsSpec,
}

impl TeamSpec {
    /// Finds an agent by name.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&Arc<AgentSpec>> {
        self.agents.iter().find(|agent| agent.name == name)
    }
}

/// An agent's role in its team.
///
/// A member has only the tools of its toolsets, and runs under its own hooks, not those of other members.
#[derive(Debug, Clone, Default)]
pub struct MemberSpec {
    /// The toolsets of the member.
    pub toolsets: Vec<ToolsetSpec>,
    /// The members that it may delegate a task to.
    pub sub_agents: Vec<String>,
    /// The members that it may hand the conversation to.
    pub handoffs: Vec<String>,
    /// The member that always gets the conversation after this one has answered.
    pub forced_handoff: Option<String>,
    /// The text that greets the user.
    pub welcome_message: Option<String>,
    /// Named prompts, available as `/name` in a conversation.
    pub commands: Vec<(String, String)>,
}

/// When a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompactionSpec {
    /// Whether the conversation is compacted automatically. Default true.
    pub enabled: bool,
    /// The share of the model's context window at which compaction starts, above 0 and at most 1. Default 0.9.
    pub threshold: f64,
    /// The model's context window in tokens; `None` is the known window of the model.
    pub context_limit: Option<u64>,
}

impl Default for CompactionSpec {
    fn default() -> Self {
        Self { enabled: true, threshold: 0.9, context_limit: None }
    }
}

//! Agents that work as a team.

use std::sync::Arc;

use super::{AgentSpec, PermissionsSpec, ToolsetSpec};

/// Agents that know each other by name. The first is the one a person talks to.
#[derive(Debug, Clone, Default)]
pub struct TeamSpec {
    /// The agents, in the order of their file. Each has [`AgentSpec::member`].
    pub agents: Vec<Arc<AgentSpec>>,
    /// What may run without a question, for all of them.
    pub permissions: PermissionsSpec,
}

impl TeamSpec {
    /// An agent by name.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&Arc<AgentSpec>> {
        self.agents.iter().find(|agent| agent.name == name)
    }
}

/// What an agent is in its team.
///
/// A member has the tools of its toolsets and no others, runs under its own hooks and those of no other member, and
/// answers for itself.
#[derive(Debug, Clone, Default)]
pub struct MemberSpec {
    /// Its tools.
    pub toolsets: Vec<ToolsetSpec>,
    /// Members that it may give a task to, and wait.
    pub sub_agents: Vec<String>,
    /// Members that it may hand the conversation to.
    pub handoffs: Vec<String>,
    /// The member that always gets the conversation when this one has answered.
    pub forced_handoff: Option<String>,
    /// Models to try when the first fails, in this order.
    pub fallback_models: Vec<super::ModelSpec>,
    /// What the person is greeted with.
    pub welcome_message: Option<String>,
    /// Named prompts, as `/name` in a conversation.
    pub commands: Vec<(String, String)>,
    /// When its conversation is compacted.
    pub compaction: CompactionSpec,
    /// Identical batches of tool calls in a row after which it is stopped. Default 5; 0 is never.
    pub max_consecutive_tool_calls: u32,
    /// The most messages of the conversation that are sent; `None` is all.
    pub history_items: Option<usize>,
    /// What happens to a call that no rule names, in sessions that begin with this member; `None` is the team's word.
    pub permission_mode: Option<super::PermissionMode>,
}

/// When a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompactionSpec {
    /// Whether it is compacted without being asked. Default true.
    pub enabled: bool,
    /// The share of the model's window that starts it, above 0 up to 1. Default 0.9.
    pub threshold: f64,
    /// The model's window in tokens; `None` is what is known of the model.
    pub context_limit: Option<u64>,
}

impl Default for CompactionSpec {
    fn default() -> Self {
        Self { enabled: true, threshold: 0.9, context_limit: None }
    }
}

//! Agents as a dialect read them: what the user declared, in one neutral form.

mod permission;
mod persona;
mod team;
mod toolset;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{HookDeclaration, Location, ScriptSource};

pub use permission::{PermissionMode, PermissionRule, PermissionsSpec};
pub use persona::{BudgetSpec, ErrorBoundary, PersonaSpec, PriceSpec, StepSpec, price_of};
pub use team::{CompactionSpec, MemberSpec, TeamSpec};
pub use toolset::{McpSpec, McpTransport, ScriptToolSpec, ToolsetKind, ToolsetSpec};

/// One agent: its model, instruction, tools, sub-agents and bounds.
#[derive(Debug, Clone, Default)]
pub struct AgentSpec {
    /// The agent's name; the root agent of a project is called `root` unless its file names it.
    pub name: String,
    /// What it is for; shown to agents that may delegate to it.
    pub description: String,
    /// The model, when declared.
    pub model: Option<ModelSpec>,
    /// Further models that it or its children may ask for by name.
    pub models: Vec<ModelSpec>,
    /// The system prompt.
    pub instruction: String,
    /// Tools declared in files, as Starlark.
    pub tools: Vec<ToolSpec>,
    /// Which tools may be used.
    pub policy: ToolsPolicy,
    /// Agents it may delegate to.
    pub agents: Vec<Arc<AgentSpec>>,
    /// Hooks that belong to this agent alone, besides those of its project.
    pub hooks: Vec<HookDeclaration>,
    /// What of the conversation is sent.
    pub history: HistorySpec,
    /// When the conversation is compacted; a member of a team has a word of its own.
    pub compaction: CompactionSpec,
    /// What happens to a call that no rule names; `None` runs it. A member of a team has a word of its own.
    pub permission_mode: Option<PermissionMode>,
    /// Bounds on delegation.
    pub delegation: DelegationSpec,
    /// Bounds on self-augmentation.
    pub meta: MetaSpec,
    /// Where scripts may connect to.
    pub network: NetworkSpec,
    /// When a turn may end.
    pub exit: ExitSpec,
    /// What the agent is in a team; `None` for an agent that is in none.
    pub member: Option<MemberSpec>,
    /// Where it was declared.
    pub location: Location,
}

/// A language model and how to reach it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// The model's name, such as `gpt-4o`.
    pub name: String,
    /// The provider: `openai`, `anthropic`, `gemini`, `ollama`, … or `script`.
    pub provider: String,
    /// The provider's address, when it is not the usual one.
    pub base_url: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The most tokens of one reply.
    pub max_tokens: Option<u32>,
    /// The sampling temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// What to do when a call fails.
    pub retry: RetrySpec,
}

/// How often and how fast a failed model call is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RetrySpec {
    /// Tries after the first. Default 3.
    pub max_retries: u32,
    /// The first wait. Default 250.
    pub initial_backoff_ms: u64,
    /// The longest wait. Default 8,000.
    pub max_backoff_ms: u64,
    /// How much longer each wait is. Default 2.
    pub multiplier: f64,
}

impl Default for RetrySpec {
    fn default() -> Self {
        Self { max_retries: 3, initial_backoff_ms: 250, max_backoff_ms: 8_000, multiplier: 2.0 }
    }
}

/// A tool declared in a file.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The tool's name; for files it is the file's stem.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub parameters: Value,
    /// The source that defines `run(args)`.
    pub script: Option<ScriptSource>,
    /// How long one run may take. Default 60,000.
    pub timeout_ms: u64,
    /// A script `run(result)` that says whether a result is good.
    pub verify: Option<ScriptSource>,
    /// Where it was declared.
    pub location: Location,
}

/// The tools that the reference host brings along, under each of their names. Files may refer to them.
pub const NATIVE_TOOLS: [&str; 14] = [
    "shell", "read", "write", "edit", "list", "glob", "grep", "fetch", "fs.read", "fs.write", "fs.edit", "fs.list",
    "fs.glob", "fs.grep",
];

/// The tool with which an agent of the reference host says that it is done.
pub const DONE_TOOL: &str = "done";

/// The tools with which an agent of the reference host delegates.
pub const DELEGATION_TOOLS: [&str; 5] =
    ["delegate", "delegate_async", "delegate_status", "delegate_result", "delegate_await"];

/// Which tools an agent may use. Globs; deny wins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsPolicy {
    /// How `allow` is read.
    pub mode: PolicyMode,
    /// Globs of allowed tools.
    pub allow: Vec<String>,
    /// Globs of denied tools.
    pub deny: Vec<String>,
}

/// How a tools policy is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMode {
    /// Everything but what `deny` names.
    #[default]
    Denylist,
    /// Nothing but what `allow` names.
    Allowlist,
}

/// What of a conversation is sent to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistorySpec {
    /// The most messages. Default 50.
    pub max_messages: usize,
    /// The most tokens, estimated. Default 128,000.
    pub max_tokens: usize,
}

impl Default for HistorySpec {
    fn default() -> Self {
        Self { max_messages: 50, max_tokens: 128_000 }
    }
}

/// Bounds on delegation.
#[derive(Debug, Clone, Default)]
pub struct DelegationSpec {
    /// How deep agents may delegate; `None` is 3, and 0 forbids it. At most 5.
    pub max_depth: Option<u32>,
    /// How many children run at once; `None` is 5.
    pub max_concurrent: Option<u32>,
    /// Model calls a child may make, by depth; the last entry counts for deeper ones. Empty is `[20, 10, 5, 3]`.
    pub iterations_per_depth: Vec<u32>,
    /// A script `run(result)` that every delegation must pass.
    pub verify: Option<ScriptSource>,
    /// Tries after a failed verification; `None` is 2.
    pub max_verify_retries: Option<u32>,
}

/// Bounds on self-augmentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaSpec {
    /// Whether `meta.*` may be used at all. Default false.
    pub enabled: bool,
    /// Tools that may be registered. Default 50.
    pub max_tools: u32,
    /// Hooks that may be registered. Default 30.
    pub max_hooks: u32,
    /// Agents that may be registered. Default 10.
    pub max_agents: u32,
    /// How deep `meta.call_tool` may nest. Default 5.
    pub max_call_depth: u32,
}

impl Default for MetaSpec {
    fn default() -> Self {
        Self { enabled: false, max_tools: 50, max_hooks: 30, max_agents: 10, max_call_depth: 5 }
    }
}

/// Where scripts may connect to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSpec {
    /// Hosts: `example.com` with its sub-domains, `*.example.com` without the apex, `*` for all. Empty is none.
    pub allowed_domains: Vec<String>,
}

/// When a turn may end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitSpec {
    /// What ends a turn.
    pub mode: ExitMode,
    /// Model calls of one turn. Default 50.
    pub max_iterations: u32,
    /// What happens then.
    pub on_max_iterations: OnMaxIterations,
    /// Whether a block of `agent.stop` fails the turn instead of going on with it. Default false.
    pub block_fails_turn: bool,
}

impl Default for ExitSpec {
    fn default() -> Self {
        Self {
            mode: ExitMode::default(),
            max_iterations: 50,
            on_max_iterations: OnMaxIterations::default(),
            block_fails_turn: false,
        }
    }
}

/// What ends a turn. `agent.stop` fires in every mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitMode {
    /// The model's final text.
    #[default]
    Natural,
    /// The `done` tool.
    DoneTool,
    /// The hooks of `agent.stop`.
    Hook,
    /// The `done` tool and the hooks.
    Hybrid,
}

/// What happens when a turn runs out of iterations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMaxIterations {
    /// The turn fails.
    #[default]
    Error,
    /// The turn ends with what there is, and a warning.
    WarnAndExit,
    /// The turn goes on once more with a warning to the model, then ends.
    ContinueWithWarning,
    /// A person is asked, and a yes allows 10 more; without a yes the turn ends with a word of the limit (docker-agent).
    Ask,
}

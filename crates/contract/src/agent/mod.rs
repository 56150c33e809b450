//! Agents as declared by the user, in one form for all dialects.

mod loop_rules;
mod persona;
mod toolset;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{HookDeclaration, Location, ScriptSource};

pub use loop_rules::{LoopRules, RefusalWording};
pub use persona::{BudgetSpec, ErrorBoundary, PersonaSpec, PriceSpec, StepSpec, UnknownStepError, price_of};
pub use toolset::{McpSpec, McpTransport, ScriptToolSpec, ToolsetKind, ToolsetSpec};

/// One agent: its model, instruction, tools, child agents and limits.
#[derive(Debug, Clone, Default)]
pub struct AgentSpec {
    /// The name of the agent. The root agent of a project is called `root` unless its file names it.
    pub name: String,
    /// The description of the agent, shown to agents that may delegate to it.
    pub description: String,
    /// The model; `None` if not declared.
    pub model: Option<ModelSpec>,
    /// The models to try if `model` fails, in this order.
    pub fallback_models: Vec<ModelSpec>,
    /// Further models that the agent or its child agents may request by name.
    pub models: Vec<ModelSpec>,
    /// The system prompt.
    pub instruction: String,
    /// The tools declared in files, as Starlark.
    pub tools: Vec<ToolSpec>,
    /// The policy on which tools may be used.
    pub policy: ToolsPolicy,
    /// The agents that this agent may delegate to.
    pub agents: Vec<Arc<AgentSpec>>,
    /// The hooks that apply to this agent only, in addition to those of its project.
    pub hooks: Vec<HookDeclaration>,
    /// How much of the conversation is sent to the model.
    pub history: HistorySpec,
    /// When the conversation is compacted.
    pub compaction: CompactionSpec,
    /// What happens to a tool call that no permission rule matches, in sessions that start with this agent; `None` is the
    /// mode of its team, or outside of a team runs the call.
    pub permission_mode: Option<PermissionMode>,
    /// The limits on delegation.
    pub delegation: DelegationSpec,
    /// The limits on self-modification (`meta.*`).
    pub meta: MetaSpec,
    /// The hosts that scripts may connect to.
    pub network: NetworkSpec,
    /// When a turn ends.
    pub exit: ExitSpec,
    /// How the agent loop treats the agent.
    pub rules: LoopRules,
    /// The agent's role in a team; `None` if it is not in a team.
    pub member: Option<MemberSpec>,
    /// Where the agent was declared.
    pub location: Location,
}

/// A language model and how to reach it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// The name of the model, such as `gpt-4o`.
    pub name: String,
    /// The provider: `openai`, `anthropic`, `gemini`, `ollama`, … or `script`.
    pub provider: String,
    /// The base URL of the provider; `None` is the provider's default.
    pub base_url: Option<String>,
    /// The environment variable that contains the API key.
    pub api_key_env: Option<String>,
    /// The maximum number of tokens in one response; `None` is the provider's default.
    pub max_tokens: Option<u32>,
    /// The sampling temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// When and how a failed call is retried.
    pub retry: RetrySpec,
}

/// How often and how fast a failed model call is retried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RetrySpec {
    /// The maximum number of retries after the first attempt. Default 3.
    pub max_retries: u32,
    /// The delay before the first retry, in milliseconds. Default 250.
    pub initial_backoff_ms: u64,
    /// The maximum delay, in milliseconds. Default 8,000.
    pub max_backoff_ms: u64,
    /// The factor by which each delay is longer than the one before. Default 2.
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
    /// The name of the tool; by default the file's stem.
    pub name: String,
    /// The description of the tool, for the model.
    pub description: String,
    /// The JSON Schema of the arguments, which must be an object.
    pub parameters: Value,
    /// The script that defines `run(args)`.
    pub script: Option<ScriptSource>,
    /// The time limit of one call, in milliseconds. Default 60,000.
    pub timeout_ms: u64,
    /// A script `run(result)` that decides whether a result is acceptable.
    pub verify: Option<ScriptSource>,
    /// Where the tool was declared.
    pub location: Location,
}

/// The built-in tools of Pintle's own agent loop, under each of their names. Files may refer to them.
pub const NATIVE_TOOLS: [&str; 14] = [
    "shell", "read", "write", "edit", "list", "glob", "grep", "fetch", "fs.read", "fs.write", "fs.edit", "fs.list",
    "fs.glob", "fs.grep",
];

/// The tool that an agent calls to finish a turn.
pub const DONE_TOOL: &str = "done";

/// The tools that an agent delegates with.
pub const DELEGATION_TOOLS: [&str; 5] =
    ["delegate", "delegate_async", "delegate_status", "delegate_result", "delegate_await"];

/// Which tools an agent may use. Patterns are globs; `deny` overrides `allow`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsPolicy {
    /// How `allow` is applied.
    pub mode: PolicyMode,
    /// The globs of allowed tools.
    pub allow: Vec<String>,
    /// The globs of denied tools.
    pub deny: Vec<String>,
}

/// How a [`ToolsPolicy`] is applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMode {
    /// Every tool is allowed unless `deny` matches it.
    #[default]
    Denylist,
    /// Only tools that `allow` matches are allowed.
    Allowlist,
}

/// How much of a conversation is sent to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistorySpec {
    /// The maximum number of messages. Default 50.
    pub max_messages: usize,
    /// The maximum number of tokens, estimated. Default 128,000.
    pub max_tokens: usize,
}

impl Default for HistorySpec {
    fn default() -> Self {
        Self { max_messages: 50, max_tokens: 128_000 }
    }
}

/// The limits on delegation.
#[derive(Debug, Clone, Default)]
pub struct DelegationSpec {
    /// The maximum delegation depth; `None` is 3, 0 forbids delegation. At most 5.
    pub max_depth: Option<u32>,
    /// The maximum number of child agents that run at the same time; `None` is 5.
    pub max_concurrent: Option<u32>,
    /// The maximum number of model calls of a child agent, by depth; the last entry applies to deeper ones. An empty
    /// list is `[20, 10, 5, 3]`.
    pub iterations_per_depth: Vec<u32>,
    /// A script `run(result)` that must accept the result of every delegation.
    pub verify: Option<ScriptSource>,
    /// The maximum number of attempts after a failed verification; `None` is 2.
    pub max_verify_retries: Option<u32>,
}

/// The limits on self-modification (`meta.*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaSpec {
    /// Whether `meta.*` functions are available. Default false.
    pub enabled: bool,
    /// The maximum number of registered tools. Default 50.
    pub max_tools: u32,
    /// The maximum number of registered hooks. Default 30.
    pub max_hooks: u32,
    /// The maximum number of registered agents. Default 10.
    pub max_agents: u32,
    /// The maximum nesting depth of `meta.call_tool`. Default 5.
    pub max_call_depth: u32,
}

impl Default for MetaSpec {
    fn default() -> Self {
        Self { enabled: false, max_tools: 50, max_hooks: 30, max_agents: 10, max_call_depth: 5 }
    }
}

/// The hosts that scripts may connect to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSpec {
    /// The allowed hosts: `example.com` includes its subdomains, `*.example.com` matches only subdomains, `*` matches
    /// every host. An empty list allows none.
    pub allowed_domains: Vec<String>,
}

/// When a turn ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitSpec {
    /// The condition that ends a turn.
    pub mode: ExitMode,
    /// The maximum number of model calls in one turn. Default 50.
    pub max_iterations: u32,
    /// What happens when the maximum is reached.
    pub on_max_iterations: OnMaxIterations,
    /// How many identical batches of tool calls in a row end a turn. Default 0, which never ends it.
    pub max_consecutive_tool_calls: u32,
    /// Whether a deny of `agent.stop` fails the turn instead of continuing it. Default false.
    pub block_fails_turn: bool,
}

impl Default for ExitSpec {
    fn default() -> Self {
        Self {
            mode: ExitMode::default(),
            max_iterations: 50,
            on_max_iterations: OnMaxIterations::default(),
            max_consecutive_tool_calls: 0,
            block_fails_turn: false,
        }
    }
}

/// The condition that ends a turn. `agent.stop` fires in every mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitMode {
    /// The model gives its final text.
    #[default]
    Natural,
    /// The model calls the `done` tool.
    DoneTool,
    /// The hooks of `agent.stop` decide.
    Hook,
    /// The model calls the `done` tool, or the hooks of `agent.stop` decide.
    Hybrid,
}

/// What happens when a turn reaches its maximum number of model calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMaxIterations {
    /// The turn fails.
    #[default]
    Error,
    /// The turn ends with the text produced so far, and a warning.
    WarnAndExit,
    /// The model gets a warning and one more call, then the turn ends.
    ContinueWithWarning,
    /// The user is prompted. An approval allows 10 more model calls; otherwise the turn ends with a message about the
    /// limit.
    Ask,
}

/// The permission rules for tool calls. `deny` overrides `ask`, and `ask` overrides `allow`. Hooks are called whatever
/// the rules say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionsSpec {
    /// Calls that run without an approval request.
    pub allow: Vec<PermissionRule>,
    /// Calls that always need an approval.
    pub ask: Vec<PermissionRule>,
    /// Calls that never run.
    pub deny: Vec<PermissionRule>,
    /// What happens to a call that no rule matches; `None` is the host's default.
    pub mode: Option<PermissionMode>,
}

/// One permission rule: a tool and conditions on its arguments, all of which must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    /// The rule as written, such as `shell:cmd=git *`.
    pub text: String,
    /// A glob of the tool name.
    pub tool: String,
    /// Argument names, with globs of their values.
    pub arguments: Vec<(String, String)>,
    /// Where the rule was written.
    pub location: Location,
}

/// What happens to a tool call that no permission rule matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Tools that declare themselves read-only run; all others need an approval.
    #[default]
    Balanced,
    /// Every call needs an approval.
    Strict,
    /// Tools that declare themselves read-only run; all others are denied without an approval request.
    Restricted,
    /// Every call runs unless a hook or rule denies it or asks for an approval.
    Autonomous,
}

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

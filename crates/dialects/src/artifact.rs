//! What the loader hands to a dialect, and what it gets back.

use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, HookDeclaration, SourceFile, TeamSpec};

/// A file, and what it is.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// What the file is, which follows from where it lies.
    pub role: Role,
    /// The file's name without folder and ending; hooks, tools and agents are called by it.
    pub name: String,
    /// The file.
    pub file: Arc<SourceFile>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The agent's own file, with a body: `harness.md`.
    Harness,
    /// The agent's own file, without a body: `harness.yaml`.
    HarnessYaml,
    /// A tool: `tools/*.md`.
    Tool,
    /// A hook: `hooks/*.md`.
    Hook,
    /// Tools and hooks together.
    Bundle(Folder),
    /// A sub-agent: `agents/*.md`.
    Agent,
}

/// Where a bundle lies. Later folders are registered later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Folder {
    /// In the root itself.
    Root,
    /// In `plugins/`.
    Plugins,
    /// In `builtins/`.
    Builtins,
    /// In `overrides/`: what it declares replaces what has the same name.
    Overrides,
}

/// What a dialect read from its files.
#[derive(Debug, Default)]
pub struct Project {
    /// The hooks, in registration order, not yet sorted by priority.
    pub hooks: Vec<HookDeclaration>,
    /// Hooks that cannot be registered because their event is missing or unknown, under a stand-in event: their
    /// scripts are compiled all the same, so that one run reports every fault.
    pub unplaced: Vec<HookDeclaration>,
    /// The agent, when the files declare one: an agent's own file, tools or sub-agents.
    pub agent: Option<AgentSpec>,
    /// The team, when the files declare agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// What was found, in no particular order.
    pub diagnostics: Vec<Diagnostic>,
}

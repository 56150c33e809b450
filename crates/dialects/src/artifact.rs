//! What the loader hands to a dialect, and what it gets back.

use std::fmt;
use std::sync::Arc;

use pintle_contract::{
    AgentSpec, Diagnostic, HandlerFactory, HookDeclaration, PermissionsSpec, PersonaSpec, SourceFile, TeamSpec,
    UntrustedGuardPolicy,
};

use crate::client_hooks::ClientFile;
use crate::{Dialect, NATIVE, ProgramLookup, docker_agent, harn, harness_framework};

/// A file, and what it is.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// What the file is, which follows from where it lies.
    pub role: ArtifactKind,
    /// The file's name without folder and ending; hooks, tools and agents are called by it.
    pub name: String,
    /// The file.
    pub file: Arc<SourceFile>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactKind {
    /// The agent's own file, with a body: `harness.md`.
    Harness,
    /// The agent's own file, without a body: `harness.yaml`.
    HarnessYaml,
    /// A tool: `tools/*.md`.
    Tool,
    /// A hook: `hooks/*.md`.
    Hook,
    /// Tools and hooks together.
    Bundle(BundleFolder),
    /// A sub-agent: `agents/*.md`.
    Agent,
    /// Agents that work as a team, with their hooks: a docker-agent YAML.
    Team,
    /// The user's own settings: docker-agent's `config.yaml`.
    UserSettings,
    /// One block of docker-agent hooks: a drop-in of the user's.
    HooksBlock,
    /// The settings of The Harness Framework: a `settings.json` whose hooks have a `path`.
    FrameworkSettings,
    /// Starlark whose top level registers hooks: `*.star`.
    Plugin,
    /// The manifest of a package: `harn.toml`.
    Package,
    /// A module of a package, in Starlark or Harn, which declares nothing by itself.
    Module,
    /// A file of a coding agent with hooks in it.
    Client(ClientFile),
}

/// Where a bundle lies. Later folders are registered later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BundleFolder {
    /// In the root itself.
    Root,
    /// In `plugins/`.
    Plugins,
    /// In `builtins/`.
    Builtins,
    /// In `overrides/`: what it declares replaces what has the same name.
    Overrides,
}

impl ArtifactKind {
    /// The dialect that reads such files.
    #[must_use]
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Self::Team | Self::UserSettings | Self::HooksBlock => &docker_agent::DIALECT,
            Self::FrameworkSettings => &harness_framework::DIALECT,
            Self::Plugin | Self::Package | Self::Module => &harn::DIALECT,
            Self::Client(file) => file.dialect(),
            Self::Harness | Self::HarnessYaml | Self::Tool | Self::Hook | Self::Bundle(_) | Self::Agent => NATIVE,
        }
    }
}

/// What files are read with.
#[derive(Clone, Copy, Default)]
pub struct ParseContext<'a> {
    /// The names of the tools that the host brings along, so that agents may refer to them.
    pub host_tools: &'a [&'a str],
    /// The version of docker-agent that its files are written for; it outranks what they say themselves.
    pub compat: Option<docker_agent::DockerAgentVersion>,
    /// What runs the top level of plugins; without it they do not load.
    pub build: Option<&'a dyn HandlerFactory>,
    /// Whether the `harn` program is installed, which runs modules written in Harn.
    pub has_harn: bool,
    /// Tells which programs there are; without it nobody looks whether hooks can be started.
    pub programs: Option<&'a dyn ProgramLookup>,
}

impl fmt::Debug for ParseContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host_tools, compat, build, has_harn, .. } = self;
        let (host_tools, has_build) = (host_tools.len(), build.is_some());
        write!(f, "Reading {{ host_tools: {host_tools}, compat: {compat:?}, build: {has_build}, harn: {has_harn} }}")
    }
}

/// What a dialect read from its files.
#[derive(Debug, Default)]
pub struct ParsedProject {
    /// The hooks, in registration order, not yet sorted by priority.
    pub hooks: Vec<HookDeclaration>,
    /// Hooks that cannot be registered because their event is missing or unknown, under a stand-in event: their
    /// scripts are compiled all the same, so that one run reports every fault.
    pub unplaced: Vec<HookDeclaration>,
    /// The agent, when the files declare one: an agent's own file, tools or sub-agents.
    pub agent: Option<AgentSpec>,
    /// The team, when the files declare agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// Roles that the agent can work in.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The user's own rules for tool calls, which join those of a team.
    pub permissions: PermissionsSpec,
    /// What the user's settings say of guards that nobody agreed to.
    pub untrusted_guards: Option<UntrustedGuardPolicy>,
    /// Whether the files ask that secrets are kept off the tape. Whoever asks for it gets it, whatever the others say.
    pub redact_secrets: bool,
    /// What was found, in no particular order.
    pub diagnostics: Vec<Diagnostic>,
}

//! The files that the loader passes to a dialect, and the declarations it gets back.

use std::fmt;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_clients::ClientFile;
use pintle_contract::{
    AgentSpec, Diagnostic, HandlerFactory, HookDeclaration, PermissionsSpec, PersonaSpec, SourceFile, TapeRetention,
    TeamSpec, TelemetrySettings, UntrustedGuardPolicy,
};

use crate::docker_agent;

/// A file and its kind.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// The file's kind, which follows from its location.
    pub role: ArtifactKind,
    /// The file's name without directory and extension; hooks, tools and agents are named after it.
    pub name: String,
    /// The file's text and path.
    pub file: Arc<SourceFile>,
}

/// The kind of a file.
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
    /// The packs that are on: `policy.yaml`.
    Policy,
    /// A policy file that another one extends. It declares nothing by itself.
    PolicyBase,
    /// A sub-agent: `agents/*.md`.
    Agent,
    /// Agents that work as a team, with their hooks: a docker-agent YAML file.
    Team,
    /// The user's settings: docker-agent's `config.yaml`.
    UserSettings,
    /// One block of docker-agent hooks: a drop-in file of the user's.
    HooksBlock,
    /// The settings of The Harness Framework: a `settings.json` whose hooks have a `path`.
    FrameworkSettings,
    /// Starlark whose top level registers hooks: `*.star`.
    Plugin,
    /// The manifest of a package: `harn.toml`.
    Package,
    /// A module of a package, in Starlark or Harn, which declares nothing by itself.
    Module,
    /// A client's file that contains hooks.
    Client(ClientFile),
}

impl ArtifactKind {
    /// The name of the schema of these files ([`file_schemas`](crate::file_schemas)); `None` for scripts and programs.
    #[must_use]
    pub fn schema_name(self) -> Option<String> {
        let name = match self {
            Self::Harness | Self::HarnessYaml => "harness",
            Self::Tool => "tool",
            Self::Hook => "hook",
            Self::Bundle(_) => "bundle",
            Self::Policy | Self::PolicyBase => "policy",
            Self::Agent => "agent",
            Self::Team => "docker-agent",
            Self::UserSettings => "config",
            Self::HooksBlock => "docker-agent-hooks",
            Self::FrameworkSettings => "harness-framework",
            Self::Package => "harn",
            Self::Client(file) if file.is_text() => return Some(format!("{}-hooks", file.client.name)),
            Self::Plugin | Self::Module | Self::Client(_) => return None,
        };
        Some(name.to_owned())
    }
}

/// The directory of a bundle. Later directories are registered later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BundleFolder {
    /// The root directory.
    Root,
    /// The directory `plugins/`.
    Plugins,
    /// The directory `builtins/`.
    Builtins,
    /// The directory `overrides/`, whose declarations replace those of the same name.
    Overrides,
}

/// Inputs for parsing files.
#[derive(Clone, Copy, Default)]
pub struct ParseContext<'a> {
    /// The names of the host's tools, which agents may refer to.
    pub host_tools: &'a [&'a str],
    /// The docker-agent version that its files are written for; it takes precedence over the version that they declare.
    pub compat: Option<docker_agent::DockerAgentVersion>,
    /// Runs the top level of plugins; without it they are not loaded.
    pub build: Option<&'a dyn HandlerFactory>,
    /// Whether the `harn` program is installed, which runs modules written in Harn.
    pub has_harn: bool,
    /// Looks up installed programs; without it, whether hooks can be started is not checked.
    pub programs: Option<&'a dyn ProgramLookup>,
}

impl fmt::Debug for ParseContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host_tools, compat, build, has_harn, .. } = self;
        let (host_tools, has_build) = (host_tools.len(), build.is_some());
        write!(f, "Reading {{ host_tools: {host_tools}, compat: {compat:?}, build: {has_build}, harn: {has_harn} }}")
    }
}

/// The declarations that a dialect read from its files.
#[derive(Debug, Default)]
pub struct ParsedProject {
    /// The hooks, in registration order, not yet sorted by priority.
    pub hooks: Vec<HookDeclaration>,
    /// Hooks that cannot be registered because their event is missing or unknown, under a placeholder event. Their
    /// scripts are still compiled, so that one run reports every error.
    pub unplaced: Vec<HookDeclaration>,
    /// The agent, if the files declare one: an agent's own file, tools or sub-agents.
    pub agent: Option<AgentSpec>,
    /// The team, if the files declare agents that refer to each other by name.
    pub team: Option<TeamSpec>,
    /// The personas that the agent can run as.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The user's own permission rules, which are added to those of a team.
    pub permissions: PermissionsSpec,
    /// The user's policy for guards of untrusted projects.
    pub untrusted_guards: Option<UntrustedGuardPolicy>,
    /// The user's setting for how long tapes are kept.
    pub tape_retention: TapeRetention,
    /// The file to which the checkpoints of tapes are appended, as the user wrote it.
    pub tape_witness: Option<PathBuf>,
    /// Where the user's telemetry is sent.
    pub telemetry: Option<TelemetrySettings>,
    /// Whether any of the files asks to redact secrets on the tape. One is enough.
    pub redact_secrets: bool,
    /// The diagnostics, in no particular order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Looks up programs without starting them.
pub trait ProgramLookup: Debug {
    /// The status of an absolute path.
    fn inspect(&self, path: &Path) -> PathStatus;

    /// Whether a program of this name is on the search path.
    fn can_find(&self, name: &str) -> bool;
}

/// The status of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStatus {
    /// There is nothing.
    Missing,
    /// It is not a regular file, but for example a directory.
    NotAFile,
    /// A regular file.
    File {
        /// The beginning of its text; invalid bytes are replaced.
        head: String,
        /// Whether this process may execute it.
        is_executable: bool,
    },
}

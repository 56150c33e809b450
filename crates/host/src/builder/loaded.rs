//! The result of building a runtime.

use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, HookDeclaration, PersonaSpec, Severity, TeamSpec};
use pintle_loader::{PolicyFiles, ProjectTrust};

use crate::{LoadReport, Runtime, RuntimeBuilder};

/// A runtime, with everything that was found while loading it.
#[derive(Debug)]
pub struct LoadedRuntime {
    /// The runtime of the hooks that could be loaded. Check `diagnostics` first: what could not may be a guard.
    pub runtime: Arc<Runtime>,
    /// The agent, if one of the paths is an agent's project.
    pub agent: Option<AgentSpec>,
    /// The team, if one of the paths declares agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// The personas of the agent, from all paths; of two with one name the first applies.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The hooks as declared.
    pub(crate) declarations: Vec<Arc<HookDeclaration>>,
    /// The trust state of the projects that [`RuntimeBuilder::layers`](super::RuntimeBuilder::layers) and
    /// [`RuntimeBuilder::discovered_path`](super::RuntimeBuilder::discovered_path) found.
    pub projects: Vec<ProjectTrust>,
    /// The policy files: all files that were read, the files that hooks name, and the directory of the trust store.
    pub policy: PolicyFiles,
    /// The diagnostics of every file.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of files that were read.
    pub files: usize,
}

impl Runtime {
    /// Creates a builder.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }
}

impl LoadedRuntime {
    /// The hooks as declared, as far as their files were read ([`RuntimeBuilder::known_scripts`]).
    pub fn declarations(&self) -> impl Iterator<Item = &HookDeclaration> + Clone {
        self.declarations.iter().map(AsRef::as_ref)
    }

    /// Whether anything that was declared cannot run. It may be a guard, so a host should not start.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The runtime, or every error that was found.
    pub(crate) fn into_runtime(self) -> Result<Arc<Runtime>, LoadReport> {
        if !self.has_errors() {
            return Ok(self.runtime);
        }
        let errors = self.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        Err(errors.collect::<Vec<_>>().into())
    }
}

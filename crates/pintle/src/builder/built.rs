//! The result of building a runtime.

use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, HookDeclaration, PersonaSpec, Severity, TeamSpec};
use pintle_loader::{PolicyFiles, ProjectTrust};

use crate::{RegistrationError, Runtime, RuntimeBuilder};

/// A runtime, with everything that was found while loading it.
#[derive(Debug)]
pub struct BuiltRuntime {
    /// The runtime. It contains the hooks that could be loaded: check `diagnostics` first, or use
    /// [`BuiltRuntime::into_runtime`].
    pub runtime: Arc<Runtime>,
    /// The agent, if one of the paths is an agent's project.
    pub agent: Option<AgentSpec>,
    /// The team, if one of the paths declares agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// The personas of the agent, from all paths; of two with one name the first applies.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The hooks as declared.
    pub declarations: Vec<HookDeclaration>,
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

impl BuiltRuntime {
    /// Whether anything that was declared cannot run. It may be a guard, so a host should not start.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The runtime, if everything that was declared can run.
    ///
    /// # Errors
    /// With every error that was found. What cannot run may be a guard.
    pub fn into_runtime(self) -> Result<Arc<Runtime>, RegistrationError> {
        if !self.has_errors() {
            return Ok(self.runtime);
        }
        let errors = self.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        Err(errors.collect::<Vec<_>>().into())
    }
}

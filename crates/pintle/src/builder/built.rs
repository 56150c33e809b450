//! What building a runtime gives.

use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, HookDeclaration, PersonaSpec, Severity, TeamSpec};
use pintle_loader::{PolicyFiles, ProjectTrust};

use crate::Runtime;

/// A runtime and what was found while loading it.
#[derive(Debug)]
pub struct BuiltRuntime {
    /// The runtime. It holds what could be loaded; look at `diagnostics` before trusting it.
    pub runtime: Arc<Runtime>,
    /// The agent, when one of the paths is an agent's project.
    pub agent: Option<AgentSpec>,
    /// The team, when one of the paths declares agents that know each other by name.
    pub team: Option<TeamSpec>,
    /// Roles that the agent can work in, of all paths; of two with one name the first counts.
    pub personas: Vec<Arc<PersonaSpec>>,
    /// The hooks as declared.
    pub declarations: Vec<HookDeclaration>,
    /// What became of the projects that needed consent: those that [`RuntimeBuilder::layers`](super::Builder::layers) found, and those of
    /// [`RuntimeBuilder::discovered_path`](super::Builder::found).
    pub projects: Vec<ProjectTrust>,
    /// The files that hold policy: all that were read, what hooks name, and the folder of the agreements.
    pub policy: PolicyFiles,
    /// Everything that was found, of every file.
    pub diagnostics: Vec<Diagnostic>,
    /// How many files were read.
    pub files: usize,
}

impl BuiltRuntime {
    /// Whether something that was declared does not run. A guard may be among it, so a host should not start.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

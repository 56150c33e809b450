//! The hooks that an agent's flags stand for.
//!
//! They run after the user's own hooks, so that a user's rewrite is also redacted, and the limiter runs last, so that
//! what it writes to its file is already redacted.

use pintle_contract::{HookDeclaration, Location};

use crate::docker_agent::DockerAgentVersion;
use crate::docker_agent::hooks;

/// The flags of an agent that stand for hooks.
#[derive(Debug, Default)]
pub(super) struct AgentFlags {
    pub(super) add_date: Option<Location>,
    pub(super) add_environment_info: Option<Location>,
    pub(super) add_prompt_files: Option<(Vec<String>, Location)>,
    /// `safer` of a shell toolset.
    pub(super) safer: Option<Location>,
    /// Where redaction is declared, or the agent itself if it is not declared; `None` if it is switched off.
    pub(super) redact_secrets: Option<Location>,
    pub(super) agent: Location,
}

impl AgentFlags {
    pub(super) fn hooks(&self, version: DockerAgentVersion) -> Vec<HookDeclaration> {
        let mut added: Vec<Option<HookDeclaration>> = Vec::new();
        let mut add = |event: &str, name: &str, arguments: &[&str], location: &Location| {
            added.push(hooks::builtin_hook(event, name, arguments, location, version));
        };
        if let Some(place) = &self.add_date {
            add("turn_start", "add_date", &[], place);
        }
        if let Some((files, place)) = &self.add_prompt_files {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            add("turn_start", "add_prompt_files", &files, place);
        }
        if let Some(place) = &self.add_environment_info {
            add("session_start", "add_environment_info", &[], place);
        }
        if let Some(place) = &self.safer {
            add("tool_guard", "safer_shell", &["safer"], place);
        }
        if let Some(place) = &self.redact_secrets {
            let of_arguments = if version == DockerAgentVersion::G1 { "pre_tool_use" } else { "tool_input_transform" };
            for event in [of_arguments, "before_llm_call", "tool_response_transform"] {
                add(event, "redact_secrets", &[], place);
            }
        }
        for event in ["tool_response_transform", "session_end"] {
            add(event, "limit_large_tool_results", &[], &self.agent);
        }
        added.into_iter().flatten().collect()
    }
}

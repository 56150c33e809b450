//! Converts files to declarations.
//!
//! There are three kinds of files: the YAML of agents, the user's settings, and drop-in files with one block of hooks
//! each. Hooks of agents belong to their agent; those of the user belong to the project.

mod agent;
pub mod hooks;
mod recognise;
pub(crate) mod settings;

use pintle_contract::ByteSpan;

use super::event_def::DockerAgentVersion;
use crate::document::{DocNode, FileReport, parse, skip_byte_order_mark};
use crate::{Artifact, ArtifactKind, ParseContext, ParsedProject};

/// The keys of a file of agents and of their hooks, in the order of the reference.
pub static KEY_SECTIONS: &[&dyn crate::document::KeySection] =
    &[&agent::FILE, &agent::AGENT_ENTRY, &agent::MODEL, &agent::PROVIDER, &hooks::ENTRY, &hooks::HOOK, &hooks::SANDBOX];

pub use agent::tools_of;
pub use recognise::recognise;

/// Loads the files of one project. Every error of every file is in the diagnostics.
#[must_use]
pub fn load(artifacts: &[Artifact], context: &ParseContext<'_>) -> ParsedProject {
    let mut project = ParsedProject::default();
    for artifact in artifacts {
        let report = FileReport::new(artifact.file.clone(), "");
        let whole = ByteSpan { start: skip_byte_order_mark(&report), end: artifact.file.text.len() };
        if let Ok(document) = parse(&report, whole) {
            read(artifact, &report, document.as_ref(), context.compat, &mut project);
        }
        project.diagnostics.extend(agent::into_diagnostics(report));
    }
    project
}

fn read(
    artifact: &Artifact,
    report: &FileReport,
    document: Option<&DocNode>,
    compat: Option<DockerAgentVersion>,
    project: &mut ParsedProject,
) {
    match artifact.role {
        ArtifactKind::Team => {
            let team = agent::read(report, document, compat);
            match (&project.team, team) {
                (None, team) => project.team = team,
                // The agents of a second file are dropped, and the guards of the first one still apply.
                (Some(_), Some(further)) => {
                    let first = further.agents.into_iter().next();
                    project.hooks.extend(first.into_iter().flat_map(|agent| agent.hooks.clone()));
                }
                (Some(_), None) => {}
            }
        }
        ArtifactKind::UserSettings => settings::read(report, document, compat.unwrap_or_default(), project),
        ArtifactKind::HooksBlock => {
            let hooks = document.map(|block| hooks::read(report, block, compat.unwrap_or_default()));
            let hooks = hooks.unwrap_or_default();
            if hooks.is_empty() && report.error_count() == 0 {
                let help = "add an event such as `pre_tool_use:`, or delete the file";
                let start = document.map_or(ByteSpan::default(), |node| node.span);
                report.value_error("no_hooks", "the file declares no hooks", start, help);
            }
            project.hooks.extend(hooks);
        }
        // The loader passes these to the dialect they belong to.
        _ => {}
    }
}

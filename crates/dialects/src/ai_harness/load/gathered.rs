//! What the files of a project declare, before names are merged.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, HookDeclaration};

use super::agent::AgentDraft;
use super::hook::HookDraft;
use super::merge::ToolDraft;
use crate::Artifact;
use crate::document::FileReport;

/// Everything read from the files, before names are merged.
#[derive(Default)]
pub(super) struct GatheredFiles {
    pub(super) hooks: Vec<HookDraft>,
    /// The hooks of packs.
    pub(super) packs: Vec<HookDeclaration>,
    pub(super) tools: Vec<ToolDraft>,
    pub(super) agents: Vec<AgentDraft>,
    pub(super) harness: Option<AgentSpec>,
    /// Whether the agent's own file asks to redact secrets on the tape.
    pub(super) redact_secrets: bool,
    /// Text that bundles add to the agent's instruction.
    pub(super) contexts: Vec<String>,
    pub(super) findings: Vec<Diagnostic>,
}

/// Names, and the indices at which each occurs.
pub(super) type NameCounts = HashMap<String, Vec<usize>>;

/// The report for one file, with the documented prefix before each error.
pub(super) fn new_report(artifact: &Artifact, kind: &str) -> FileReport {
    let file_name = artifact.file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    FileReport::new(Arc::clone(&artifact.file), format!("parse {kind}{file_name}: "))
}

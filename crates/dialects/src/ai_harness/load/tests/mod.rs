//! Loads artifacts from memory.

mod agents;
mod fuzz;
mod hooks;
mod merging;
mod settings;
mod tools;

use std::path::Path;

use pintle_contract::{
    EnforcementMode, ExitMode, ExitSpec, FailurePolicy, HandlerSpec, HistorySpec, HookExample, MatcherSpec, MetaSpec,
    ModelSpec, OnMaxIterations, PolicyMode, RetrySpec, ToolsPolicy,
};
use serde_json::json;

use super::*;
use crate::test_support::findings;

/// Loads files given as kind, name and text; the path is the name with its directory.
fn read(files: &[(ArtifactKind, &str, &str)]) -> ParsedProject {
    let artifacts: Vec<Artifact> = files
        .iter()
        .map(|(role, name, text)| {
            let dir = match role {
                ArtifactKind::Harness | ArtifactKind::HarnessYaml | ArtifactKind::Bundle(BundleFolder::Root) => "",
                ArtifactKind::Tool => "tools/",
                ArtifactKind::Hook => "hooks/",
                ArtifactKind::Bundle(BundleFolder::Plugins) => "plugins/",
                ArtifactKind::Bundle(BundleFolder::Builtins) => "builtins/",
                ArtifactKind::Bundle(BundleFolder::Overrides) => "overrides/",
                ArtifactKind::Agent => "agents/",
                _ => "elsewhere/",
            };
            let path = PathBuf::from(format!("{dir}{name}.md"));
            Artifact {
                role: *role,
                name: (*name).to_owned(),
                file: Arc::new(SourceFile { path, text: (*text).to_owned() }),
            }
        })
        .collect();
    load(&artifacts, &ParseContext { host_tools: &["shell"], ..ParseContext::default() })
}

fn names(project: &ParsedProject) -> Vec<&str> {
    project.hooks.iter().map(|hook| hook.name.as_str()).collect()
}

const HOOK: &str = "---\nevent: tool.pre\npriority: 1\nscript: x\n---\n";
const NO_FINDINGS: Vec<String> = Vec::new();

fn bundle_with_hook(handler: &str) -> String {
    format!("---\nhooks:\n  - handler: {handler}\n    event: tool.post\n    priority: 1\n    script: x\n---\n")
}

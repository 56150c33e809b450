//! Loads files of agents from memory.

mod faults;
mod flags;
mod team;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{AgentSpec, MemberSpec, ModelSpec, Severity, SourceFile, TeamSpec};

use crate::docker_agent::event_def::DockerAgentVersion;
use crate::docker_agent::load;
use crate::test_support::findings;
use crate::{Artifact, ArtifactKind, ParseContext, ParsedProject};

/// Reads one file.
fn read_as(artifact_kind: ArtifactKind, text: &str, compat: Option<DockerAgentVersion>) -> ParsedProject {
    let file = Arc::new(SourceFile { path: PathBuf::from("team.yaml"), text: text.to_owned() });
    let artifact = Artifact { role: artifact_kind, name: String::from("team"), file };
    load(&[artifact], &ParseContext { compat, ..ParseContext::default() })
}

/// The team of a file without errors.
fn team(text: &str) -> TeamSpec {
    let project = read_as(ArtifactKind::Team, text, None);
    assert_eq!(findings(&project, Severity::Warning), Vec::<String>::new(), "{text}");
    project.team.unwrap()
}

/// The only agent of a file whose agent has these lines.
fn agent(lines: &str) -> Arc<AgentSpec> {
    team(&with_agent(lines)).agents.remove(0)
}

fn with_agent(lines: &str) -> String {
    let indented: Vec<String> = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("agents:\n  root:\n    model: openai/gpt-4o\n{}", indented.concat())
}

fn member(lines: &str) -> MemberSpec {
    agent(lines).member.clone().unwrap()
}

fn model(spec: &ModelSpec) -> String {
    format!("{}/{}", spec.provider, spec.name)
}

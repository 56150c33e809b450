//! Has the dialects parse the files that were read.

use pintle_contract::{Diagnostic, HandlerFactory, PermissionsSpec};
use pintle_dialects::{Artifact, ArtifactKind, Dialect, ParseContext, ParsedProject};

use crate::load::LoadOptions;
use crate::package::is_harn_installed;
use crate::programs::InstalledPrograms;

/// Has each dialect parse its own files, in the order of the first file of each.
pub(crate) fn parse_artifacts(
    artifacts: Vec<Artifact>,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
    findings: &mut Vec<Diagnostic>,
) -> ParsedProject {
    let has_harn = artifacts.iter().any(|artifact| artifact.role == ArtifactKind::Module) && is_harn_installed();
    let reading = ParseContext {
        host_tools: options.host_tools,
        compat: options.compat,
        build: Some(factory),
        has_harn,
        programs: Some(&InstalledPrograms),
    };
    let mut whole: Option<ParsedProject> = None;
    for (dialect, artifacts) in group_by_dialect(artifacts) {
        let mut project = (dialect.load)(&artifacts, &reading);
        findings.append(&mut project.diagnostics);
        match &mut whole {
            None => whole = Some(project),
            Some(whole) => merge_project(whole, project),
        }
    }
    whole.unwrap_or_default()
}

/// The files of each dialect, ordered by the first file of each.
fn group_by_dialect(artifacts: Vec<Artifact>) -> Vec<(&'static Dialect, Vec<Artifact>)> {
    let mut groups: Vec<(&'static Dialect, Vec<Artifact>)> = Vec::new();
    for artifact in artifacts {
        let dialect = artifact.role.dialect();
        match groups.iter_mut().find(|(known, _)| known.name == dialect.name) {
            Some((_, group)) => group.push(artifact),
            None => groups.push((dialect, vec![artifact])),
        }
    }
    groups
}

/// Adds what another dialect parsed. Agents and rules come from the first dialect that has them.
fn merge_project(project: &mut ParsedProject, other: ParsedProject) {
    let ParsedProject {
        hooks,
        unplaced,
        agent,
        team,
        personas,
        permissions,
        untrusted_guards,
        tape_retention,
        tape_witness,
        telemetry,
        redact_secrets,
        diagnostics,
    } = other;
    project.hooks.extend(hooks);
    project.unplaced.extend(unplaced);
    project.agent = project.agent.take().or(agent);
    project.team = project.team.take().or(team);
    project.personas.extend(personas);
    if project.permissions == PermissionsSpec::default() {
        project.permissions = permissions;
    }
    project.untrusted_guards = project.untrusted_guards.or(untrusted_guards);
    project.tape_retention = project.tape_retention.or(tape_retention);
    project.tape_witness = project.tape_witness.take().or(tape_witness);
    project.telemetry = project.telemetry.take().or(telemetry);
    project.redact_secrets |= redact_secrets;
    project.diagnostics.extend(diagnostics);
}

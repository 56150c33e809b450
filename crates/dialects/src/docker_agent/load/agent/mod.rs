//! Reads the YAML of agents (docker-agent's configuration schema, version 16).
//!
//! A file is read strictly, as in docker-agent: an unknown key is an error. A key that docker-agent has and Pintle does
//! not implement is a warning, or an error if ignoring it would let an agent do more than its author intended. One run
//! reports every error of the file.

mod agent_entry;
mod liveness;
mod model;
mod permission;
mod tools;

use std::sync::Arc;

use pintle_contract::{AgentSpec, ByteSpan, PermissionMode, PermissionsSpec, TeamSpec, did_you_mean};

use self::model::ModelTable;
use self::tools::SharedDefinitions;
use crate::docker_agent::event_def::DockerAgentVersion;
use crate::document::{
    DocNode, FieldReader, FileReport, KeyTable, MapEntry, NodeKind, UnknownKeys, key, read_keys, sanitize,
};
use crate::words::PERMISSION_MODES;

pub(super) use agent_entry::AGENT_ENTRY;
pub use liveness::tools_of;
pub(super) use model::{MODEL, PROVIDER};

/// The agent that talks to the user, if one has this name; otherwise the first of the file.
const ROOT: &str = "root";

/// The newest configuration version of docker-agent.
const NEWEST_VERSION: i128 = 16;

pub(in crate::docker_agent::load) static FILE: KeyTable<()> = KeyTable {
    title: "The file",
    about: "A file of agents. An unknown key is an error.",
    start: || (),
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("version": listed("text", "the newest"), "The version of docker-agent's schema."),
        key!("compat": listed("`g1`, `g3`", "`g3`"), "The version of docker-agent whose rules apply."),
        key!("agents": listed("mapping", "required"), "The agents, by name, as below."),
        key!("models": listed("mapping", "none"), "Models that agents name, as below."),
        key!("providers": listed("mapping", "none"), "Providers that models name, as below."),
        key!("toolsets": listed("mapping", "none"), "Toolsets that several agents use."),
        key!("mcps": listed("mapping", "none"), "MCP servers that toolsets name."),
        key!("commands": listed("mapping", "none"), "Groups of named prompts that several agents use."),
        key!("permissions": listed("mapping", "none"), "Rules on calls: `allow`, `ask` and `deny`."),
        key!("runtime": listed("mapping", "none"), "`safety`, for agents that do not set it."),
        key!("hooks": listed("any", "none"), "An error: hooks are written below their agent."),
        key!("metadata": listed("mapping", "none"), "For readers and registries."),
        key!("rag": unsupported("remove it; agents can search files with the `filesystem` toolset")),
        key!("skills": unsupported("put the knowledge into `instruction` or `add_prompt_files`")),
        key!("budget": refused("remove it; an agent's `max_iterations` limits a run, and cost is not limited")),
        key!("budgets": refused("remove it; an agent's `max_iterations` limits a run, and cost is not limited")),
        key!("evaluators": unsupported("write the check as a hook with `type: model`")),
        key!("flavors": unsupported("write the variant in a separate file")),
    ],
};

/// The context for reading every part of the file.
struct AgentFile<'a> {
    report: &'a FileReport,
    compat: DockerAgentVersion,
    models: ModelTable<'a>,
    shared: SharedDefinitions<'a>,
    /// The names of the agents that the file declares.
    agents: Vec<&'a str>,
}

/// Reads a document of agents. `None` if it declares none; the report says why.
///
/// `compat` takes precedence over the document's own version.
pub(super) fn read(
    report: &FileReport,
    document: Option<&DocNode>,
    compat: Option<DockerAgentVersion>,
) -> Option<TeamSpec> {
    let mut fields = FieldReader::new(report, "the file", document, ByteSpan::default());
    read_version(&mut fields);
    let written = fields.choice("compat", DockerAgentVersion::WORDS);
    let models = ModelTable::read(&mut fields);
    let shelf = SharedDefinitions::read(&mut fields);
    let entries = entries_of(&mut fields, "agents");
    let agents: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let file = AgentFile { report, compat: compat.or(written).unwrap_or_default(), models, shared: shelf, agents };
    if entries.is_empty() {
        let help = "declare at least one: write `agents:`, and below it `root:` with its fields";
        report.value_error("no_agents", "the file declares no agents", fields.span(), help);
    }
    let mut members: Vec<AgentSpec> = entries.iter().map(|entry| agent_entry::read(entry, &file)).collect();
    liveness::check_handoffs(&members, entries, report);
    liveness::check_unguarded(report, &members);
    file.shared.check();
    if let Some(index) = members.iter().position(|member| member.name == ROOT) {
        let root = members.remove(index);
        members.insert(0, root);
    }
    let mut permissions = permission::read(&mut fields);
    permissions.mode = read_runtime(&mut fields);
    read_metadata(&mut fields);
    FILE.read(&mut fields);
    if fields.unread().any(|entry| entry.key == "hooks") {
        let span = fields.span_of("hooks");
        let help = "write it below its agent, for example `agents: {root: {hooks: ..}}`";
        report.value_error("misplaced_key", "`hooks` must be inside an agent", span, help);
    }
    FILE.finish(fields);
    liveness::check_rules(report, &members, &permissions);
    let team = TeamSpec { agents: members.into_iter().map(Arc::new).collect(), permissions };
    (!team.agents.is_empty()).then_some(team)
}

/// The entries of a mapping with names as keys; empty if it is absent or not a mapping, which is reported.
fn entries_of<'a>(fields: &mut FieldReader<'a>, key: &'static str) -> &'a [MapEntry] {
    let node = fields.node(key);
    // `fields` reports a value that is not a mapping.
    let _ = fields.fields(key);
    node.and_then(DocNode::entries).unwrap_or_default()
}

/// Reads `version`, which is a string in docker-agent but is often written without quotes.
fn read_version(fields: &mut FieldReader<'_>) {
    let Some(node) = fields.node("version") else { return };
    let NodeKind::Scalar(scalar) = &node.kind else {
        let _: Option<String> = fields.text("version");
        return;
    };
    let known = scalar
        .text
        .trim_start_matches('v')
        .parse::<i128>()
        .is_ok_and(|version| (0..=NEWEST_VERSION).contains(&version));
    if !known {
        let message = format!("unknown version `{}`", scalar.text);
        let help = format!("the file is read as version `\"{NEWEST_VERSION}\"`, the newest that Pintle supports");
        fields.report().warning("unknown_version", message, node.span, help);
    }
}

/// Reads `runtime`: the permission mode of agents that do not set one.
fn read_runtime(fields: &mut FieldReader<'_>) -> Option<PermissionMode> {
    let mut own = fields.fields("runtime")?;
    let mode = read_mode(&mut own);
    read_keys(
        &mut own,
        &[
            key!("sandbox": refused("start Pintle in a container or a virtual machine and remove it; Pintle does not confine the agent")),
            key!("network_allowlist": refused("start Pintle where only these hosts can be reached and remove it")),
        ],
    );
    own.finish_strictly();
    mode
}

/// Reads `metadata`, which is for readers and registries.
fn read_metadata(fields: &mut FieldReader<'_>) {
    let Some(mut own) = fields.fields("metadata") else { return };
    for key in ["author", "license", "readme", "description", "version"] {
        let _ = own.node(key);
    }
    let _ = own.texts("tags");
    own.finish_strictly();
}

/// Reports an unknown name, with the nearest known one.
fn report_unknown<'a>(
    report: &FileReport,
    action: &str,
    name: &str,
    span: ByteSpan,
    known: impl Iterator<Item = &'a str> + Clone,
    otherwise: &str,
) {
    let help = did_you_mean(name, known).unwrap_or_else(|| otherwise.to_owned());
    report.value_error("unknown_name", format!("{action} `{name}` is not declared"), span, help);
}

pub(super) fn read_permissions(fields: &mut FieldReader<'_>) -> PermissionsSpec {
    permission::read(fields)
}

/// Reads `safety` of a mapping: the permission mode for calls that no rule matches.
pub(super) fn read_mode(fields: &mut FieldReader<'_>) -> Option<PermissionMode> {
    fields.choice("safety", &PERMISSION_MODES)
}

/// The diagnostics of a report, each on one line.
pub(super) fn into_diagnostics(report: FileReport) -> Vec<pintle_contract::Diagnostic> {
    let mut findings = report.into_diagnostics();
    sanitize(&mut findings);
    findings
}

#[cfg(test)]
mod tests;

//! Converts one `hooks:` block to declarations.
//!
//! Reading is strict, as in docker-agent: an unknown key or event is an error at its location. A single hook may be
//! written instead of a list, and every error in it still has its line.

mod advice;
mod declare;
mod entry;
mod hook;
mod lint;

use std::fmt::Display;

use pintle_contract::{BuiltinSpec, CommandSpec, HandlerSpec, HookDeclaration, Location};

use self::declare::DockerHookDraft;
use super::super::event_def;
use crate::docker_agent::event_def::{DockerAgentVersion, DockerEventDef, ROWS};
use crate::document::{DocNode, FileReport, MapEntry, NextStep, NodeKind};

pub(in crate::docker_agent::load) use self::advice::guess_event;
pub(in crate::docker_agent::load) use self::entry::{ENTRY, written_matcher};
pub(in crate::docker_agent::load) use self::hook::{HOOK, SANDBOX};

/// Reads one `hooks:` block: the hooks of each event in the order written, events in the order of the file.
///
/// `node` is the value of `hooks:`, or the whole document of a drop-in file. Every error is reported, and invalid hooks
/// are skipped: a caller that loads hooks to run them must stop if there are errors.
#[must_use]
pub fn read(report: &FileReport, node: &DocNode, version: DockerAgentVersion) -> Vec<HookDeclaration> {
    let entries = match &node.kind {
        NodeKind::Map(entries) => entries,
        NodeKind::Scalar(_) if node.is_null() => return Vec::new(),
        _ => {
            let help = "write `hooks:`, and below it an event such as `pre_tool_use:`";
            let message = format!("hooks must be a mapping of events, not {}", node.describe());
            report.error("wrong_type", message, node.span, help);
            return Vec::new();
        }
    };
    let mut declared = Vec::new();
    for entry in entries {
        if let Some(def) = find_known_event(report, entry, version) {
            declared.extend(entry::read(report, def, &entry.value, version));
        }
    }
    // A block without any hook is told as a whole.
    let is_empty = |node: &DocNode| node.is_null() || matches!(&node.kind, NodeKind::List(items) if items.is_empty());
    for entry in entries.iter().filter(|entry| !declared.is_empty() && is_empty(&entry.value)) {
        let message = format!("hooks: `{}` has no hook below it", entry.key);
        report.warning("no_hooks", message, entry.key_span, "write one below it, or remove the line");
    }
    if version == DockerAgentVersion::G1 {
        declare::warn_duplicates(report, &declared);
    }
    declared
}

/// Finds the definition of an event that a file names.
fn find_known_event(
    report: &FileReport,
    entry: &MapEntry,
    version: DockerAgentVersion,
) -> Option<&'static DockerEventDef> {
    let written = entry.key.as_str();
    let Some(def) = event_def::by_name(written) else {
        let message = format!("hooks: unknown event `{written}`");
        report.error("unknown_event", message, entry.key_span, Some(advice::help_for_unknown_event(written)));
        return None;
    };
    if version == DockerAgentVersion::G1 && def.since == DockerAgentVersion::Newest {
        let message = format!("hooks: `compat: g1` has no event `{written}`; newer versions of docker-agent added it");
        report.error("unknown_event", message, entry.key_span, "remove `compat: g1`");
        return None;
    }
    Some(def)
}

/// The error for a flag of an event that the dialect does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown event `{event}`; {help}")]
#[non_exhaustive]
pub struct UnknownFlagError {
    /// The name of the event, as in the flag.
    pub event: String,
    /// The nearest name, or all names.
    pub help: String,
}

/// The hook of a flag such as `--hook-pre-tool-use CMD`: a command for every tool. `None` if the command is blank.
///
/// # Errors
/// If the dialect has no such event.
pub fn hook_from_flag(
    event: &str,
    command: &str,
    version: DockerAgentVersion,
) -> Result<Option<HookDeclaration>, UnknownFlagError> {
    let def =
        ROWS.iter().find(|def| def.name == event && (version == DockerAgentVersion::Newest || def.since == version));
    let def =
        def.ok_or_else(|| UnknownFlagError { event: event.to_owned(), help: advice::help_for_unknown_event(event) })?;
    if command.trim().is_empty() {
        return Ok(None);
    }
    let spec = CommandSpec {
        command: command.to_owned(),
        expands: version == DockerAgentVersion::Newest,
        ..CommandSpec::default()
    };
    let place = format!("--hook-{}", event.replace('_', "-"));
    let draft = DockerHookDraft::new(def, version, HandlerSpec::Command(spec), Location::default());
    Ok(Some(draft.declare(None, Some(command), &place)))
}

/// The hook of an agent's flag, such as `add_date: true`; `None` if the event does not exist.
#[must_use]
pub fn builtin_hook(
    event: &str,
    name: &str,
    arguments: &[&str],
    location: &Location,
    version: DockerAgentVersion,
) -> Option<HookDeclaration> {
    let def = event_def::by_name(event)?;
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let spec = BuiltinSpec { name: name.to_owned(), arguments, ..BuiltinSpec::default() };
    let draft = DockerHookDraft::new(def, version, HandlerSpec::Builtin(spec), location.clone());
    Some(draft.declare(None, Some(name), name))
}

/// The path of a value in a block, such as `hooks.pre_tool_use[0].hooks[1]`, for messages.
type BlockPath = String;

/// Reports an error at a path, which the message starts with.
fn report_fault(
    report: &FileReport,
    code: &'static str,
    path: &str,
    message: impl Display,
    node: &DocNode,
    help: impl Into<NextStep>,
) {
    report.error(code, format!("{path}: {message}"), report.first_line(node.span), help);
}

/// The text of a scalar that is not null.
fn scalar_text(node: &DocNode) -> Option<String> {
    match &node.kind {
        NodeKind::Scalar(scalar) if !node.is_null() => Some(scalar.text.clone()),
        _ => None,
    }
}

fn node_location(report: &FileReport, node: &DocNode) -> Location {
    report.location(report.first_line(node.span))
}

#[cfg(test)]
mod tests;

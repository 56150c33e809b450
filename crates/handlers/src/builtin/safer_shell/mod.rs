//! `safer_shell`: rates how destructive a shell command is.
//!
//! A command is *safe* only if it is one plain command of [`read_only_commands`] that reads no secret, no whole directory
//! and nothing outside the project. It is *destructive* if one of its operations is one of [`risks`], or if it cannot be analyzed. Anything else is *unknown*.

mod read_only_commands;
mod risks;

use std::path::Path;

use pintle_contract::{CallReads, Effect, EventKind, Verdict, suggest_nearest};
use pintle_shell::{CallSite, Operation, OperationKind, OperationTag, PathPlace, ShellLanguage, operations_of_command};
use pintle_tools::{DiskFiles, operations_in_call};
use serde_json::{Map, Value};

use super::{BuiltinCall, BuiltinHook, BuiltinResult};
use read_only_commands::{leaves_project, plain_words, read_only_category};
use risks::{CommandRisk, worst_risk};

/// The policy: which commands need approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SaferShellPolicy {
    /// No command needs approval.
    Unsafe,
    /// Destructive commands need approval.
    Safer,
    /// All commands except safe ones need approval.
    SafeAuto,
    /// Every command needs approval.
    Strict,
}

const POLICIES: [(&str, SaferShellPolicy); 4] = [
    ("unsafe", SaferShellPolicy::Unsafe),
    ("safer", SaferShellPolicy::Safer),
    ("safe-auto", SaferShellPolicy::SafeAuto),
    ("strict", SaferShellPolicy::Strict),
];

/// The session modes with their policies. A user who adds this hook to an autonomous agent still wants to approve
/// destructive commands.
const MODES: [(&str, SaferShellPolicy); 4] = [
    ("balanced", SaferShellPolicy::SafeAuto),
    ("strict", SaferShellPolicy::Strict),
    ("restricted", SaferShellPolicy::Strict),
    ("autonomous", SaferShellPolicy::Safer),
];

fn find_policy(table: &[(&str, SaferShellPolicy)], name: &str) -> Option<SaferShellPolicy> {
    table.iter().find(|(known, _)| *known == name).map(|(_, policy)| *policy)
}

/// Labels calls of the shell tool and asks the user about them.
#[derive(Debug)]
struct SaferShell {
    /// The policy; `None` follows the session's mode.
    policy: Option<SaferShellPolicy>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let written = arguments.first().map(|written| written.trim()).filter(|written| !written.is_empty());
    let known = written.and_then(|written| find_policy(&POLICIES, written));
    if let (Some(written), None) = (written, known) {
        let near = suggest_nearest(written, POLICIES.iter().map(|(name, _)| *name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        doubts.push(format!("unknown policy `{written}`, so every command needs approval{near}"));
        return Ok(Box::new(SaferShell { policy: Some(SaferShellPolicy::Strict) }));
    }
    Ok(Box::new(SaferShell { policy: known }))
}

impl BuiltinHook for SaferShell {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        if !matches!(call.event_kind(), EventKind::ToolPre | EventKind::ToolGuard) || call.text("name") != "shell" {
            return Verdict::pass();
        }
        let argument = |name: &str| call.field("args").and_then(|arguments| arguments.get(name));
        // A call with two commands is never safe.
        let text = argument("cmd").xor(argument("command")).and_then(Value::as_str).unwrap_or_default();
        let cwd = call.field("cwd").and_then(Value::as_str).unwrap_or(&call.call.event.origin.cwd);
        let project = call.field("project").and_then(Value::as_str).unwrap_or(cwd);
        let directory = argument("cwd").and_then(Value::as_str).unwrap_or_default();
        let (cwd, project) = (Path::new(cwd).join(directory), Path::new(project));
        let label = CommandLabel::new(text, operations_in_call(call.call), &cwd, project);
        let mode = call.text("permission_mode");
        let policy = self
            .policy
            .or_else(|| find_policy(&MODES, mode))
            .or_else(|| find_policy(&POLICIES, mode))
            .unwrap_or(SaferShellPolicy::Strict);
        let reason = label.approval_reason();
        let verdict = match (policy, &label) {
            (SaferShellPolicy::Unsafe, _)
            | (SaferShellPolicy::Safer, CommandLabel::Safe(_) | CommandLabel::Unknown) => Verdict::pass(),
            (SaferShellPolicy::SafeAuto, CommandLabel::Safe(_)) => Verdict::allow(reason.clone()),
            _ => Verdict::ask(reason.clone()),
        };
        verdict.with_effect(Effect::Metadata(label.metadata(reason)))
    }

    fn call_reads(&self) -> CallReads {
        CallReads { operations: true, ..CallReads::default() }
    }
}

/// The safety of a shell command, by docker-agent's labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSafety {
    /// One plain command that only reads.
    Safe,
    /// The command destroys something.
    Destructive,
    /// Neither is known.
    Unknown,
}

impl CommandSafety {
    /// The label in payloads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }
}

/// Classifies a shell command that runs in a directory of a project, both absolute.
#[must_use]
pub fn classify_command(command: &str, cwd: &Path, project: &Path) -> CommandSafety {
    match CommandLabel::from_command(command, cwd, project) {
        CommandLabel::Safe(_) => CommandSafety::Safe,
        CommandLabel::Destructive(_) => CommandSafety::Destructive,
        CommandLabel::Unknown => CommandSafety::Unknown,
    }
}

/// The label of a command with its details.
#[derive(Debug, PartialEq, Eq)]
enum CommandLabel {
    /// The command only reads; contains its category.
    Safe(&'static str),
    Destructive(CommandRisk),
    Unknown,
}

impl CommandLabel {
    fn from_command(text: &str, cwd: &Path, project: &Path) -> Self {
        let home = pintle_files::home_dir();
        let files = DiskFiles::default();
        let site = CallSite::new(cwd, project).with_home(home.as_deref()).reading(&files);
        let site = site.resolved_by(&pintle_files::resolve_links);
        Self::new(text, &operations_of_command(text, ShellLanguage::BashOrZsh, &site), cwd, project)
    }

    fn new(text: &str, operations: &[Operation], cwd: &Path, project: &Path) -> Self {
        if let Some(danger) = worst_risk(operations) {
            return Self::Destructive(danger);
        }
        let only_reads = |operation: &Operation| {
            let is_inside = matches!(operation.place, None | Some(PathPlace::Project | PathPlace::ProjectRoot));
            let is_private = operation.has(OperationTag::Secret) || operation.has(OperationTag::GitDirectory);
            operation.kind == OperationKind::Read && is_inside && !is_private
        };
        let words = plain_words(text).filter(|words| {
            operations.iter().all(only_reads) && cwd.starts_with(project) && !leaves_project(words, cwd, project)
        });
        words.and_then(|words| read_only_category(&words)).map_or(Self::Unknown, Self::Safe)
    }

    fn approval_reason(&self) -> String {
        match self {
            Self::Safe(_) => String::from("safer_shell: matches a safe read-only pattern"),
            Self::Destructive(danger) => format!("safer_shell: destructive command: {}", danger.reason),
            Self::Unknown => String::from("safer_shell: the command is not known to be safe"),
        }
    }

    fn metadata(&self, reason: String) -> Map<String, Value> {
        let (radius, category) = match self {
            Self::Safe(category) => ("safe", *category),
            Self::Destructive(danger) => (danger.radius.as_str(), danger.category),
            Self::Unknown => ("unknown", "unknown"),
        };
        let entries = [("blast_radius", radius), ("category", category), ("reason", reason.as_str())];
        entries.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect()
    }
}

#[cfg(test)]
mod tests;

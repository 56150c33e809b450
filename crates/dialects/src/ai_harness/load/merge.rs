//! Merges hooks and tools that have the same name.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{AgentSpec, Diagnostic, HookDeclaration, Location, ToolSpec};

use super::agent::AgentDraft;
use super::hook::HookDraft;
use crate::document::FileReport;
use crate::{Artifact, BundleFolder};

/// Where a hook or a tool was declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationSource {
    /// In a list of the agent's own file.
    Inline,
    /// In its own file.
    File,
    Bundle(BundleFolder),
}

/// A tool and where it was declared.
#[derive(Debug)]
pub(super) struct ToolDraft {
    pub(super) spec: ToolSpec,
    pub(super) source: DeclarationSource,
}

/// The merged hooks and tools, in registration order.
pub(super) struct MergedDeclarations {
    pub(super) hooks: Vec<HookDraft>,
    pub(super) tools: Vec<ToolSpec>,
}

/// A declaration with a name, a source and a location.
trait NamedDeclaration {
    const KIND: &'static str;
    fn name(&self) -> &str;
    fn source(&self) -> DeclarationSource;
    fn location(&self) -> &Location;
}

impl NamedDeclaration for HookDraft {
    const KIND: &'static str = "hook";
    fn name(&self) -> &str {
        &self.name
    }
    fn source(&self) -> DeclarationSource {
        self.source
    }
    fn location(&self) -> &Location {
        &self.location
    }
}

impl NamedDeclaration for ToolDraft {
    const KIND: &'static str = "tool";
    fn name(&self) -> &str {
        &self.spec.name
    }
    fn source(&self) -> DeclarationSource {
        self.source
    }
    fn location(&self) -> &Location {
        &self.spec.location
    }
}

/// Lets files replace inline declarations, and overrides replace everything. Other declarations of the same name are
/// both kept (hooks, with a warning) or an error (tools).
pub(super) fn merge(
    hooks: Vec<HookDraft>,
    tools: Vec<ToolDraft>,
    findings: &mut Vec<Diagnostic>,
) -> MergedDeclarations {
    let hooks = merge_declarations(hooks, findings, |earlier, later| {
        let message = format!("hook `{}` is declared more than once, and every declaration runs", later.name);
        let help = format!(
            "the other one is {}; rename one of them, or move one into `overrides/` to replace the other",
            describe_location(earlier)
        );
        (true, Diagnostic::warning("duplicate_hook", message, later.location.clone()).help(help))
    });
    let tools = merge_declarations(tools, findings, |earlier, later| {
        let message = format!("tool \"{}\" is defined more than once", later.spec.name);
        let help = format!(
            "the other one is {}; rename one of them, or move one into `overrides/` to replace the other",
            describe_location(earlier)
        );
        (false, Diagnostic::error("duplicate_tool", message, later.spec.location.clone()).help(help))
    });
    MergedDeclarations { hooks, tools: tools.into_iter().map(|draft| draft.spec).collect() }
}

/// Merges declarations in registration order.
///
/// `meet` is called when two declarations have the same name and neither replaces the other; it returns whether the
/// later one is kept, and a diagnostic.
fn merge_declarations<T: NamedDeclaration>(
    items: Vec<T>,
    findings: &mut Vec<Diagnostic>,
    meet: impl Fn(&T, &T) -> (bool, Diagnostic),
) -> Vec<T> {
    let mut slots: Vec<Option<T>> = Vec::with_capacity(items.len());
    let mut met: Vec<(usize, Diagnostic)> = Vec::new();
    let mut seen = NameCounts::new();
    for item in items {
        let same = seen.entry(item.name().to_owned()).or_default();
        let replaced: Vec<usize> = same
            .iter()
            .copied()
            .filter(|slot| slots.get(*slot).and_then(Option::as_ref).is_some_and(|earlier| replaces(&item, earlier)))
            .collect();
        // Two declarations that are both replaced need no diagnostic.
        met.retain(|(slot, _)| !replaced.contains(slot));
        if let Some((first, others)) = replaced.split_first() {
            for slot in others.iter().chain([first]) {
                if let Some(earlier) = slots.get_mut(*slot).and_then(Option::take) {
                    let message =
                        format!("{} `{}` replaces the one {}", T::KIND, item.name(), describe_location(&earlier));
                    findings.push(Diagnostic::note("replaced", message, item.location().clone()));
                }
            }
            same.retain(|slot| !others.contains(slot));
            if let Some(slot) = slots.get_mut(*first) {
                *slot = Some(item);
            }
            continue;
        }
        let earlier = same.first().and_then(|slot| slots.get(*slot)).and_then(Option::as_ref);
        if let Some(earlier) = earlier {
            let (stays, diagnostic) = meet(earlier, &item);
            if !stays {
                findings.push(diagnostic);
                continue;
            }
            met.push((slots.len(), diagnostic));
        }
        same.push(slots.len());
        slots.push(Some(item));
    }
    findings.extend(met.into_iter().map(|(_, diagnostic)| diagnostic));
    slots.into_iter().flatten().collect()
}

fn replaces<T: NamedDeclaration>(successor: &T, earlier: &T) -> bool {
    match (successor.source(), earlier.source()) {
        (DeclarationSource::Bundle(BundleFolder::Overrides), DeclarationSource::Bundle(BundleFolder::Overrides)) => {
            false
        }
        (DeclarationSource::Bundle(BundleFolder::Overrides), _) => true,
        (DeclarationSource::File | DeclarationSource::Bundle(_), DeclarationSource::Inline) => true,
        _ => false,
    }
}

fn describe_location<T: NamedDeclaration>(item: &T) -> String {
    match (item.location().path(), item.location().line_column()) {
        (Some(path), Some((line, _))) => format!("at {}:{line}", path.display()),
        _ => String::from("registered earlier"),
    }
}

/// Everything read from the files, before names are merged.
#[derive(Default)]
pub(super) struct GatheredFiles {
    pub(super) hooks: Vec<HookDraft>,
    /// The hooks of packs and of policy rules.
    pub(super) packs: Vec<HookDeclaration>,
    /// What policy files let through, as arguments of these, and where they say so.
    pub(super) exceptions: Vec<(String, Location)>,
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

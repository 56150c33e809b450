//! What happens when two hooks or two tools have one name.

use pintle_contract::{Diagnostic, Location, ToolSpec};

use super::Seen;
use super::hook::Draft;
use crate::Folder;

/// Where a hook or a tool was declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// In a list of the agent's own file.
    Inline,
    /// In a file of its own.
    File,
    /// In a bundle.
    Bundle(Folder),
}

/// A tool, and where it was declared.
#[derive(Debug)]
pub(super) struct ToolDraft {
    pub(super) spec: ToolSpec,
    pub(super) source: Source,
}

/// The hooks and tools that stay, in registration order.
pub(super) struct Merged {
    pub(super) hooks: Vec<Draft>,
    pub(super) tools: Vec<ToolSpec>,
}

/// A thing with a name, a source and a place.
trait Named {
    const KIND: &'static str;
    fn name(&self) -> &str;
    fn source(&self) -> Source;
    fn location(&self) -> &Location;
}

impl Named for Draft {
    const KIND: &'static str = "hook";
    fn name(&self) -> &str {
        &self.name
    }
    fn source(&self) -> Source {
        self.source
    }
    fn location(&self) -> &Location {
        &self.location
    }
}

impl Named for ToolDraft {
    const KIND: &'static str = "tool";
    fn name(&self) -> &str {
        &self.spec.name
    }
    fn source(&self) -> Source {
        self.source
    }
    fn location(&self) -> &Location {
        &self.spec.location
    }
}

/// Lets files replace inline declarations and overrides replace everything; what else meets under one name both stays
/// (hooks, with a warning) or is an error (tools).
pub(super) fn merge(hooks: Vec<Draft>, tools: Vec<ToolDraft>, findings: &mut Vec<Diagnostic>) -> Merged {
    let hooks = place(hooks, findings, |earlier, later| {
        let message = format!("hook `{}` is declared more than once, and each runs", later.name);
        let help =
            format!("the other is {}; rename one, or put one into `overrides/` to replace the other", at(earlier));
        (true, Diagnostic::warning("duplicate_hook", message, later.location.clone()).help(help))
    });
    let tools = place(tools, findings, |earlier, later| {
        let message = format!("tool \"{}\" is defined more than once", later.spec.name);
        let help =
            format!("the other is {}; rename one, or put one into `overrides/` to replace the other", at(earlier));
        (false, Diagnostic::error("duplicate_tool", message, later.spec.location.clone()).help(help))
    });
    Merged { hooks, tools: tools.into_iter().map(|draft| draft.spec).collect() }
}

/// Walks declarations in registration order and gives each its place.
///
/// `meet` is asked when two meet of which none replaces the other: whether the later one stays too, and what to say.
fn place<T: Named>(
    items: Vec<T>,
    findings: &mut Vec<Diagnostic>,
    meet: impl Fn(&T, &T) -> (bool, Diagnostic),
) -> Vec<T> {
    let mut slots: Vec<Option<T>> = Vec::with_capacity(items.len());
    let mut met: Vec<(usize, Diagnostic)> = Vec::new();
    let mut seen = Seen::new();
    for item in items {
        let same = seen.entry(item.name().to_owned()).or_default();
        let replaced: Vec<usize> = same
            .iter()
            .copied()
            .filter(|slot| slots.get(*slot).and_then(Option::as_ref).is_some_and(|earlier| replaces(&item, earlier)))
            .collect();
        // Of two that both make room nothing is left to be said.
        met.retain(|(slot, _)| !replaced.contains(slot));
        if let Some((first, others)) = replaced.split_first() {
            for slot in others {
                if let Some(earlier) = slots.get_mut(*slot).and_then(Option::take) {
                    let message = format!("{} `{}` replaces the one {}", T::KIND, item.name(), at(&earlier));
                    findings.push(Diagnostic::note("replaced", message, item.location().clone()));
                }
            }
            same.retain(|slot| !others.contains(slot));
            if let Some(slot) = slots.get_mut(*first) {
                if let Some(earlier) = slot.as_ref() {
                    let message = format!("{} `{}` replaces the one {}", T::KIND, item.name(), at(earlier));
                    findings.push(Diagnostic::note("replaced", message, item.location().clone()));
                }
                *slot = Some(item);
            }
            continue;
        }
        let earlier = same.first().and_then(|slot| slots.get(*slot)).and_then(Option::as_ref);
        if let Some(earlier) = earlier {
            let (stays, finding) = meet(earlier, &item);
            if !stays {
                findings.push(finding);
                continue;
            }
            met.push((slots.len(), finding));
        }
        same.push(slots.len());
        slots.push(Some(item));
    }
    findings.extend(met.into_iter().map(|(_, finding)| finding));
    slots.into_iter().flatten().collect()
}

fn replaces<T: Named>(later: &T, earlier: &T) -> bool {
    match (later.source(), earlier.source()) {
        (Source::Bundle(Folder::Overrides), Source::Bundle(Folder::Overrides)) => false,
        (Source::Bundle(Folder::Overrides), _) => true,
        (Source::File | Source::Bundle(_), Source::Inline) => true,
        _ => false,
    }
}

fn at<T: Named>(item: &T) -> String {
    match (item.location().path(), item.location().line_column()) {
        (Some(path), Some((line, _))) => format!("at {}:{line}", path.display()),
        _ => String::from("registered before"),
    }
}

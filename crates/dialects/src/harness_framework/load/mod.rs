//! Converts `settings.json` to declarations.

mod entry;
mod header;
mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{HookDeclaration, SourceFile, suggest_or_list};

use super::event_def::{self, FrameworkEventDef, ROWS};
use crate::document::{DocNode, FileReport, MapEntry, parse_json};
use crate::{Artifact, ParseContext, ParsedProject, ProgramLookup};

/// Loads settings files. Every error of every file is in the diagnostics.
#[must_use]
pub fn load(artifacts: &[Artifact], context: &ParseContext<'_>) -> ParsedProject {
    let mut project = ParsedProject::default();
    for artifact in artifacts {
        let report = FileReport::new(Arc::clone(&artifact.file), "").with_format("json");
        let root = root_dir(&artifact.file.path);
        let settings = FrameworkSettingsFile { report: &report, root: &root, programs: context.programs };
        if let Some(hooks) = parse_json(&report).as_ref().and_then(|document| document.get("hooks")) {
            project.hooks.extend(settings.read(hooks));
        }
        project.diagnostics.extend(report.into_diagnostics());
    }
    project
}

/// Whether the text of a `settings.json` has this framework's form: an entry of an event has a `path`.
#[must_use]
pub fn recognise(text: &str) -> bool {
    let file = SourceFile { path: PathBuf::new(), text: text.to_owned() };
    let report = FileReport::new(Arc::new(file), "");
    let Some(document) = parse_json(&report) else {
        // A file with a JSON error is still recognized.
        return ["\"hooks\"", "\"path\""].iter().all(|word| text.contains(word)) && !text.contains("\"command\"");
    };
    let Some(events) = document.get("hooks").and_then(DocNode::entries) else { return false };
    events.iter().any(|event| match event.value.items() {
        Some(entries) => entries.iter().any(|entry| entry.get("path").is_some() && !is_group(entry)),
        None => event.value.get("path").is_some(),
    })
}

/// Whether an entry is a group with its own hooks, which is Claude Code's form: one file may contain both, and each is
/// read by its own dialect.
fn is_group(node: &DocNode) -> bool {
    node.get("hooks").is_some()
}

fn has_only_groups(list: &DocNode) -> bool {
    list.items().is_some_and(|entries| !entries.is_empty() && entries.iter().all(is_group))
}

/// The framework root: the directory of the settings file.
fn root_dir(settings: &Path) -> PathBuf {
    let dir = settings.parent().unwrap_or(Path::new(""));
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned())
}

#[derive(Clone, Copy)]
struct FrameworkSettingsFile<'a> {
    report: &'a FileReport,
    root: &'a Path,
    programs: Option<&'a dyn ProgramLookup>,
}

impl FrameworkSettingsFile<'_> {
    fn read(&self, hooks: &DocNode) -> Vec<HookDeclaration> {
        let Some(events) = self.report.entries("hooks", "an object of events", hooks, None) else { return Vec::new() };
        let mut declared = Vec::new();
        for event in events.iter().filter(|event| !has_only_groups(&event.value)) {
            if let Some(def) = self.find_known_event(event) {
                declared.extend(self.read_entries(def, &event.value));
            }
        }
        declared
    }

    fn find_known_event(&self, event: &MapEntry) -> Option<&'static FrameworkEventDef> {
        let def = event_def::by_name(&event.key);
        if def.is_none() {
            let help = suggest_or_list(&event.key, ROWS.iter().map(|def| def.name), "the events are");
            self.report.value_error("unknown_event", format!("unknown event `{}`", event.key), event.key_span, help);
        }
        def
    }

    fn read_entries(&self, def: &'static FrameworkEventDef, list: &DocNode) -> Vec<HookDeclaration> {
        let Some(entries) = self.report.items(
            format_args!("{}", def.name),
            "a list of entries",
            list,
            "put the entry in brackets: `[{\"path\": \"hooks/Name.ts\"}]`",
        ) else {
            return Vec::new();
        };
        let own = entries.iter().filter(|entry| !is_group(entry));
        own.filter_map(|entry| entry::read(self, def, entry)).collect()
    }
}

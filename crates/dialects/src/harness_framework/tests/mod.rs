mod answers;
mod fuzz;
mod headers;
mod loading;
mod matchers;
mod payloads;
mod scripts;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{Event, HookDeclaration, Origin, SourceFile};
use pintle_testkit::event_from;
use pintle_tools::{CLAUDE, HookVocabulary, heard_events};
use serde_json::Value;

use super::load;
use crate::{Artifact, ArtifactKind, ParseContext, ParsedProject, PathStatus, ProgramLookup};

/// The directory of the tests' settings.
const ROOT: &str = "/framework";

/// The files and programs of a machine.
#[derive(Debug, Default)]
pub(super) struct FakeProgramLookup {
    files: HashMap<PathBuf, (String, bool)>,
    programs: Vec<&'static str>,
}

impl FakeProgramLookup {
    fn with_programs(programs: &[&'static str]) -> Self {
        Self { files: HashMap::new(), programs: programs.to_vec() }
    }

    fn file(mut self, path: &str, text: &str, is_executable: bool) -> Self {
        self.files.insert(Path::new(ROOT).join(path), (text.to_owned(), is_executable));
        self
    }
}

impl ProgramLookup for FakeProgramLookup {
    fn inspect(&self, path: &Path) -> PathStatus {
        match self.files.get(path) {
            Some((head, is_executable)) => PathStatus::File { head: head.clone(), is_executable: *is_executable },
            None if path.ends_with("bin/sh") => PathStatus::File { head: String::new(), is_executable: true },
            None if path.ends_with("folder") => PathStatus::NotAFile,
            None => PathStatus::Missing,
        }
    }

    fn can_find(&self, name: &str) -> bool {
        self.programs.contains(&name)
    }
}

fn load_settings(text: &str, machine: Option<&FakeProgramLookup>) -> ParsedProject {
    let file = Arc::new(SourceFile { path: Path::new(ROOT).join("settings.json"), text: text.to_owned() });
    let artifact = Artifact { role: ArtifactKind::FrameworkSettings, name: String::from("settings"), file };
    let programs = machine.map(|machine| machine as &dyn ProgramLookup);
    load(&[artifact], &ParseContext { programs, ..ParseContext::default() })
}

/// The diagnostics as lines: location, severity, message and help.
fn findings(project: &ParsedProject) -> Vec<String> {
    let line = |diagnostic: &pintle_contract::Diagnostic| {
        let help = diagnostic.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{diagnostic}{help}").replace("/framework/", "")
    };
    project.diagnostics.iter().map(line).collect()
}

/// The only hook of one entry of an event.
fn only_hook(event: &str, entry: &str) -> HookDeclaration {
    let project = load_settings(&format!("{{\"hooks\": {{\"{event}\": [{entry}]}}}}"), None);
    assert_eq!(findings(&project), [] as [&str; 0]);
    project.hooks.into_iter().next().unwrap()
}

fn origin() -> Origin {
    Origin { session: String::from("s-1"), transcript: String::from("/tapes/s-1.jsonl"), ..Origin::default() }
}

fn event(canonical: &str, payload: Value) -> Event {
    heard_events(&event_from(origin(), canonical, payload), &HookVocabulary::Fixed(&CLAUDE)).remove(0)
}

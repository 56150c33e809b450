//! Checks the open documents, as `pintle validate` does.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_host::contract::{ByteSpan, HookDeclaration, Location};
use pintle_host::files::{UnsavedTexts, real_path};
use pintle_host::loader::{
    EditedFileKind, is_case_file, is_scenario_file, load_case_file, load_scenario_file, recognise_edited_file,
};
use pintle_host::packs::PolicyRuleSpec;
use pintle_host::{Diagnostic, LoadedRuntime};

use super::documents::OpenDocument;
use crate::commands::test::TestResult;
use crate::commands::validate::check_loaded;
use crate::error::CliError;
use crate::options::{HookPaths, UserOptions, policy_rules_of, start_builder};

/// What was found in all files.
#[derive(Debug, Default)]
pub(super) struct CheckReport {
    /// The findings, each in a file or, without one, about a document.
    pub(super) findings: Vec<FoundDiagnostic>,
    /// What was found before, without its texts.
    known: HashSet<KnownFinding>,
    /// The results of examples.
    pub(super) results: Vec<TestResult>,
    /// The hooks and rules that are declared, by name.
    pub(super) declared: Vec<(String, Location)>,
}

/// File, first and last byte, and message.
type KnownFinding = (Option<PathBuf>, usize, usize, String);

/// A finding, and the document that it is shown in if it is not about a place in a file.
#[derive(Debug)]
pub(super) struct FoundDiagnostic {
    pub(super) diagnostic: Diagnostic,
    pub(super) uri: String,
}

/// Checks the documents with everything around them that is loaded where they are.
pub(super) fn check_documents(documents: &[OpenDocument], user: &UserOptions) -> CheckReport {
    let files: Vec<(&OpenDocument, &Path)> =
        documents.iter().filter_map(|document| Some((document, document.path.as_deref()?))).collect();
    let texts =
        UnsavedTexts::new(files.iter().map(|(document, path)| ((*path).to_owned(), Arc::clone(&document.text))));
    let mut report = CheckReport::default();
    let mut loaded_sets: BTreeMap<Vec<PathBuf>, BTreeSet<PathBuf>> = BTreeMap::new();
    for (document, path) in files {
        let Some(dir) = path.parent() else { continue };
        let kind = texts.read_during(|| recognise_edited_file(path));
        let of_tests = match kind {
            Some(EditedFileKind::Cases) => Some(texts.read_during(|| load_case_file(path)).diagnostics),
            Some(EditedFileKind::Scenarios) => Some(texts.read_during(|| load_scenario_file(path)).diagnostics),
            Some(EditedFileKind::Artifact(_)) | None => None,
        };
        if let Some(found) = of_tests {
            report.add(found, document);
            continue;
        }
        let places = HookPaths::from_search_dir(dir.to_owned());
        // The directory may not exist; then nothing around the file is loaded.
        let projects = places.untrusted_dirs(user).unwrap_or_default();
        let loaded = loaded_sets.entry(projects).or_insert_with(|| report.check_path(places, document, &texts, user));
        if !loaded.contains(&real_path(path)) && kind.is_some() {
            report.check_path(HookPaths::from_named_paths(vec![path.to_owned()]), document, &texts, user);
        }
    }
    report
}

impl CheckReport {
    /// Checks what is loaded from a path. Returns the files.
    fn check_path(
        &mut self,
        places: HookPaths,
        document: &OpenDocument,
        texts: &UnsavedTexts,
        user: &UserOptions,
    ) -> BTreeSet<PathBuf> {
        let is_named = places.is_named;
        match load_path(&places.with_untrusted_listed(), texts, user) {
            Ok((mut built, results)) => {
                let mut found = std::mem::take(&mut built.diagnostics);
                // That a directory has no hooks is of interest to one who named it.
                found.retain(|finding| is_named || finding.code != "no_files");
                self.add(found, document);
                self.results.extend(results);
                self.declared.extend(built.declarations().flat_map(declared_names));
                built
                    .policy
                    .paths()
                    .filter(|path| !is_case_file(path) && !is_scenario_file(path))
                    .map(Path::to_owned)
                    .collect()
            }
            Err(error) => {
                let diagnostic = Diagnostic::error("not_checked", error.message, Location::default());
                self.add(vec![error.help.into_iter().fold(diagnostic, Diagnostic::help)], document);
                BTreeSet::new()
            }
        }
    }

    /// Adds findings, each once: the user's own hooks are loaded with every project.
    fn add(&mut self, diagnostics: Vec<Diagnostic>, document: &OpenDocument) {
        for diagnostic in diagnostics {
            let Location { span, .. } = &diagnostic.location;
            let path = diagnostic.location.path().map(Path::to_owned);
            if self.known.insert((path, span.start, span.end, diagnostic.message.clone())) {
                self.findings.push(FoundDiagnostic { diagnostic, uri: document.uri.clone() });
            }
        }
    }
}

/// A hook by its name; the rules of a policy file by theirs.
fn declared_names(hook: &HookDeclaration) -> Vec<(String, Location)> {
    let rules = policy_rules_of(hook);
    if rules.is_empty() {
        return vec![(hook.name.clone(), hook.location.clone())];
    }
    let line_of = |rule: &PolicyRuleSpec| {
        let start = hook.location.file.as_ref().map_or(0, |file| file.line_start(rule.line));
        Location { span: ByteSpan { start, end: start }, ..hook.location.clone() }
    };
    rules.iter().map(|rule| (rule.name.clone(), line_of(rule))).collect()
}

fn load_path(
    places: &HookPaths,
    texts: &UnsavedTexts,
    user: &UserOptions,
) -> Result<(LoadedRuntime, Vec<TestResult>), CliError> {
    let mut built = start_builder(places, user)?.unsaved_texts(texts.clone()).check_guards().load();
    let results = texts.read_during(|| check_loaded(&mut built));
    Ok((built, results))
}

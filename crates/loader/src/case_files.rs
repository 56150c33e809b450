//! Finds and reads the case files and scenario files beside hooks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{Diagnostic, SourceFile};
use pintle_dialects::document::source_file;
use pintle_dialects::{PolicyCases, TestScenarios, read_case_file, read_scenario_file};

use crate::discover::{folder_role, sorted_entries};
use crate::read::read_limited;

/// The end of a case file's name.
const CASES: &str = ".cases.yaml";
/// The end of a scenario file's name.
const SCENARIOS: &str = ".scenario.yaml";

/// Whether a path has the name of a case file.
#[must_use]
pub fn is_case_file(path: &Path) -> bool {
    ends_with(path, CASES)
}

/// Whether a path has the name of a scenario file.
#[must_use]
pub fn is_scenario_file(path: &Path) -> bool {
    ends_with(path, SCENARIOS)
}

fn ends_with(path: &Path, ending: &str) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(ending.as_bytes()))
}

/// Finds the case files and scenario files beside files of hooks: in the same directories, and above one such as `hooks/`. Each is found
/// once; the directories come in their order.
#[must_use]
pub fn find_test_files<'p>(hook_files: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
    let is_same = |one: &Path, other: &Path| std::path::absolute(one).ok() == std::path::absolute(other).ok();
    let mut dirs: Vec<&Path> = Vec::new();
    for dir in hook_files.filter_map(Path::parent) {
        let is_part = dir.file_name().and_then(|name| name.to_str()).and_then(folder_role).is_some();
        let above = dir.parent().filter(|_| is_part);
        for dir in above.into_iter().chain([dir]) {
            if !dirs.iter().any(|known| is_same(known, dir)) {
                dirs.push(dir);
            }
        }
    }
    // A directory that cannot be listed has been reported with its hooks.
    let entries = dirs.into_iter().flat_map(|dir| sorted_entries(dir, &mut Vec::new()));
    entries.filter(|path| is_case_file(path) || is_scenario_file(path)).collect()
}

/// Reads a case file. A file that cannot be read is an error in its diagnostics.
#[must_use]
pub fn load_case_file(path: &Path) -> PolicyCases {
    match load_source(path) {
        Ok(file) => read_case_file(&file),
        Err(error) => PolicyCases { diagnostics: vec![error], ..PolicyCases::default() },
    }
}

/// Reads a scenario file. A file that cannot be read is an error in its diagnostics.
#[must_use]
pub fn load_scenario_file(path: &Path) -> TestScenarios {
    match load_source(path) {
        Ok(file) => read_scenario_file(&file),
        Err(error) => TestScenarios { diagnostics: vec![error], ..TestScenarios::default() },
    }
}

fn load_source(path: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
    match source_file(path, read_limited(path)?) {
        (_, Some(error)) => Err(error),
        (file, None) => Ok(file),
    }
}

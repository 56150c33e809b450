//! Finds the files that a command names, and the parts of it that trust does not cover.
//!
//! Two analyses are combined. `parts` splits the text at every special character, so that it finds a file anywhere in
//! the text. `analysis` asks the crate `shell` what the words of the command name, resolves them to files, does the same
//! for the scripts among them, and reports what it cannot determine.

mod analysis;
mod includes;
mod named_paths;
mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pintle_contract::{CommandSpec, HandlerSpec, HookDeclaration};

use analysis::CommandAnalysis;
use named_paths::NamedPaths;

/// The files that a command names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReferencedFiles {
    /// The files of the project.
    pub(super) files: BTreeSet<PathBuf>,
    /// The files among them whose text runs.
    pub(super) programs: BTreeSet<PathBuf>,
    /// The paths of programs that it runs and that do not exist.
    pub(super) missing_programs: BTreeSet<PathBuf>,
    /// Descriptions of what it runs that is not covered.
    pub(super) not_covered: BTreeSet<String>,
}

/// Finds the files of the project that a command names, by any reading of its words. Paths are resolved relative to the
/// project, to the hook's file, to the command's working directory, and to every directory that the command names, as
/// with `cd`.
///
/// A program that is found in the PATH by its name is not the project's.
pub(super) fn referenced_files(command: &CommandSpec, own: Option<&Path>, project: &Path) -> ReferencedFiles {
    let mut analysis = CommandAnalysis::new(command, own, project);
    analysis.analyze();
    let mut files = analysis.files_in_text();
    let found = analysis.into_referenced_files();
    files.extend(found.files);
    ReferencedFiles { files, ..found }
}

/// Finds the files that a command would name in the directory that it is about to run in, with these variables: the
/// files of the project and of that directory, as a shell reads the command. Links are followed.
pub(super) fn referenced_files_in(
    command: &CommandSpec,
    project: &Path,
    cwd: &Path,
    variables: &[(String, String)],
) -> ReferencedFiles {
    let mut analysis = CommandAnalysis::for_running_command(command, project, cwd, variables);
    analysis.analyze();
    let found = analysis.into_referenced_files();
    let real = |files: BTreeSet<PathBuf>| -> BTreeSet<PathBuf> {
        files.into_iter().map(|file| pintle_files::real_path(&file)).collect()
    };
    ReferencedFiles { files: real(found.files), programs: real(found.programs), ..found }
}

/// The files that a hook's command names, including those that do not exist, and those that its author lists.
pub(crate) fn files_of_hook(hook: &HookDeclaration, project: &Path) -> BTreeSet<PathBuf> {
    let mut files = listed_files(&hook.files, hook.location.path(), project).files;
    if let HandlerSpec::Command(command) = &hook.handler {
        let found = referenced_files(command, hook.location.path(), project);
        files.extend(found.files.into_iter().chain(found.missing_programs));
    }
    files
}

/// The files that the author of a hook lists: paths and globs, relative to the project and to the hook's file. A
/// directory means everything in it.
pub(super) fn listed_files(globs: &[String], own: Option<&Path>, project: &Path) -> ReferencedFiles {
    let bases: Vec<PathBuf> = std::iter::once(project).chain(own.and_then(Path::parent)).map(Path::to_owned).collect();
    let mut named = ReferencedFiles::default();
    for glob in globs {
        let is_ours = |path: &Path| path.starts_with(project);
        let place = NamedPaths::of_path(glob, true, &bases, &is_ours);
        let is_cut = place.is_open || place.folders.iter().any(|dir| !add_all_files(dir, &mut named.files));
        if is_cut {
            named.not_covered.insert(format!("`{glob}`: it matches more files than Pintle analyzes"));
        }
        named.files.extend(place.files);
    }
    named
}

/// The most files of a directory.
const MOST_FILES: usize = 4096;

/// Adds every file below a directory; returns whether that was all.
fn add_all_files(dir: &Path, files: &mut BTreeSet<PathBuf>) -> bool {
    let mut folders = vec![dir.to_owned()];
    let mut seen = 0;
    while let Some(dir) = folders.pop() {
        for entry in pintle_files::read_dir(dir).into_iter().flatten().flatten() {
            seen += 1;
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ if pintle_files::is_file(&path) => drop(files.insert(path)),
                _ => {}
            }
        }
        if seen > MOST_FILES {
            return false;
        }
    }
    true
}

//! Finds the files of the project that a path or a pattern names.

use std::path::{Path, PathBuf};

use pintle_files::normalize_path;
use pintle_shell::{FileWord, PathStart, matches_glob};

/// The most files that a pattern matches.
const MOST_MATCHES: usize = 1024;

/// The files and directories of the project that a word names.
#[derive(Debug, Default)]
pub(super) struct NamedPaths {
    pub(super) files: Vec<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
    /// Whether it may name other files as well.
    pub(super) is_open: bool,
    /// Whether it leads out of the project.
    pub(super) is_outside: bool,
}

impl NamedPaths {
    /// What a word names. `bases` are the directories that it may be relative to, and `roots` those that may be meant by
    /// the project's directory.
    pub(super) fn of_word(
        file_word: &FileWord,
        bases: &[PathBuf],
        roots: &[PathBuf],
        is_ours: &dyn Fn(&Path) -> bool,
    ) -> Self {
        let is_unknown = file_word.start == PathStart::Unknown;
        let Some(path) = &file_word.path else { return Self { is_open: true, ..Self::default() } };
        let (path, starts) = match (file_word.start, bases.first()) {
            // `$PWD` may be any of the directories.
            (PathStart::Written, Some(cwd)) => match Path::new(path).strip_prefix(cwd) {
                Ok(below) => (below.to_str().unwrap_or(path), bases.to_vec()),
                Err(_) => (path.as_str(), bases.to_vec()),
            },
            // The part before the slash may be the path of one of the directories.
            _ => (path.trim_start_matches('/'), [bases, roots].concat()),
        };
        let found = Self::of_path(path, file_word.is_pattern, &starts, is_ours);
        Self { is_open: found.is_open || is_unknown, ..found }
    }

    /// What a path names, relative to these directories.
    pub(super) fn of_path(path: &str, is_pattern: bool, bases: &[PathBuf], is_ours: &dyn Fn(&Path) -> bool) -> Self {
        let mut named = Self::default();
        let root = [PathBuf::from("/")];
        for start in if path.starts_with('/') { &root } else { bases } {
            let mut found = vec![start.clone()];
            for name in path.split('/').filter(|name| !name.is_empty()) {
                found = found.iter().flat_map(|dir| enter_name(dir, name, is_pattern)).collect();
                named.is_open |= found.len() > MOST_MATCHES;
                found.truncate(MOST_MATCHES);
            }
            for path in found.iter().map(|path| normalize_path(path)) {
                let is_ours =
                    is_ours(path.as_path()) || pintle_files::canonicalize(&path).is_ok_and(|real| is_ours(&real));
                match (is_ours, pintle_files::is_file(&path)) {
                    (true, true) => named.files.push(path),
                    (true, false) if pintle_files::is_dir(&path) => named.folders.push(path),
                    (false, true) => named.is_outside = true,
                    _ => {}
                }
            }
        }
        named
    }
}

/// The paths that a component means in a directory: itself, or all matches.
fn enter_name(dir: &Path, name: &str, is_pattern: bool) -> Vec<PathBuf> {
    if !is_pattern || !name.contains(['*', '?', '[']) {
        return vec![dir.join(name)];
    }
    if name.len() > 1 && name.bytes().all(|letter| letter == b'*') {
        return folders_below(dir);
    }
    // A shell may be told that patterns match a leading dot.
    let matches =
        |file: &str| file == name || [file, file.trim_start_matches('.')].iter().any(|file| matches_glob(name, file));
    let entries = pintle_files::read_dir(dir).into_iter().flatten().flatten();
    let matching = entries.filter(|entry| matches(&entry.file_name().to_string_lossy()));
    let mut found: Vec<PathBuf> = matching.map(|entry| entry.path()).collect();
    found.sort_unstable();
    found
}

/// A directory and all directories below it, as `**` matches in some shells.
fn folders_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    let mut next = 0;
    while let Some(dir) = found.get(next).filter(|_| found.len() <= MOST_MATCHES).cloned() {
        let entries = pintle_files::read_dir(dir).into_iter().flatten().flatten();
        found.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
        next += 1;
    }
    found
}

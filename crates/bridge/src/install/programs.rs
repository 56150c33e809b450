//! Handles a directory with an executable for each event.

use std::fs;
use std::path::{Path, PathBuf};

use super::{InstalledEntry, line};

/// The text of the executable of an entry.
pub(super) fn program_text(entry: &InstalledEntry) -> String {
    format!("#!/bin/sh\n# Pintle's hook; `pintle uninstall` removes it.\n{}\n", entry.command)
}

/// Whether an executable is one of Pintle's.
pub(super) fn is_own_program(text: &str, host: &str) -> bool {
    own_command_line(text, host).is_some()
}

/// The command line in one of Pintle's executables.
pub(super) fn own_command_line<'a>(text: &'a str, host: &str) -> Option<&'a str> {
    text.lines().find(|line| line::parse_own_command(line, host).is_some())
}

/// Pintle's executables in a directory: names and texts, ordered by name.
pub(super) fn list_own_programs(dir: &Path, host: &str) -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<_> =
        files.filter_map(|path| pintle_host::files::read_text(&path).ok().map(|text| (path, text))).collect();
    found.retain(|(_, text)| is_own_program(text, host));
    found.sort();
    found
}

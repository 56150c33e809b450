//! Rejects unfinished work, names without meaning, and paths of one machine.

use xtask::{SourceWorkspace, is_in_src};

use crate::tidy::code::has_word;

/// Marks of unfinished work, in two parts each, so that this file does not contain them.
const UNFINISHED: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX"), concat!("todo", "!")];

/// Names of files and directories that say nothing about their content.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "manager", "managers", "processor", "misc", "types"];

/// Extensions of files that are written by hand.
const WRITTEN: &[&str] = &[".rs", ".md", ".toml", ".yml", ".yaml", ".json", ".sh", ".star", ".txt"];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let machine = machine_paths(workspace);
    let mut faults = Vec::new();
    for (name, text) in &workspace.files {
        let written = WRITTEN.iter().any(|ending| name.ends_with(ending)) || name.starts_with(".ci/");
        // The marks of a fork's first authors are theirs.
        let forked = name.starts_with("third_party/") && name.ends_with(".rs");
        for (index, line) in text.lines().enumerate().filter(|_| written) {
            // A macro is one in Rust only: in a table, the mark may belong to a name.
            let found = |word: &&str| has_word(line, word) && (!word.ends_with('!') || name.ends_with(".rs"));
            let unfinished = UNFINISHED.iter().copied().filter(|_| !forked).find(found);
            faults.extend(unfinished.map(|word| format!("{name}:{}: `{word}`; finish it or file an issue", index + 1)));
            let path = machine.iter().find(|path| line.contains(path.as_str()));
            faults.extend(path.map(|path| format!("{name}:{}: `{path}` exists on one machine only", index + 1)));
        }
        let source = is_in_src(name);
        let parts = name.split('/').map(|part| part.trim_end_matches(".rs"));
        let empty = parts.filter(|_| source).find(|part| EMPTY_NAMES.contains(part));
        faults.extend(empty.map(|part| format!("`{name}`: `{part}` does not say what it contains; name the idea")));
    }
    faults
}

/// The directory of the repository on this machine and its parent, unless that is the root.
fn machine_paths(workspace: &SourceWorkspace) -> Vec<String> {
    let above = workspace.root.parent().filter(|path| path.parent().is_some());
    let paths = [Some(workspace.root.as_path()), above];
    paths.into_iter().flatten().map(|path| format!("{}/", path.display())).collect()
}

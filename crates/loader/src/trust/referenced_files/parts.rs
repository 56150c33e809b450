//! The files that stand anywhere in a command, whatever its words mean.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pintle_contract::CommandSpec;

use crate::policy::normalize_path;

/// What stands between the words of a shell's text, quotes and assignments included: a file may stand in any of them.
const BETWEEN: &[char] = &[
    ' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>', '"', '\'', '`', '=', ',', ':', '[', ']', '*', '?', '!',
    '@', '%', '^', '+', '#',
];

/// The files of the project that a part of the command names, between spaces and signs, seen from these folders. `text` is
/// what of the command may name files that it runs.
pub(super) fn files_in_text(text: &str, command: &CommandSpec, project: &Path, bases: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut seen = BTreeSet::new();
    for word in path_candidates(text, command) {
        for base in bases {
            let file = normalize_path(&base.join(&word));
            if file.starts_with(project) && file.is_file() {
                seen.insert(file);
            }
        }
    }
    seen
}

/// Everything in a command that may be a path: its parts between spaces and signs, and its arguments as they are.
fn path_candidates(text: &str, command: &CommandSpec) -> Vec<String> {
    let arguments = command.arguments.iter().flatten();
    let texts = || std::iter::once(text).chain(arguments.clone().map(String::as_str));
    let parts = texts().flat_map(|text| text.split(BETWEEN)).chain(texts());
    let unquoted = texts().filter(|text| text.contains('\\')).map(|text| text.replace("\\ ", "\u{0}"));
    let escaped: Vec<String> = unquoted
        .flat_map(|text| {
            text.split(BETWEEN).map(|word| word.replace('\u{0}', " ").replace('\\', "")).collect::<Vec<_>>()
        })
        .collect();
    let quoted: Vec<&str> = texts().flat_map(|text| text.split(['"', '\''])).collect();
    let mut words: Vec<String> = parts.chain(quoted).map(strip_variable).map(str::to_owned).chain(escaped).collect();
    // What stands before a slash may have been a variable in quotes or a command of its own.
    let behind: Vec<String> = words.iter().filter_map(|word| word.strip_prefix('/')).map(str::to_owned).collect();
    words.extend(behind);
    // `-Khooks/x`
    let joined: Vec<String> =
        words.iter().filter(|word| word.starts_with('-')).filter_map(|word| word.get(2..)).map(str::to_owned).collect();
    words.extend(joined);
    words.retain(|word| !word.is_empty() && !word.contains('\u{0}') && word.len() < MOST_BYTES);
    words.sort_unstable();
    words.dedup();
    words
}

/// The longest path that is looked at.
const MOST_BYTES: usize = 4096;

/// A word behind the variable that it begins with: `$ROOT/a` and `${ROOT}/a` are `a`, seen from wherever that may be.
fn strip_variable(word: &str) -> &str {
    let Some(behind) = word.strip_prefix('$') else { return word };
    let rest = match behind.strip_prefix('{') {
        Some(braced) => braced.split_once('}').map_or("", |(_, rest)| rest),
        None => behind.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_'),
    };
    rest.trim_start_matches('/')
}

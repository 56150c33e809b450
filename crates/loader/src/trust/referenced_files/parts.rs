//! Finds the files anywhere in a command, whatever its words mean.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pintle_files::normalize_path;

/// The separators between words of a shell text, including quotes and assignments: a file name may be in any part.
const BETWEEN: &[char] = &[
    ' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>', '"', '\'', '`', '=', ',', ':', '[', ']', '*', '?', '!',
    '@', '%', '^', '+', '#',
];

/// The files of the project that any part of these texts names, relative to these directories.
pub(super) fn files_in_texts(texts: &[&str], project: &Path, bases: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut seen = BTreeSet::new();
    for word in path_candidates(texts) {
        for base in bases {
            let file = normalize_path(&base.join(&word));
            if file.starts_with(project) && pintle_files::is_file(&file) {
                seen.insert(file);
            }
        }
    }
    seen
}

/// Every part of the texts that may be a path: the words between spaces and special characters, and the texts as they
/// are.
fn path_candidates(all: &[&str]) -> Vec<String> {
    let texts = || all.iter().copied();
    let parts = texts().flat_map(|text| text.split(BETWEEN)).chain(texts());
    let unquoted = texts().filter(|text| text.contains('\\')).map(|text| text.replace("\\ ", "\u{0}"));
    let escaped: Vec<String> = unquoted
        .flat_map(|text| {
            text.split(BETWEEN).map(|word| word.replace('\u{0}', " ").replace('\\', "")).collect::<Vec<_>>()
        })
        .collect();
    let quoted: Vec<&str> = texts().flat_map(|text| text.split(['"', '\''])).collect();
    let mut words: Vec<String> = parts.chain(quoted).map(strip_variable).map(str::to_owned).chain(escaped).collect();
    // The part before a slash may have been a quoted variable or a command substitution.
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

/// The longest path that is examined.
const MOST_BYTES: usize = 4096;

/// A word without the variable that it starts with: `$ROOT/a` and `${ROOT}/a` are `a`.
fn strip_variable(word: &str) -> &str {
    let Some(behind) = word.strip_prefix('$') else { return word };
    let rest = match behind.strip_prefix('{') {
        Some(braced) => braced.split_once('}').map_or("", |(_, rest)| rest),
        None => behind.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_'),
    };
    rest.trim_start_matches('/')
}

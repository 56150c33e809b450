//! Finds the files that match a shell pattern.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The most files that are examined for one part of a pattern.
const MOST_MATCHES: usize = 4096;

/// The existing paths that match a shell pattern with `*`, `?` and brackets. Brackets match any character, so that the
/// result is rather too large than too small.
pub(crate) fn expand_pattern(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let names = match part {
            Component::Normal(name) => name.to_string_lossy(),
            part => {
                found.iter_mut().for_each(|path| path.push(part));
                continue;
            }
        };
        if !names.contains(['*', '?', '[']) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let below = |dir: &PathBuf| -> Vec<PathBuf> {
            let entries = pintle_files::read_dir(dir).into_iter().flatten().flatten();
            let fits = entries.filter(|entry| matches_name(&names, &entry.file_name()));
            fits.map(|entry| dir.join(entry.file_name())).take(MOST_MATCHES).collect()
        };
        found = found.iter().flat_map(below).take(MOST_MATCHES).collect();
    }
    found
}

/// Whether a name matches a shell pattern. Brackets match any character; `*` does not match hidden names.
fn matches_name(pattern: &str, name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    if name.starts_with('.') && !pattern.starts_with(['.', '[']) {
        return false;
    }
    matches_text(pattern, &name)
}

/// Whether a text matches a pattern in which `*` matches any characters, and `?` and brackets match one.
pub(crate) fn matches_text(pattern: &str, text: &str) -> bool {
    let mut simple = String::new();
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        if letter == '[' {
            rest.by_ref().find(|letter| *letter == ']');
            simple.push('?');
        } else {
            simple.push(letter);
        }
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (simple.chars().collect(), text.chars().collect());
    // `reached[n]`: the pattern so far can match the first `n` characters of the name.
    let mut reached = vec![false; name.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for letter in pattern {
        let mut next = vec![false; name.len() + 1];
        for (length, place) in next.iter_mut().enumerate() {
            let was = |length: usize| reached.get(length).copied().unwrap_or_default();
            *place = match letter {
                '*' => reached.iter().take(length + 1).any(|reached| *reached),
                '?' => length > 0 && was(length - 1),
                letter => length > 0 && was(length - 1) && name.get(length - 1) == Some(&letter),
            };
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_pattern_stands_for_names_as_in_a_shell() {
        for (pattern, name, wanted) in [
            ("*.md", "a.md", true),
            ("*.md", "a.txt", false),
            ("*", ".hidden", false),
            (".h*", ".harness", true),
            ("[.]harness", ".harness", true),
            ("s?ttings*", "settings.json", true),
            ("s?ttings", "sttings", false),
            ("**a*", "bab", true),
        ] {
            assert_eq!(matches_name(pattern, OsStr::new(name)), wanted, "{pattern} {name}");
        }
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".harness/hooks")).unwrap();
        fs::write(dir.path().join(".harness/hooks/a.md"), "").unwrap();
        let found = expand_pattern(&dir.path().join(".h*/ho?ks/*.md"));
        assert_eq!(found, [dir.path().join(".harness/hooks/a.md")]);
    }
}

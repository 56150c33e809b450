//! Phrases that read as a translation or a riddle, in documents and doc comments. Help texts are doc comments, too.
//!
//! `docs/contributing/names.md` says what to write instead.

use std::collections::BTreeSet;

use crate::tidy::code::{has_word, is_test_file};
use crate::workspace::SourceWorkspace;

/// Phrases that are always wrong, in lower case.
const PHRASES: &[&str] = &[
    "is none of",
    "none of the host's",
    "nobody",
    "somebody",
    "whoever",
    "of today",
    "as then",
    "anew",
    "besides",
    "in the place of",
    "comes to",
    "came of",
    "goes on with",
    "taken up",
    "tells of",
    "is told of",
    "so many",
    "whose life",
    "mend",
    "agree to",
    "enact",
    "enacts",
    "enacted",
    "heard",
    "the world",
    "door",
];

/// `is no file`: "is not a file". What may follow.
const AFTER_IS_NO: &[&str] = &["longer", "more", "less"];

/// `stands` is wrong as "is". `stands for` is right.
const AFTER_STANDS: &str = "for";

/// `counts` is wrong as "applies". What follows it then.
const AFTER_COUNTS: &[&str] = &["for", "only", "nothing", "no"];

/// Where a phrase is right, and why. An entry that excuses nothing is itself a violation.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut unused: BTreeSet<_> = EXCEPTIONS.iter().map(|(file, phrase, _)| (*file, *phrase)).collect();
    let mut violations = Vec::new();
    for (file, text) in &workspace.files {
        for (number, line) in prose_lines(file, text) {
            let Some(phrase) = banned_phrase(&line) else { continue };
            match EXCEPTIONS.iter().any(|(excused, what, _)| excused == file && *what == phrase) {
                true => drop(unused.remove(&(file.as_str(), phrase))),
                false => {
                    violations.push(format!("{file}:{number}: `{phrase}`; docs/contributing/names.md has plain words"))
                }
            }
        }
    }
    violations
        .extend(unused.iter().map(|(file, phrase)| format!("{file}: the exception for `{phrase}` excuses nothing")));
    violations
}

/// The lines of a file that are prose, numbered from 1, in lower case and without code.
fn prose_lines<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = (usize, String)> + 'a {
    let is_document = file.ends_with(".md") && !file.contains("/tests/") && file != "docs/contributing/names.md";
    let is_source =
        file.starts_with("crates/") && file.contains("/src/") && file.ends_with(".rs") && !is_test_file(file);
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim_start();
        let prose = match (is_document, is_source) {
            (true, _) => line,
            (_, true) => line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?.trim_start(),
            _ => return None,
        };
        if prose.starts_with("```") {
            is_code = !is_code;
        }
        (!is_code).then(|| (index + 1, without_code(prose).to_lowercase()))
    })
}

/// The line without what is between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn banned_phrase(line: &str) -> Option<&'static str> {
    let followed_by = |phrase: &str| {
        let rest = line.split_once(phrase).map(|(_, rest)| rest);
        rest.map(|rest| rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default())
    };
    let is_no = has_word(line, "is no") && followed_by("is no ").is_some_and(|word| !AFTER_IS_NO.contains(&word));
    let counts = has_word(line, "counts") && followed_by("counts ").is_some_and(|word| AFTER_COUNTS.contains(&word));
    let stands = has_word(line, "stands") && followed_by("stands ").is_none_or(|word| word != AFTER_STANDS);
    let phrase = PHRASES.iter().copied().find(|phrase| has_word(line, phrase));
    phrase
        .or_else(|| is_no.then_some("is no"))
        .or_else(|| counts.then_some("counts"))
        .or_else(|| stands.then_some("stands"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_prose_and_not_in_code() {
        let found = |file, text| {
            prose_lines(file, text).filter_map(|(index, line)| Some((index, banned_phrase(&line)?))).collect()
        };
        let found: fn(&'static str, &'static str) -> Vec<(usize, &'static str)> = found;
        assert_eq!(found("docs/a.md", "Nobody is asked.\n```\nnobody\n```\n`nobody`, unavailable"), [(1, "nobody")]);
        assert_eq!(
            found(
                "crates/a/src/b.rs",
                "/// It is no file.\nlet nobody = 1; // nobody\n//! No longer: it is no longer."
            ),
            [(1, "is no")]
        );
        assert_eq!(found("docs/a.md", "It counts for nothing.\nIt counts tokens."), [(1, "counts")]);
        assert_eq!(found("crates/a/tests/b.rs", "/// nobody"), []);
    }
}

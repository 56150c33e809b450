//! Phrases that read as a translation or a riddle, in documents and doc comments. Help texts are doc comments, too.
//!
//! `docs/contributing/names.md` says what to write instead.

use xtask::{SourceWorkspace, is_in_src};

use crate::tidy::code::{has_word, is_test_file, text_after_word};
use crate::tidy::exceptions::{self, TidyException, TidyViolation};

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

/// The text before a help text that is not a doc comment.
const HELP_KEYS: &[&str] = &["about = \"", "help = \"", "heading = \""];

const EXCEPTIONS: &[TidyException] = &[];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut violations = Vec::new();
    for (file, text) in &workspace.files {
        for (number, line) in prose_lines(file, text) {
            violations.extend(banned_phrases(&line).into_iter().map(|phrase| TidyViolation {
                file: file.clone(),
                subject: phrase.to_owned(),
                message: format!("{file}:{number}: `{phrase}`; docs/contributing/names.md has plain words"),
            }));
        }
    }
    exceptions::apply(EXCEPTIONS, violations)
}

/// The lines of a file that are prose, numbered from 1, in lower case and without code.
fn prose_lines<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = (usize, String)> + 'a {
    let is_document = file.ends_with(".md") && !file.contains("/tests/") && file != "docs/contributing/names.md";
    let is_source = is_in_src(file) && file.ends_with(".rs") && !is_test_file(file);
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim_start();
        let prose = match (is_document, is_source) {
            (true, _) => line,
            (_, true) => {
                line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).or_else(|| help_text(line))?.trim_start()
            }
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

/// The help text that a line gives to an argument or a command.
fn help_text(line: &str) -> Option<&str> {
    let attribute = ["#[command(", "#[arg("].iter().find_map(|start| line.strip_prefix(start))?;
    HELP_KEYS.iter().find_map(|key| attribute.split_once(key)).map(|(_, text)| text)
}

fn banned_phrases(line: &str) -> Vec<&'static str> {
    let mut found: Vec<&str> = PHRASES.iter().copied().filter(|phrase| has_word(line, phrase)).collect();
    let mut check = |phrase: &'static str, is_wrong: &dyn Fn(&str) -> bool| {
        if words_after(line, phrase).any(is_wrong) {
            found.push(phrase);
        }
    };
    check("is no", &|next| !next.is_empty() && !AFTER_IS_NO.contains(&next));
    check("counts", &|next| AFTER_COUNTS.contains(&next));
    check("stands", &|next| next != AFTER_STANDS);
    found
}

/// The word that directly follows each place of a phrase; empty if something else follows.
fn words_after<'l>(line: &'l str, phrase: &'static str) -> impl Iterator<Item = &'l str> {
    text_after_word(line, phrase).map(|rest| {
        let next = rest.strip_prefix(' ').unwrap_or_default();
        next.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_prose_and_not_in_code() {
        let found = |file, text| {
            let lines = prose_lines(file, text);
            lines
                .flat_map(|(index, line)| banned_phrases(&line).into_iter().map(move |phrase| (index, phrase)))
                .collect()
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
        let help =
            "#[command(long_about = \"Tell somebody\")]\nlet help = \"somebody\";\n#[arg(long, help = \"For nobody\")]";
        assert_eq!(found("crates/cli/src/b.rs", help), [(1, "somebody"), (3, "nobody")]);
    }

    #[test]
    fn every_place_of_a_line_is_looked_at() {
        assert_eq!(
            banned_phrases("it is no longer so, it is no file and nobody is heard"),
            ["nobody", "heard", "is no"]
        );
        assert_eq!(banned_phrases("it counts tokens, withstands for now, stands for one and stands."), ["stands"]);
        assert_eq!(banned_phrases("this is not, there is nothing, it stands for it"), Vec::<&str>::new());
    }
}

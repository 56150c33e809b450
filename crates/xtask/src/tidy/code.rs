//! The shipped part of a source file: without comments and tests.

/// Whether a file contains only tests, benches or examples.
pub(super) fn is_test_file(name: &str) -> bool {
    ["/tests/", "/benches/", "/examples/"].iter().any(|dir| name.contains(dir)) || name.ends_with("/tests.rs")
}

/// The shipped lines, with their numbers from 1.
///
/// Line comments are removed. A test module is the last item of a file, so everything from there on is left out.
pub(super) fn shipped_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let tests = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text.get(..tests).unwrap_or(text).lines();
    lines.enumerate().map(|(index, line)| (index + 1, strip_comment(line)))
}

/// A line without its comment. A `//` within a string literal, as in an address, does not start a comment.
fn strip_comment(line: &str) -> &str {
    let quotes_before = |index: usize| line.get(..index).unwrap_or_default().matches('"').count();
    let comment = line.match_indices("//").find(|(index, _)| quotes_before(*index) % 2 == 0);
    comment.and_then(|(index, _)| line.get(..index)).unwrap_or(line)
}

/// Whether a word is in a line.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    text_after_word(line, word).next().is_some()
}

/// The text behind each place of a word that has nothing around it which could be part of it.
pub(super) fn text_after_word<'l>(line: &'l str, word: &'l str) -> impl Iterator<Item = &'l str> {
    let is_part = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).filter_map(move |(index, _)| {
        let rest = line.get(index + word.len()..)?;
        let before = line.get(..index).and_then(|text| text.chars().next_back());
        let (starts, ends) = (word.chars().next(), word.chars().next_back());
        let is_whole = !(is_part(starts) && is_part(before) || is_part(ends) && is_part(rest.chars().next()));
        is_whole.then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_do_not_ship() {
        let text = "use a;\n// std::fs\nlet x = \"http://host\"; // note\n#[cfg(test)]\nmod tests {}\n";
        let lines: Vec<_> = shipped_lines(text).collect();
        assert_eq!(lines, [(1, "use a;"), (2, ""), (3, "let x = \"http://host\"; ")]);
    }

    #[test]
    fn a_word_is_whole() {
        assert!(has_word("use std::fs;", "std::fs"));
        assert!(has_word("println!(\"x\")", "println!"));
        assert!(!has_word("eprintln!(\"x\")", "println!"));
        assert!(!has_word("let instant_now = 1;", "Instant"));
        assert!(!has_word("InstantNoodles", "Instant"));
    }
}

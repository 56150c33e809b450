//! Finds the keys of JSON objects in the text of a script.

use std::ops::Range;

/// A key of an object that a script seems to print.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PrintedKey<'a> {
    /// The key as written, without quotes.
    pub(super) name: &'a str,
    /// Its value, if that is one plain word.
    pub(super) value: Option<&'a str>,
    /// The byte range of the key.
    pub(super) range: Range<usize>,
}

/// Finds words followed by a colon, with or without quotes, outside comments: `"decision": "block"`, `{summary: $x}`.
///
/// A word after a dot or a dollar sign is read, not printed.
pub(super) fn find_printed_keys(text: &str) -> impl Iterator<Item = PrintedKey<'_>> {
    find_identifiers(text).filter_map(|range| {
        let before = text.get(..range.start)?.chars().next_back();
        let after = text.get(range.end..)?;
        let (quoted, rest) = unquote(after);
        let rest = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        let opens = matches!(before, None | Some('"' | '\'' | '{' | ',' | ' ' | '\t' | '\n'));
        // Without quotes it may be a label or `${x:-y}`; an object's key is followed by its value.
        let is_key = opens && (quoted || !rest.starts_with(['-', '=', '+', '?', ':']));
        let word = text.get(range.clone())?;
        is_key.then(|| PrintedKey { name: word, value: read_plain_value(rest), range })
    })
}

/// Where a script runs `exit 2`.
pub(super) fn find_exit_two(text: &str) -> Option<Range<usize>> {
    find_identifiers(text).find_map(|range| {
        let (word, after) = (text.get(range.clone())?, text.get(range.end..)?);
        let rest = after.strip_prefix(' ')?.strip_prefix('2')?;
        let ends = rest.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_');
        (word == "exit" && ends).then(|| range.start..range.end + 2)
    })
}

/// The words of a text outside comments.
fn find_identifiers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut index = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let start = index;
        index += line.len();
        let mut found = Vec::new();
        let mut rest = if line.trim_start().starts_with('#') { "" } else { line };
        let mut position = start;
        while let Some(first) = rest.find(is_part) {
            let word = rest.get(first..).unwrap_or_default();
            let length = word.find(|letter: char| !is_part(letter)).unwrap_or(word.len());
            found.push(position + first..position + first + length);
            position += first + length;
            rest = word.get(length..).unwrap_or_default();
        }
        found
    })
}

/// The text after a closing quote, escaped or not.
fn unquote(after: &str) -> (bool, &str) {
    let bare = after.trim_start_matches('\\');
    match bare.strip_prefix(['"', '\'']) {
        Some(rest) => (true, rest),
        None => (false, after),
    }
}

/// A value that is one plain word: in quotes, a number, or a JSON literal. Any other word is a variable.
fn read_plain_value(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    let start = rest.trim_start_matches([' ', '\t', '\\', '"', '\'']);
    let length = start.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(start.len());
    let is_quoted = start.len() < rest.len();
    let is_literal = |word: &str| {
        ["true", "false", "null"].contains(&word) || word.starts_with(|first: char| first.is_ascii_digit())
    };
    start.get(..length).filter(|word| !word.is_empty() && (is_quoted || is_literal(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_the_ways_scripts_print_them() {
        for (text, wanted) in [
            (r#"echo '{"decision":"block"}'"#, vec![("decision", Some("block"))]),
            (r#"echo "{\"decision\": \"deny\"}""#, vec![("decision", Some("deny"))]),
            ("jq -n '{summary: $x, continue: false}'", vec![("summary", None), ("continue", Some("false"))]),
            ("print({\"permission_decision\": decision})", vec![("permission_decision", None)]),
            ("# {\"decision\":\"deny\"}\ntrue", vec![]),
            ("jq -r '.decision'", vec![]),
            ("echo ${decision:-block}", vec![]),
            ("a_decision: 3", vec![("a_decision", Some("3"))]),
            ("print(json.dumps({\"permission_decision\": decision}))", vec![("permission_decision", None)]),
            (
                "echo '{\"hook_specific_output\":{\"summary\":\"é\"}}'",
                vec![("hook_specific_output", None), ("summary", None)],
            ),
        ] {
            let found: Vec<_> = find_printed_keys(text).map(|found| (found.name, found.value)).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn a_place_is_that_of_the_word() {
        let text = "x\n  echo '{\"summary\":1}'";
        let found = find_printed_keys(text).next().unwrap();
        assert_eq!(&text[found.range], "summary");
    }

    #[test]
    fn the_exit_code_that_blocks_is_found_alone() {
        for (text, wanted) in [
            ("exit 2", Some("exit 2")),
            ("x || exit 2; y", Some("exit 2")),
            ("exit 20", None),
            ("exit 1", None),
            ("# exit 2", None),
            ("last_exit 2", None),
        ] {
            assert_eq!(find_exit_two(text).map(|range| &text[range]), wanted, "{text}");
        }
    }
}

//! Globs of permission rules, with docker-agent's pattern syntax.
//!
//! `*` and `?` match any characters, including separators and line ends, because values are commands, paths and
//! addresses. `[…]` is a class, `\` makes the next character literal, and letter case is ignored.

use regex::{Regex, RegexBuilder};

/// Compiles a glob.
///
/// # Errors
/// When a class is not closed or is invalid.
pub(super) fn compile(glob: &str) -> Result<Regex, String> {
    let mut pattern = String::from(r"\A");
    let mut rest = glob.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '*' => pattern.push_str(".*"),
            '?' => pattern.push('.'),
            '\\' => push_literal(&mut pattern, rest.next().unwrap_or('\\')),
            '[' => compile_class(&mut pattern, &mut rest)
                .ok_or_else(|| format!("`{glob}` has a `[` without its `]`; write `\\[` for the character"))?,
            other => push_literal(&mut pattern, other),
        }
    }
    pattern.push_str(r"\z");
    let built = RegexBuilder::new(&pattern).case_insensitive(true).dot_matches_new_line(true).build();
    built.map_err(|_| format!("`{glob}` is not a valid glob; write `\\[` for the character `[`"))
}

fn compile_class(pattern: &mut String, rest: &mut std::str::Chars<'_>) -> Option<()> {
    pattern.push('[');
    if rest.as_str().starts_with('^') {
        rest.next();
        pattern.push('^');
    }
    loop {
        match rest.next()? {
            ']' => {
                pattern.push(']');
                return Some(());
            }
            '-' => pattern.push('-'),
            '\\' => push_escaped(pattern, rest.next()?),
            other => push_escaped(pattern, other),
        }
    }
}

/// Appends a character of a class. Characters with a meaning there, or that combine two classes, are escaped.
fn push_escaped(pattern: &mut String, letter: char) {
    if matches!(letter, '\\' | ']' | '^' | '-' | '[' | '&' | '~') {
        pattern.push('\\');
    }
    pattern.push(letter);
}

fn push_literal(pattern: &mut String, letter: char) {
    pattern.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_values_of_any_shape() {
        let cases = [
            ("shell", "shell", true),
            ("shell", "shell2", false),
            ("SHELL", "shell", true),
            ("read_*", "read_file", true),
            ("mcp:github:*", "mcp:github:create_issue", true),
            ("sudo*", "sudo rm -rf /\nls", true),
            ("*rm -rf*", "cd /tmp\nrm -rf x", true),
            ("a?c", "a/c", true),
            ("a[0-9]c", "a5c", true),
            ("a[^0-9]c", "a5c", false),
            ("a\\*c", "a*c", true),
            ("a\\*c", "abc", false),
            ("a.c", "abc", false),
            ("{a,b}", "a", false),
            ("[&&a]", "&", true),
            ("ü*", "Übung", true),
            ("", "", true),
        ];
        for (glob, value, expected) in cases {
            assert_eq!(compile(glob).unwrap().is_match(value), expected, "{glob} on {value}");
        }
        assert_eq!(compile("a[b").unwrap_err(), "`a[b` has a `[` without its `]`; write `\\[` for the character");
        assert!(compile("a[]").is_err());
    }
}

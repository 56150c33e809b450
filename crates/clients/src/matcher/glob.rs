//! Wildcard patterns for command lines and paths, compiled to regular expressions with linear-time matching.

use regex::Regex;

/// Compiles a pattern for a whole line, in which `*` matches any characters. `None` if it is too large.
pub(super) fn compile_line(pattern: &str) -> Option<Regex> {
    let pieces: Vec<String> = pattern.split('*').map(regex::escape).collect();
    Regex::new(&format!("^(?s:{})$", pieces.join(".*"))).ok()
}

/// Compiles a pattern for a whole path: `*` and `?` stay within one directory, `**` crosses directories, and `**/` may
/// also match nothing.
pub(super) fn compile_path(pattern: &str) -> Option<Regex> {
    let mut expression = String::from("^(?s:");
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let (means, length) = match letter {
            '*' if rest.starts_with("**/") => ("(?:.*/)?", 3),
            '*' if rest.starts_with("**") => (".*", 2),
            '*' => ("[^/]*", 1),
            '?' => ("[^/]", 1),
            _ => {
                let length = rest.find(['*', '?']).unwrap_or(rest.len());
                expression.push_str(&regex::escape(rest.get(..length).unwrap_or_default()));
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
        };
        expression.push_str(means);
        rest = rest.get(length..).unwrap_or_default();
    }
    expression.push_str(")$");
    Regex::new(&expression).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_folder_and_two_of_them_do_not() {
        for (pattern, text, wanted) in [
            ("src/*", "src/a.rs", true),
            ("src/*", "src/a/b.rs", false),
            ("src/**", "src/a/b.rs", true),
            ("**/b.rs", "b.rs", true),
            ("**/b.rs", "x/y/b.rs", true),
            ("**/b.rs", "x/ab.rs", false),
            ("**/*.env", "a/.env", true),
            ("?.rs", "a.rs", true),
            ("?.rs", "/.rs", false),
            ("a.b", "axb", false),
        ] {
            assert_eq!(compile_path(pattern).unwrap().is_match(text), wanted, "{pattern} {text}");
        }
        assert!(compile_line("git * main").unwrap().is_match("git push a/b main"));
        assert!(!compile_line("git * main").unwrap().is_match("git push maint"));
    }
}

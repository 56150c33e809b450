//! `re`: regular expressions that match in linear time.
//!
//! Patterns are those of the `regex` crate with the classes of RE2: `\d`, `\w`, `\s` and `\b` are ASCII. Positions are
//! bytes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;

use crate::state::refusal;
use crate::values::Found;

/// The largest compiled pattern.
const PATTERN_BYTES: usize = 256 << 10;
/// Compiled patterns that are kept; when there are more the store begins anew.
const KEPT_PATTERNS: usize = 512;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("re", re);
}

#[starlark_module]
fn re(builder: &mut GlobalsBuilder) {
    fn r#match(pattern: &str, text: &str) -> starlark::Result<Found> {
        let anchored = format!("\\A(?:{pattern})");
        Ok(found(compiled("re.match", &anchored)?.as_ref(), text))
    }

    fn search(pattern: &str, text: &str) -> starlark::Result<Found> {
        Ok(found(compiled("re.search", pattern)?.as_ref(), text))
    }

    fn findall(pattern: &str, text: &str) -> starlark::Result<Vec<String>> {
        Ok(all(compiled("re.findall", pattern)?.as_ref(), text))
    }

    fn find_all(pattern: &str, text: &str) -> starlark::Result<Vec<String>> {
        Ok(all(compiled("re.find_all", pattern)?.as_ref(), text))
    }

    fn replace(pattern: &str, repl: &str, text: &str) -> starlark::Result<String> {
        replaced(compiled("re.replace", pattern)?.as_ref(), repl, text)
    }
}

/// The most bytes that `re.replace` makes.
const REPLACED_BYTES: usize = 8 << 20;

fn replaced(regex: &Regex, replacement: &str, text: &str) -> starlark::Result<String> {
    let mut out = String::new();
    let mut copied = 0;
    for captures in regex.captures_iter(text) {
        if let Some(whole) = captures.get(0) {
            out.push_str(text.get(copied..whole.start()).unwrap_or_default());
            captures.expand(replacement, &mut out);
            copied = whole.end();
        }
        if out.len() > REPLACED_BYTES {
            return Err(refusal(format_args!("re.replace: the result is larger than {REPLACED_BYTES} bytes")));
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Ok(out)
}

fn all(regex: &Regex, text: &str) -> Vec<String> {
    regex.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

fn found(regex: &Regex, text: &str) -> Found {
    let captures = regex.captures(text);
    let mut fields = Map::new();
    let text_of = |group: Option<regex::Match<'_>>| Json::from(group.map_or("", |group| group.as_str()));
    let whole = captures.as_ref().and_then(|captures| captures.get(0));
    fields.insert(String::from("matched"), Json::from(captures.is_some()));
    fields.insert(String::from("full_match"), text_of(whole));
    let groups: Vec<Json> =
        captures.iter().flat_map(|captures| captures.iter().skip(1).map(&text_of).collect::<Vec<_>>()).collect();
    fields.insert(String::from("groups"), Json::from(groups));
    let named: Map<String, Json> = captures
        .iter()
        .flat_map(|captures| {
            regex
                .capture_names()
                .flatten()
                .map(|name| (name.to_owned(), text_of(captures.name(name))))
                .collect::<Vec<_>>()
        })
        .collect();
    fields.insert(String::from("named_groups"), Json::from(named));
    fields.insert(String::from("start"), json!(whole.map_or(-1, |whole| whole.start() as i64)));
    fields.insert(String::from("end"), json!(whole.map_or(-1, |whole| whole.end() as i64)));
    Found { fields, matched: captures.is_some() }
}

/// A compiled pattern; compiled once for the process.
fn compiled(builtin: &str, pattern: &str) -> starlark::Result<Arc<Regex>> {
    static PATTERNS: LazyLock<Mutex<HashMap<String, Arc<Regex>>>> = LazyLock::new(Mutex::default);
    let lock = || PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(pattern) {
        return Ok(Arc::clone(known));
    }
    let made = RegexBuilder::new(&ascii_classes(pattern))
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .nest_limit(50)
        .build()
        .map_err(|fault| refusal(format_args!("{builtin}: {}", crate::finding::one_line(fault.to_string()))))?;
    let made = Arc::new(made);
    let mut patterns = lock();
    if patterns.len() >= KEPT_PATTERNS {
        patterns.clear();
    }
    patterns.insert(pattern.to_owned(), Arc::clone(&made));
    Ok(made)
}

/// Spells the Perl classes as RE2 means them.
///
/// The regex crate's own switch to ASCII also lets `\W` match half a character, which text cannot have.
fn ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    // Open brackets of a class: inside one a class is a list of members.
    let mut in_class = false;
    let mut class_start = false;
    while let Some(char) = chars.next() {
        let first = std::mem::take(&mut class_start);
        match char {
            '\\' => {
                let escaped = chars.next();
                match (escaped, in_class) {
                    (Some('d'), false) => out.push_str("[0-9]"),
                    (Some('D'), false) => out.push_str("[^0-9]"),
                    (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                    (Some('W'), false) => out.push_str("[^0-9A-Za-z_]"),
                    (Some('s'), false) => out.push_str(r"[\t\n\f\r ]"),
                    (Some('S'), false) => out.push_str(r"[^\t\n\f\r ]"),
                    (Some('d'), true) => out.push_str("0-9"),
                    (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                    (Some('s'), true) => out.push_str(r"\t\n\f\r "),
                    (Some('D'), true) => out.push_str("[^0-9]"),
                    (Some('W'), true) => out.push_str("[^0-9A-Za-z_]"),
                    (Some('S'), true) => out.push_str(r"[^\t\n\f\r ]"),
                    (Some('b'), false) => out.push_str(r"(?-u:\b)"),
                    (Some('Q'), false) => quote(&mut chars, &mut out),
                    (Some(other), _) => {
                        out.push('\\');
                        out.push(other);
                    }
                    (None, _) => out.push('\\'),
                }
            }
            '[' if !in_class => {
                in_class = true;
                class_start = true;
                out.push('[');
                if chars.peek() == Some(&'^') {
                    chars.next();
                    out.push('^');
                }
            }
            // RE2 takes `[` in a class as itself, unless it begins a named class.
            '[' if chars.peek() != Some(&':') => out.push_str("\\["),
            '[' => {
                out.push('[');
                for inner in chars.by_ref() {
                    out.push(inner);
                    if inner == ']' {
                        break;
                    }
                }
            }
            ']' if in_class && first => out.push_str("\\]"),
            ']' => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(char);
            }
            _ => out.push(char),
        }
    }
    out
}

/// `\Q..\E`: everything in between is itself.
fn quote(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    let mut literal = String::new();
    while let Some(char) = chars.next() {
        if char == '\\' && chars.peek() == Some(&'E') {
            chars.next();
            break;
        }
        literal.push(char);
    }
    out.push_str(&regex::escape(&literal));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii_as_in_re2() {
        let cases = [
            (r"^\d+$", "42", true),
            (r"^\d+$", "٤٢", false),
            (r"^\w+$", "naïve", false),
            (r"^\W$", "ï", true),
            (r"\bx\b", "éx", true),
            (r"^[\w-]+$", "a-b", true),
            (r"^[^\s]+$", "a\u{a0}b", true),
            (r"^[[:alpha:]\d]+$", "a1", true),
            (r"^[]a]+$", "]a", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"^[a[]+$", "a[", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(compiled("t", pattern).unwrap().is_match(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns_and_results_are_bounded() {
        assert!(compiled("re.search", "(?:a{1000}){1000}").unwrap_err().to_string().contains("size limit"));
        assert!(compiled("re.search", "(").unwrap_err().to_string().contains("re.search: "));
        let regex = compiled("t", "a").unwrap();
        let text = "a".repeat(100_000);
        assert!(replaced(&regex, &"b".repeat(1_000), &text).is_err());
        assert_eq!(replaced(&compiled("t", "(?P<x>a)b").unwrap(), "$x-", "abc").unwrap(), "a-c");
    }
}

//! `re`: regular expressions that match in linear time.
//!
//! Patterns have the syntax of the `regex` crate with the classes of RE2: `\d`, `\w`, `\s` and `\b` are ASCII.
//! Positions are bytes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use regex_automata::util::interpolate;
use serde_json::{Map, Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;

use crate::call_state::{script_error, search_budget};
use crate::search::{MatchGroups, SearchBudget, SearchPattern, TimeOver};
use crate::starlark_values::RegexMatch;

/// The maximum number of cached patterns; the cache is then cleared.
const KEPT_PATTERNS: usize = 512;
/// The maximum size in bytes of a result of `re.replace`, and of a list of matches.
const MADE_BYTES: usize = 8 << 20;
/// The overhead of a string in a list.
const ITEM_BYTES: usize = 32;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("re", re);
}

#[starlark_module]
fn re(builder: &mut GlobalsBuilder) {
    fn r#match<'v>(pattern: &str, text: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<RegexMatch> {
        let anchored = format!("\\A(?:{pattern})");
        find_match("re.match", &anchored, text, &mut search_budget(eval))
    }

    fn search<'v>(pattern: &str, text: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<RegexMatch> {
        find_match("re.search", pattern, text, &mut search_budget(eval))
    }

    fn findall<'v>(pattern: &str, text: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Vec<String>> {
        find_all_matches("re.findall", pattern, text, &mut search_budget(eval))
    }

    fn find_all<'v>(pattern: &str, text: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Vec<String>> {
        find_all_matches("re.find_all", pattern, text, &mut search_budget(eval))
    }

    fn replace<'v>(
        pattern: &str,
        repl: &str,
        text: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        replace_matches(pattern, repl, text, &mut search_budget(eval))
    }
}

/// Why a search has no result.
enum SearchError {
    TimeOver,
    TooLarge,
}

impl From<TimeOver> for SearchError {
    fn from(_: TimeOver) -> Self {
        Self::TimeOver
    }
}

impl SearchError {
    fn into_script_error(self, builtin: &str) -> starlark::Error {
        match self {
            Self::TimeOver => script_error(format_args!("{builtin}: the call timed out")),
            Self::TooLarge => script_error(format_args!("{builtin}: the result is larger than {MADE_BYTES} bytes")),
        }
    }
}

fn replace_matches(
    pattern: &str,
    replacement: &str,
    text: &str,
    watch: &mut SearchBudget<'_>,
) -> starlark::Result<String> {
    const BUILTIN: &str = "re.replace";
    let pattern = compile_cached(BUILTIN, pattern)?;
    let mut out = String::new();
    let mut copied = 0;
    let done = pattern.each_match_groups(text, watch, |groups| {
        let Some(whole) = groups.first().cloned().flatten() else { return Ok(()) };
        out.push_str(text.get(copied..whole.start).unwrap_or_default());
        let group = |index: usize, out: &mut String| out.push_str(group_text(text, &groups, index));
        let named = |name: &str| pattern.group_names().position(|known| known == Some(name));
        interpolate::string(replacement, group, named, &mut out);
        copied = whole.end;
        if out.len() > MADE_BYTES { Err(SearchError::TooLarge) } else { Ok(()) }
    });
    done.map_err(|error| error.into_script_error(BUILTIN))?;
    out.push_str(text.get(copied..).unwrap_or_default());
    Ok(out)
}

fn find_all_matches(
    builtin: &str,
    pattern: &str,
    text: &str,
    watch: &mut SearchBudget<'_>,
) -> starlark::Result<Vec<String>> {
    let pattern = compile_cached(builtin, pattern)?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    let done = pattern.each_match(text, watch, |whole| {
        let text = text.get(whole).unwrap_or_default();
        bytes += text.len() + ITEM_BYTES;
        found.push(text.to_owned());
        // Every string costs more than its bytes, and a list of them soon fills the script's memory.
        if bytes > MADE_BYTES { Err(SearchError::TooLarge) } else { Ok(()) }
    });
    done.map_err(|error| error.into_script_error(builtin)).map(|()| found)
}

fn group_text<'a>(text: &'a str, groups: &MatchGroups, index: usize) -> &'a str {
    groups.get(index).cloned().flatten().and_then(|group| text.get(group)).unwrap_or_default()
}

fn find_match(builtin: &str, pattern: &str, text: &str, watch: &mut SearchBudget<'_>) -> starlark::Result<RegexMatch> {
    let pattern = compile_cached(builtin, pattern)?;
    let groups =
        pattern.find_groups(text, 0, watch).map_err(|over| SearchError::from(over).into_script_error(builtin))?;
    let matched = groups.is_some();
    let groups = groups.unwrap_or_default();
    let whole = groups.first().cloned().flatten();
    let numbered: Vec<Json> = (1..groups.len()).map(|index| Json::from(group_text(text, &groups, index))).collect();
    let named: Map<String, Json> = pattern
        .group_names()
        .enumerate()
        .filter_map(|(index, name)| Some((name?.to_owned(), Json::from(group_text(text, &groups, index)))))
        .filter(|_| matched)
        .collect();
    let mut fields = Map::new();
    fields.insert(String::from("matched"), Json::from(matched));
    fields.insert(String::from("full_match"), Json::from(group_text(text, &groups, 0)));
    fields.insert(String::from("groups"), Json::from(numbered));
    fields.insert(String::from("named_groups"), Json::from(named));
    fields.insert(String::from("start"), json!(whole.as_ref().map_or(-1, |whole| whole.start as i64)));
    fields.insert(String::from("end"), json!(whole.as_ref().map_or(-1, |whole| whole.end as i64)));
    Ok(RegexMatch { fields, has_matched: matched })
}

/// Why a pattern cannot be used, in one line.
pub(crate) fn find_pattern_fault(pattern: &str) -> Option<String> {
    let error = SearchPattern::new(&expand_perl_classes(pattern)).err()?;
    let text = crate::finding::to_one_line(error.to_string());
    Some(text.rsplit_once("error: ").map_or(text.as_str(), |(_, reason)| reason).to_owned())
}

/// A compiled pattern; compiled once for each process.
fn compile_cached(builtin: &str, pattern: &str) -> starlark::Result<Arc<SearchPattern>> {
    static PATTERNS: LazyLock<Mutex<HashMap<String, Arc<SearchPattern>>>> = LazyLock::new(Mutex::default);
    let lock = || PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(pattern) {
        return Ok(Arc::clone(known));
    }
    let made = SearchPattern::new(&expand_perl_classes(pattern))
        .map_err(|error| script_error(format_args!("{builtin}: {}", crate::finding::to_one_line(error.to_string()))))?;
    let made = Arc::new(made);
    let mut patterns = lock();
    if patterns.len() >= KEPT_PATTERNS {
        patterns.clear();
    }
    patterns.insert(pattern.to_owned(), Arc::clone(&made));
    Ok(made)
}

/// Expands the Perl classes to their RE2 meaning.
///
/// The regex crate's own switch to ASCII also lets `\W` match a partial character, which a string cannot contain.
fn expand_perl_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    // The nesting depth of classes: inside one, a class is a list of members.
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
                    (Some('Q'), false) => copy_quoted(&mut chars, &mut out),
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
            // In RE2, `[` in a class is literal, unless it starts a named class.
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

/// `\Q..\E`: everything in between is literal.
fn copy_quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
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
            let matched = find_match("t", pattern, text, &mut SearchBudget::for_loading()).unwrap().has_matched;
            assert_eq!(matched, expected, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns_and_results_are_bounded() {
        assert!(compile_cached("re.search", "(?:a{1000}){1000}").unwrap_err().to_string().contains("size limit"));
        assert!(compile_cached("re.search", "(").unwrap_err().to_string().contains("re.search: "));
        let replaced = |pattern, by: &str, text| replace_matches(pattern, by, text, &mut SearchBudget::for_loading());
        let text = "a".repeat(100_000);
        assert!(replaced("a", &"b".repeat(1_000), &text).is_err());
        assert_eq!(replaced("(?P<x>a)b", "$x-", "abc").unwrap(), "a-c");
        assert_eq!(replaced("(?P<x>a)?(b)", "${x}[$2]$9$$", "bab").unwrap(), "[b]$a[b]$");
        let many = "x".repeat(2 << 18);
        let far = std::time::Instant::now() + std::time::Duration::from_secs(600);
        assert!(
            find_all_matches("t", "x", &many, &mut SearchBudget::new(far, None))
                .unwrap_err()
                .to_string()
                .contains("larger than")
        );
    }
}

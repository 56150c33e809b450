//! Parses patterns into tests of an event.

use pintle_contract::Event;
use regex::{Regex, RegexBuilder};

use super::glob::NameGlob;
use super::path::{FieldPath, is_root};
use crate::harn::HarnEventDef;
use crate::harn::fault::HarnFault;

/// The maximum memory of one compiled regular expression.
pub(super) const MAX_REGEX_BYTES: usize = 1 << 20;

/// The test that a pattern applies to an event.
#[derive(Debug, Clone)]
pub(super) enum PatternTest {
    /// Always true.
    Always,
    /// The value at the path matches the glob.
    MatchesGlob(FieldPath, NameGlob),
    /// The value at the path contains a match.
    MatchesRegex(FieldPath, Regex),
    /// The value at the path is equal.
    Equals(FieldPath, String),
    /// The value at the path is different.
    Differs(FieldPath, String),
    /// The value at the path is truthy.
    Truthy(FieldPath),
}

impl PatternTest {
    pub(super) fn holds(&self, event: &Event) -> bool {
        match self {
            Self::Always => true,
            Self::MatchesGlob(path, glob) => glob.accepts(&path.text(event)),
            Self::MatchesRegex(path, regex) => regex.is_match(&path.text(event)),
            Self::Equals(path, wanted) => path.text(event) == wanted.as_str(),
            Self::Differs(path, unwanted) => path.text(event) != unwanted.as_str(),
            Self::Truthy(path) => path.is_truthy(event),
        }
    }

    /// Whether the pattern asks about a value of the path; `None` if it is about another one. A pattern that excludes a
    /// value asks about it.
    pub(super) fn accepts_value(&self, wanted_path: Option<&str>, value: &str) -> Option<bool> {
        match self {
            Self::MatchesGlob(path, glob) if path.is_path(wanted_path) => Some(glob.accepts(value)),
            Self::MatchesRegex(path, regex) if path.is_path(wanted_path) => Some(regex.is_match(value)),
            Self::Equals(path, text) | Self::Differs(path, text) if path.is_path(wanted_path) => Some(value == text),
            _ => None,
        }
    }

    /// The path and the only values that it may have, if they are known.
    pub(super) fn exact_texts(&self) -> Option<(&FieldPath, Vec<String>)> {
        match self {
            Self::MatchesGlob(path, NameGlob::Names(names)) => Some((path, names.clone())),
            // An event without a subject is not in any index, and its subject is an empty string.
            Self::Equals(path, wanted) if !wanted.is_empty() => Some((path, vec![wanted.clone()])),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternOperator {
    Matches,
    Equals,
    Differs,
}

const OPERATORS: [(&str, PatternOperator); 3] =
    [("=~", PatternOperator::Matches), ("==", PatternOperator::Equals), ("!=", PatternOperator::Differs)];

/// Parses a trimmed pattern.
pub(super) fn compile(text: &str, def: &'static HarnEventDef) -> Result<PatternTest, HarnFault> {
    if text.is_empty() || text == "*" {
        return Ok(PatternTest::Always);
    }
    match split_operator(text) {
        Some((path, operator, right)) => compile_comparison(text, path, operator, right, def),
        None => compile_plain(text, def),
    }
}

fn compile_plain(text: &str, def: &'static HarnEventDef) -> Result<PatternTest, HarnFault> {
    let is_path = text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
    let first = text.split('.').next().unwrap_or_default();
    if is_path && is_root(first, def) && (text.contains('.') || def.subject.is_none()) {
        return FieldPath::bind(text, def).map(PatternTest::Truthy);
    }
    let Some(subject) = def.subject else {
        let message = format!("`{text}` never matches `{}`: that event has no tool", def.name);
        let paths = def.paths().join(", ");
        let help = format!("write `*`, or a comparison such as `agent == \"root\"`; its fields are {paths}");
        return Err(HarnFault::of_pattern(message, help));
    };
    Ok(PatternTest::MatchesGlob(FieldPath::bind(subject, def)?, NameGlob::compile(text)?))
}

fn compile_comparison(
    text: &str,
    path: &str,
    operator: PatternOperator,
    right: &str,
    def: &'static HarnEventDef,
) -> Result<PatternTest, HarnFault> {
    if path.is_empty() {
        return Err(HarnFault::of_pattern(
            format!("the pattern `{text}` has no field to compare"),
            "write a field before the operator, for example `tool.name == \"shell\"`",
        ));
    }
    let path = FieldPath::bind(path, def)?;
    let wanted = parse_operand(text, right, operator)?;
    Ok(match operator {
        PatternOperator::Equals => PatternTest::Equals(path, wanted),
        PatternOperator::Differs => PatternTest::Differs(path, wanted),
        PatternOperator::Matches => {
            let regex = RegexBuilder::new(&wanted).size_limit(MAX_REGEX_BYTES).build().map_err(|error| {
                let message = format!("`{wanted}` is not a valid regular expression: {}", last_error_line(&error));
                HarnFault::of_pattern(message, "escape a literal character with a backslash")
            })?;
            PatternTest::MatchesRegex(path, regex)
        }
    })
}

/// The right side of a comparison, without quotes.
fn parse_operand(text: &str, right: &str, operator: PatternOperator) -> Result<String, HarnFault> {
    let Some(quote) = right.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        let is_joined = operator != PatternOperator::Matches && (right.contains("&&") || right.contains("||"));
        if split_operator(right).is_some() || is_joined {
            return Err(multiple_comparisons(text));
        }
        return Ok(right.to_owned());
    };
    let mut inner = String::new();
    let mut letters = right.chars();
    letters.next();
    loop {
        match letters.next() {
            None => {
                let message = format!("the pattern `{text}` has an unclosed {quote}");
                return Err(HarnFault::of_pattern(message, "close the quotes"));
            }
            Some(letter) if letter == quote => break,
            Some('\\') => {
                let escaped = letters.next().unwrap_or('\\');
                // A regular expression keeps its escapes, which mean the same there.
                if operator == PatternOperator::Matches || !(escaped == quote || escaped == '\\') {
                    inner.push('\\');
                }
                inner.push(escaped);
            }
            Some(letter) => inner.push(letter),
        }
    }
    if letters.as_str().trim().is_empty() { Ok(inner) } else { Err(multiple_comparisons(text)) }
}

fn multiple_comparisons(text: &str) -> HarnFault {
    HarnFault::of_pattern(
        format!("the pattern `{text}` contains more than one comparison"),
        "write one comparison and check the rest in the handler, or quote a value that contains operators",
    )
}

/// Splits at the first operator outside quotes.
fn split_operator(text: &str) -> Option<(&str, PatternOperator, &str)> {
    let mut quote = None;
    for (index, letter) in text.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None => {
                let rest = text.get(index..).unwrap_or_default();
                let found = OPERATORS
                    .iter()
                    .find_map(|(spelled, operator)| rest.strip_prefix(spelled).map(|right| (*operator, right)));
                if let Some((operator, right)) = found {
                    return Some((text.get(..index).unwrap_or_default().trim(), operator, right.trim()));
                }
            }
        }
    }
    None
}

/// The last line of the error, which says what is wrong; the other lines show where.
pub(super) fn last_error_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

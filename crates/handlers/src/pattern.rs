//! Matchers that are regular expressions over the subject.

use std::sync::Arc;

use pintle_contract::{BuiltMatcher, Diagnostic, Event, Location, Match, Matcher, Subjects};
use regex::{Regex, RegexBuilder};

/// The most memory that one compiled expression may take.
const SIZE_LIMIT_BYTES: usize = 1 << 20;

/// A pattern that the whole subject has to match.
#[derive(Debug)]
struct Pattern {
    text: Arc<str>,
    regex: Regex,
    /// The subjects, where the pattern is nothing but names.
    names: Option<Vec<String>>,
}

/// Compiles a pattern. One that is empty or `*` matches always.
pub(crate) fn build(text: &Arc<str>, location: &Location) -> BuiltMatcher {
    if text.is_empty() || &**text == "*" {
        return BuiltMatcher::default();
    }
    match RegexBuilder::new(&format!("^(?:{text})$")).size_limit(SIZE_LIMIT_BYTES).build() {
        Ok(regex) => {
            let matcher = Pattern { text: Arc::clone(text), regex, names: names(text) };
            BuiltMatcher { matcher: Some(Arc::new(matcher)), diagnostics: Vec::new() }
        }
        Err(fault) => {
            // The parser's last line says what is wrong; those before draw the pattern.
            let why = fault.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("invalid matcher `{text}`: {why}");
            let help = "a matcher is a regular expression that the whole name has to match, such as `shell|edit_.*`";
            let finding = Diagnostic::error("bad_matcher", message, location.clone()).help(help);
            BuiltMatcher { matcher: None, diagnostics: vec![finding] }
        }
    }
}

/// The alternatives of a pattern that has no other syntax.
fn names(text: &str) -> Option<Vec<String>> {
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    text.split('|').map(|name| plain(name).then(|| name.to_owned())).collect()
}

impl Matcher for Pattern {
    fn matches(&self, event: &Event) -> Match {
        if event.subject().is_some_and(|subject| self.regex.is_match(subject)) { Match::Yes } else { Match::No }
    }

    fn subjects(&self) -> Subjects {
        match &self.names {
            Some(names) => Subjects::Only { names: names.clone(), sufficient: true },
            None => Subjects::Any,
        }
    }

    fn describe(&self) -> String {
        format!("/{}/", self.text)
    }
}

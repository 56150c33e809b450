//! Finds secrets in texts.
//!
//! The rules are in `rules.toml` next to this file. Most secrets have a known prefix and need no regular expression:
//! one pass over a text, with all prefixes and keywords at once, finds the candidates. A text without candidates costs
//! only that pass.

mod entropy;
mod named;
mod pattern;
mod rules;
mod token;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use pintle_contract::Redactor;

pub(crate) use entropy::bits_per_byte;
pub use named::is_secret;
pub(crate) use named::matches_listed_name;
use pattern::{CompiledPattern, SecretPlaceholder};
pub use pintle_shell::is_secret_name;
use rules::TokenRule;
use token::AlphabetRuns;

/// The replacement of a secret.
pub const MARKER: &str = "[REDACTED]";

/// Redacts secrets in texts by the built-in rules.
#[derive(Debug)]
pub struct SecretScanner {
    trigger_words: Option<AhoCorasick>,
    /// The candidate for each word of `words`.
    candidates: Vec<SecretCandidate>,
    tokens: Vec<TokenRule>,
    patterns: Vec<CompiledPattern>,
    placeholders: SecretPlaceholder,
}

/// A candidate for a secret.
#[derive(Debug, Clone, Copy)]
enum SecretCandidate {
    /// A token that starts with this word: the rule, and the index of the prefix.
    Token(usize, usize),
    /// A pattern to try.
    Pattern(usize),
}

/// A set of patterns is a bit mask of one word.
const MOST_PATTERNS: usize = 64;

impl SecretScanner {
    /// The scanner that the whole process shares, created on first use.
    #[must_use]
    pub fn process_wide() -> Arc<Self> {
        static SHARED: OnceLock<Arc<SecretScanner>> = OnceLock::new();
        Arc::clone(SHARED.get_or_init(|| Arc::new(Self::new())))
    }

    fn new() -> Self {
        // The file is part of the program, and a test parses it: it is always valid here.
        let (tokens, patterns, plain) = rules::parse_rules()
            .map_or_else(|_| Default::default(), |rules| (rules.tokens, rules.patterns, rules.placeholders));
        let patterns: Vec<CompiledPattern> =
            patterns.into_iter().take(MOST_PATTERNS).map(CompiledPattern::new).collect();
        let (mut words, mut leads) = (Vec::new(), Vec::new());
        for (rule, token) in tokens.iter().enumerate() {
            for (begin, word) in token.prefixes.iter().enumerate() {
                words.push(word.clone());
                leads.push(SecretCandidate::Token(rule, begin));
            }
        }
        for (index, pattern) in patterns.iter().enumerate() {
            for word in &pattern.rule.trigger_words {
                words.push(word.clone());
                leads.push(SecretCandidate::Pattern(index));
            }
        }
        let mut builder = AhoCorasick::builder();
        // Words may overlap, so all of them must be found.
        builder.match_kind(MatchKind::Standard).ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        Self {
            trigger_words: builder.build(&words).ok(),
            candidates: leads,
            tokens,
            patterns,
            placeholders: SecretPlaceholder::new(plain),
        }
    }

    /// Whether a text contains a secret.
    pub(crate) fn has_any(&self, text: &str) -> bool {
        !self.find_secrets(text).is_empty()
    }

    /// The positions of secrets, in order and without overlaps.
    fn find_secrets(&self, text: &str) -> Vec<Range<usize>> {
        let Some(words) = &self.trigger_words else { return Vec::new() };
        let mut found = Vec::new();
        let mut worth_trying = 0_u64;
        // A prefix inside a token that was already found needs no second check.
        let mut covered = 0;
        let mut runs = AlphabetRuns::default();
        for word in words.find_overlapping_iter(text) {
            match self.candidates.get(word.pattern().as_usize()) {
                Some(SecretCandidate::Token(..)) if word.start() < covered => {}
                Some(SecretCandidate::Token(rule, begin)) => {
                    let token = self.tokens.get(*rule).and_then(|rule| {
                        token::find_token(rule, rule.prefixes.get(*begin)?, text, word.start(), &mut runs)
                    });
                    if let Some(range) = token {
                        covered = range.end;
                        found.push(range);
                    }
                }
                Some(SecretCandidate::Pattern(index)) => worth_trying |= 1 << index,
                None => {}
            }
        }
        for (index, pattern) in self.patterns.iter().enumerate() {
            if worth_trying & (1 << index) != 0 {
                pattern.find_secrets(text, &self.placeholders, &mut found);
            }
        }
        merge_ranges(found)
    }
}

impl Redactor for SecretScanner {
    fn redact(&self, text: &str) -> Option<String> {
        let found = self.find_secrets(text);
        if found.is_empty() {
            return None;
        }
        let mut clean = String::with_capacity(text.len());
        let mut index = 0;
        for range in found {
            clean.push_str(text.get(index..range.start).unwrap_or_default());
            clean.push_str(MARKER);
            index = range.end;
        }
        clean.push_str(text.get(index..).unwrap_or_default());
        Some(clean)
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        self.trigger_words.as_ref().is_some_and(|words| words.is_match(text))
    }

    fn redact_named(&self, name: &str, text: &str) -> Option<String> {
        if let Some(clean) = self.redact(text) {
            return Some(clean);
        }
        // The name of a field shows that its value is a secret, as in `name = value`.
        if text.contains(['"', '\\', '\n']) || !self.may_contain_secret(name) {
            return None;
        }
        let prefix = format!("{name}=\"");
        let found = self.find_secrets(&format!("{prefix}{text}\""));
        let whole = prefix.len()..prefix.len() + text.len();
        found.contains(&whole).then(|| MARKER.to_owned())
    }
}

/// Sorts ranges and merges those that touch.
fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests;

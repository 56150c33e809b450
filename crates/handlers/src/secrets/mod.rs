//! Finding secrets in texts.
//!
//! The rules stand in `rules.toml`, beside this file. Most secrets are known by how they begin, and need no regular
//! expression: one pass over a text, with all beginnings and key words at once, finds the places that are worth a second
//! look. A text without any costs that pass and nothing else.

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
pub(crate) use named::matches_listed_name;
pub use named::{is_secret, is_secret_name};
use pattern::{CompiledPattern, SecretPlaceholder};
use rules::TokenRule;
use token::AlphabetRuns;

/// What stands in the place of a secret.
pub const MARKER: &str = "[REDACTED]";

/// Takes secrets out of texts by the rules that come with the program.
#[derive(Debug)]
pub struct SecretScanner {
    trigger_words: Option<AhoCorasick>,
    /// What each word of `words` leads to.
    candidates: Vec<SecretCandidate>,
    tokens: Vec<TokenRule>,
    patterns: Vec<CompiledPattern>,
    placeholders: SecretPlaceholder,
}

/// What a word in a text leads to.
#[derive(Debug, Clone, Copy)]
enum SecretCandidate {
    /// A token that begins with this word: the rule, and which of its beginnings.
    Token(usize, usize),
    /// A pattern that is worth trying.
    Pattern(usize),
}

/// Sets of patterns are bits of one word.
const MOST_PATTERNS: usize = 64;

impl SecretScanner {
    /// The detector that all of the process shares. It is made when it is first asked for.
    #[must_use]
    pub fn process_wide() -> Arc<Self> {
        static SHARED: OnceLock<Arc<SecretScanner>> = OnceLock::new();
        Arc::clone(SHARED.get_or_init(|| Arc::new(Self::new())))
    }

    fn new() -> Self {
        // The file is part of the program, and a test reads it: it is never broken here.
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
        for (at, pattern) in patterns.iter().enumerate() {
            for word in &pattern.rule.trigger_words {
                words.push(word.clone());
                leads.push(SecretCandidate::Pattern(at));
            }
        }
        let mut builder = AhoCorasick::builder();
        // Words may stand within each other, so all of them have to be seen.
        builder.match_kind(MatchKind::Standard).ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        Self {
            trigger_words: builder.build(&words).ok(),
            candidates: leads,
            tokens,
            patterns,
            placeholders: SecretPlaceholder::new(plain),
        }
    }

    /// Whether there is a secret in a text.
    pub(crate) fn has_any(&self, text: &str) -> bool {
        !self.find_secrets(text).is_empty()
    }

    /// Where secrets are, in order and without overlaps.
    fn find_secrets(&self, text: &str) -> Vec<Range<usize>> {
        let Some(words) = &self.trigger_words else { return Vec::new() };
        let mut found = Vec::new();
        let mut worth_trying = 0_u64;
        // A beginning within a token that is already found needs no second look.
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
                Some(SecretCandidate::Pattern(at)) => worth_trying |= 1 << at,
                None => {}
            }
        }
        for (at, pattern) in self.patterns.iter().enumerate() {
            if worth_trying & (1 << at) != 0 {
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
        let mut at = 0;
        for range in found {
            clean.push_str(text.get(at..range.start).unwrap_or_default());
            clean.push_str(MARKER);
            at = range.end;
        }
        clean.push_str(text.get(at..).unwrap_or_default());
        Some(clean)
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        self.trigger_words.as_ref().is_some_and(|words| words.is_match(text))
    }

    fn redact_named(&self, name: &str, text: &str) -> Option<String> {
        if let Some(clean) = self.redact(text) {
            return Some(clean);
        }
        // The name of a field says what its value is, as it does in `name = value`.
        if text.contains(['"', '\\', '\n']) || !self.may_contain_secret(name) {
            return None;
        }
        let prefix = format!("{name}=\"");
        let found = self.find_secrets(&format!("{prefix}{text}\""));
        let whole = prefix.len()..prefix.len() + text.len();
        found.contains(&whole).then(|| MARKER.to_owned())
    }
}

/// Ranges in order, those that touch made one.
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

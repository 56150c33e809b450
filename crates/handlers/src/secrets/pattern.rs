//! Finds secrets by a regular expression.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder, RegexSet};

use super::entropy::bits_per_byte;
use super::rules::PatternRule;

/// The size limit of a compiled expression, and of its search cache.
const SIZE_BYTES: usize = 4 << 20;

/// A rule whose expression is compiled on first use.
#[derive(Debug)]
pub(super) struct CompiledPattern {
    pub(super) rule: PatternRule,
    compiled: OnceLock<Option<Regex>>,
}

/// Placeholders that are not secrets.
#[derive(Debug)]
pub(super) struct SecretPlaceholder {
    texts: Vec<String>,
    compiled: OnceLock<Option<RegexSet>>,
}

impl CompiledPattern {
    pub(super) fn new(rule: PatternRule) -> Self {
        Self { rule, compiled: OnceLock::new() }
    }

    /// The expression; `None` if it does not compile, which a test excludes.
    pub(super) fn compiled_regex(&self) -> Option<&Regex> {
        let compile = || {
            let mut builder = RegexBuilder::new(&self.rule.regex);
            builder.size_limit(SIZE_BYTES).dfa_size_limit(SIZE_BYTES).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// Adds the positions of the rule's secrets in a text.
    pub(super) fn find_secrets(&self, text: &str, plain: &SecretPlaceholder, ranges: &mut Vec<Range<usize>>) {
        let Some(regex) = self.compiled_regex() else { return };
        for captures in regex.captures_iter(text) {
            let Some(secret) = captures.name("secret").or_else(|| captures.get(0)) else { continue };
            let random = self.rule.entropy.is_none_or(|least| bits_per_byte(secret.as_str()) >= least);
            if random && !(self.rule.guess && plain.has_match(secret.as_str())) {
                ranges.push(secret.range());
            }
        }
    }
}

impl SecretPlaceholder {
    pub(super) fn new(texts: Vec<String>) -> Self {
        Self { texts, compiled: OnceLock::new() }
    }

    /// The expressions; `None` if one does not compile, which a test excludes.
    pub(super) fn compiled_set(&self) -> Option<&RegexSet> {
        self.compiled.get_or_init(|| RegexSet::new(&self.texts).ok()).as_ref()
    }

    fn has_match(&self, text: &str) -> bool {
        self.compiled_set().is_some_and(|set| set.is_match(text))
    }
}

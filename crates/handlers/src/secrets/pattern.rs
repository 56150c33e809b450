//! Secrets that are known by a regular expression.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder, RegexSet};

use super::entropy::entropy;
use super::rules::PatternRule;

/// How large a compiled expression, and what it keeps while it searches, may become.
const SIZE_BYTES: usize = 4 << 20;

/// A rule whose expression is compiled when a text first needs it.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) rule: PatternRule,
    compiled: OnceLock<Option<Regex>>,
}

/// What stands for a secret without being one.
#[derive(Debug)]
pub(super) struct Plain {
    texts: Vec<String>,
    compiled: OnceLock<Option<RegexSet>>,
}

impl Pattern {
    pub(super) fn new(rule: PatternRule) -> Self {
        Self { rule, compiled: OnceLock::new() }
    }

    /// The expression; `None` when it does not compile, which a test excludes.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let compile = || {
            let mut builder = RegexBuilder::new(&self.rule.regex);
            builder.size_limit(SIZE_BYTES).dfa_size_limit(SIZE_BYTES).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// Adds where the rule's secrets are in a text.
    pub(super) fn find(&self, text: &str, plain: &Plain, found: &mut Vec<Range<usize>>) {
        let Some(regex) = self.regex() else { return };
        for captures in regex.captures_iter(text) {
            let Some(secret) = captures.name("secret").or_else(|| captures.get(0)) else { continue };
            let random = self.rule.entropy.is_none_or(|least| entropy(secret.as_str()) >= least);
            if random && !(self.rule.guess && plain.has(secret.as_str())) {
                found.push(secret.range());
            }
        }
    }
}

impl Plain {
    pub(super) fn new(texts: Vec<String>) -> Self {
        Self { texts, compiled: OnceLock::new() }
    }

    /// The expressions; `None` when one does not compile, which a test excludes.
    pub(super) fn set(&self) -> Option<&RegexSet> {
        self.compiled.get_or_init(|| RegexSet::new(&self.texts).ok()).as_ref()
    }

    fn has(&self, text: &str) -> bool {
        self.set().is_some_and(|set| set.is_match(text))
    }
}

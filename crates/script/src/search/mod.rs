//! Regular expressions with interruptible searches.
//!
//! A search takes time in proportion to the text, but the factor is the size of the pattern: `x{0,1000}y` costs a
//! thousand times as much as `xy`. Small searches use the `regex` crate, which cannot be interrupted; for the others
//! the same automaton is run here, with regular checks of the clock. Used by scripts, and by hosts for a model that
//! chooses both the pattern and the text.

mod slow;

use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;
use regex::{Regex, RegexBuilder};

use slow::SlowPattern;

/// The maximum size of a script's compiled pattern.
const PATTERN_BYTES: usize = 256 << 10;
/// Texts up to this length are searched without interruption, with any pattern.
const SHORT_TEXT_BYTES: usize = 256;
/// The maximum product of text bytes and pattern states for a search without interruption, which takes a few hundredths
/// of a second at most.
const UNWATCHED_COST: usize = 1 << 21;
/// The work between two checks of the clock.
const WATCH_EVERY: usize = 1 << 14;

/// A compiled pattern.
#[derive(Debug)]
pub struct SearchPattern {
    fast: Regex,
    text: String,
    /// Compiled for the first text that is not short.
    slow: OnceLock<Option<SlowPattern>>,
}

/// The ranges of a match's groups; the first is the whole match.
pub type MatchGroups = Vec<Option<Range<usize>>>;

/// The call timed out, or was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOver;

/// Ends a search when its call times out or is cancelled.
#[derive(Debug)]
pub struct SearchBudget<'a> {
    deadline: Option<Instant>,
    cancel: Option<&'a CancelToken>,
    cost: usize,
}

impl<'a> SearchBudget<'a> {
    pub(crate) fn new(deadline: Instant, cancel: Option<&'a CancelToken>) -> Self {
        Self { deadline: Some(deadline), cancel, cost: 0 }
    }

    /// Ends a search when the token is cancelled.
    #[must_use]
    pub fn from_cancel(cancel: &'a CancelToken) -> Self {
        Self { deadline: None, cancel: Some(cancel), cost: 0 }
    }

    /// The budget of searches while a script is loaded.
    pub(crate) fn for_loading() -> Self {
        Self::new(Instant::now() + Duration::from_secs(1), None)
    }

    /// Counts work, and checks the clock now and then.
    fn spend_cost(&mut self, cost: usize) -> Result<(), TimeOver> {
        self.cost += cost;
        if self.cost < WATCH_EVERY {
            return Ok(());
        }
        self.cost = 0;
        let is_cancelled = self.cancel.is_some_and(CancelToken::is_cancelled);
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_cancelled || is_late { Err(TimeOver) } else { Ok(()) }
    }
}

impl SearchPattern {
    /// Compiles a pattern of a script.
    ///
    /// # Errors
    /// If it is invalid or too large, with the message of the `regex` crate.
    pub(crate) fn new(text: &str) -> Result<Self, regex::Error> {
        Self::with_size_limit(text, PATTERN_BYTES)
    }

    /// Compiles a pattern of at most `bytes` bytes.
    ///
    /// # Errors
    /// If it is invalid or too large, with the message of the `regex` crate.
    pub fn with_size_limit(text: &str, bytes: usize) -> Result<Self, regex::Error> {
        let fast = RegexBuilder::new(text).size_limit(bytes).dfa_size_limit(bytes).nest_limit(50).build()?;
        Ok(Self { fast, text: text.to_owned(), slow: OnceLock::new() })
    }

    /// The names of the groups; the first is the whole match, which has no name.
    pub(crate) fn group_names(&self) -> impl Iterator<Item = Option<&str>> {
        self.fast.capture_names()
    }

    /// The first match at or after a position.
    ///
    /// # Errors
    /// If the budget ends the search.
    pub fn find(
        &self,
        text: &str,
        from: usize,
        watch: &mut SearchBudget<'_>,
    ) -> Result<Option<Range<usize>>, TimeOver> {
        match self.slow_pattern_for(text, from, watch)? {
            Some(slow) => slow.find(text, from, watch),
            None => Ok(self.fast.find_at(text, from).map(|found| found.range())),
        }
    }

    /// The same with its groups.
    pub(crate) fn find_groups(
        &self,
        text: &str,
        from: usize,
        watch: &mut SearchBudget<'_>,
    ) -> Result<Option<MatchGroups>, TimeOver> {
        let Some(slow) = self.slow_pattern_for(text, from, watch)? else {
            let found = self.fast.captures_at(text, from);
            return Ok(found.map(|found| found.iter().map(|group| group.map(|group| group.range())).collect()));
        };
        let Some(whole) = slow.find(text, from, watch)? else { return Ok(None) };
        if self.fast.captures_len() == 1 {
            return Ok(Some(vec![Some(whole)]));
        }
        slow.find_groups(text, whole, watch)
    }

    /// Calls `each` with the groups of every match, from the first to the last.
    pub(crate) fn each_match_groups<E: From<TimeOver>>(
        &self,
        text: &str,
        watch: &mut SearchBudget<'_>,
        each: impl FnMut(MatchGroups) -> Result<(), E>,
    ) -> Result<(), E> {
        self.visit_matches(text, watch, Self::find_groups, |groups| groups.first().cloned().flatten(), each)
    }

    /// Calls `each` with every match, from the first to the last.
    pub(crate) fn each_match<E: From<TimeOver>>(
        &self,
        text: &str,
        watch: &mut SearchBudget<'_>,
        each: impl FnMut(Range<usize>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.visit_matches(text, watch, Self::find, |whole| Some(whole.clone()), each)
    }

    fn visit_matches<'w, T, E: From<TimeOver>>(
        &self,
        text: &str,
        watch: &mut SearchBudget<'w>,
        search: impl Fn(&Self, &str, usize, &mut SearchBudget<'w>) -> Result<Option<T>, TimeOver>,
        whole: impl Fn(&T) -> Option<Range<usize>>,
        mut each: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut from, mut last) = (0, None);
        while let Some(found) = search(self, text, from, watch)? {
            let Some(whole) = whole(&found) else { return Ok(()) };
            // An empty match directly after the last one does not count.
            if whole.is_empty() && last == Some(whole.end) {
                let Some(next) = text.get(whole.end..).and_then(|rest| rest.chars().next()) else { return Ok(()) };
                from = whole.end + next.len_utf8();
                continue;
            }
            (from, last) = (whole.end, Some(whole.end));
            each(found)?;
        }
        Ok(())
    }

    /// The interruptible engine, for texts that need it.
    fn slow_pattern_for(
        &self,
        text: &str,
        from: usize,
        watch: &mut SearchBudget<'_>,
    ) -> Result<Option<&SlowPattern>, TimeOver> {
        let length = text.len().saturating_sub(from);
        if length <= SHORT_TEXT_BYTES {
            watch.spend_cost(length * 16)?;
            return Ok(None);
        }
        let slow = self.slow.get_or_init(|| SlowPattern::new(&self.text)).as_ref();
        let cost = slow.map_or(usize::MAX, |slow| slow.state_count()).saturating_mul(length);
        if cost <= UNWATCHED_COST {
            watch.spend_cost(cost)?;
            return Ok(None);
        }
        // Every pattern that the `regex` crate accepts is accepted here too; any other must not run without
        // interruption.
        slow.map(Some).ok_or(TimeOver)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn test_budget() -> SearchBudget<'static> {
        SearchBudget::new(Instant::now() + Duration::from_secs(600), None)
    }

    /// All matches with their groups, as the interruptible engine finds them.
    fn find_slowly(pattern: &SearchPattern, text: &str) -> Vec<MatchGroups> {
        let slow = SlowPattern::new(&pattern.text).unwrap();
        let (mut from, mut found) = (0, Vec::new());
        while let Some(whole) = slow.find(text, from, &mut test_budget()).unwrap() {
            found.push(slow.find_groups(text, whole.clone(), &mut test_budget()).unwrap().unwrap());
            let after = text[whole.end..].chars().next().map_or(1, char::len_utf8);
            from = if whole.is_empty() { whole.end + after } else { whole.end };
            if from > text.len() {
                break;
            }
        }
        found
    }

    fn find_quickly(pattern: &SearchPattern, text: &str) -> Vec<MatchGroups> {
        let (mut from, mut found) = (0, Vec::new());
        while let Some(groups) = pattern.fast.captures_at(text, from) {
            let whole = groups.get(0).unwrap().range();
            found.push(groups.iter().map(|group| group.map(|group| group.range())).collect());
            let after = text[whole.end..].chars().next().map_or(1, char::len_utf8);
            from = if whole.is_empty() { whole.end + after } else { whole.end };
            if from > text.len() {
                break;
            }
        }
        found
    }

    #[test]
    fn both_engines_find_the_same() {
        let patterns = [
            "a",
            "",
            "a*",
            "(a)(b)?",
            "(a|ab)(c|bcd)(d*)",
            r"\b\w+\b",
            r"\B",
            "(?i)straße",
            "^a|b$",
            "(?m)^x",
            "[^a]",
            "(?P<k>[a-z]+)=(?P<v>[^;]*)",
            "x{0,20}y|x",
            "a+?b",
            "é",
            ".",
            "(?s).+",
            "(a*)*b",
            r"(?-u:\b)a",
            r"\pL+",
        ];
        let texts =
            ["", "a", "abcd", "aaab aab", "xxxxxx", "k=v;key=é;=", "straSSe STRASSE straße", "x\nx\n", "日本é", "b"];
        for pattern in patterns {
            let compiled = SearchPattern::new(pattern).unwrap();
            for text in texts {
                assert_eq!(find_slowly(&compiled, text), find_quickly(&compiled, text), "{pattern} in {text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn both_engines_agree_on_any_text(text in "[abxy é\n]{0,40}", pattern in "[abx.é*+?|()]{0,8}") {
            if let Ok(compiled) = SearchPattern::new(&pattern) {
                prop_assert_eq!(find_slowly(&compiled, &text), find_quickly(&compiled, &text));
            }
        }
    }

    #[test]
    fn a_search_that_takes_too_long_ends() {
        let text = "x".repeat(1 << 20);
        for pattern in ["x{0,1000}y", "(x{0,900})y", "x+y|x", "(x|xx|xxx|xxxx){0,200}y", r"\B(x{0,500})*y"] {
            let pattern = SearchPattern::new(pattern).unwrap();
            let over = &mut SearchBudget::new(Instant::now(), None);
            let mut found = 0;
            let ended = pattern.each_match_groups(&text, over, |_| {
                found += 1;
                Ok::<(), TimeOver>(())
            });
            assert_eq!(ended, Err(TimeOver), "{}", pattern.text);
            assert!(found < 1_000, "{} found {found}", pattern.text);
        }
    }
}

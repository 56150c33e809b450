//! The native parts of a tool hook: denying calls, and cutting long results.

use pintle_contract::{Handler, HookCall, Verdict};
use serde_json::{Map, Value};

/// Denies every call with one reason.
#[derive(Debug)]
pub(super) struct DenyHandler {
    reason: String,
}

impl DenyHandler {
    pub(super) fn new(reason: String) -> Self {
        Self { reason }
    }
}

impl Handler for DenyHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::deny(self.reason.as_str())
    }
}

/// Cuts results in the middle.
#[derive(Debug)]
pub(super) struct MaxOutputHandler {
    limit_bytes: usize,
}

impl MaxOutputHandler {
    pub(super) fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes: usize::try_from(limit_bytes).unwrap_or(usize::MAX) }
    }
}

impl Handler for MaxOutputHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let content = call.event.payload.field("content").and_then(Value::as_str).unwrap_or_default();
        if content.len() <= self.limit_bytes {
            return Verdict::pass();
        }
        let cut = compact(content, self.limit_bytes);
        Verdict::rewrite(Map::from_iter([(String::from("content"), Value::from(cut))]))
    }
}

/// The maximum number of failure lines that are kept.
const MAX_LINES: usize = 32;

/// Words of a line that reports a failure, in lower case.
const FAILURES: [&str; 10] =
    ["error", "fail", "panic", "exception", "traceback", "fatal", "assert", "denied", "cannot", "not found"];

/// The text in at most `limit_bytes` bytes.
fn compact(text: &str, limit_bytes: usize) -> String {
    if text.len() <= limit_bytes {
        return text.to_owned();
    }
    // The number in the marker can vary by one digit, so the longest marker is reserved.
    let room = limit_bytes.saturating_sub(marker(text.len()).len());
    if room == 0 {
        // Only the beginning fits.
        return head(text, limit_bytes).to_owned();
    }
    // A third at most is for failure lines, if there are any; head and tail share the rest.
    let (first, last) = (head(text, room / 3), tail(text, room / 3));
    let middle = text.get(first.len()..text.len() - last.len()).unwrap_or_default();
    let kept = failure_lines(middle, room - first.len() - last.len());
    if kept.is_empty() {
        let (first, last) = (head(text, room.div_ceil(2)), tail(text, room / 2));
        return format!("{first}{}{last}", marker(text.len() - first.len() - last.len()));
    }
    let gone = middle.len().saturating_sub(kept.len());
    format!("{first}{}{kept}{last}", marker(gone))
}

/// The marker for the cut part.
fn marker(bytes: usize) -> String {
    format!("\n[... {bytes} bytes cut ...]\n")
}

/// The lines that look like failures, with their line endings, as far as they fit.
fn failure_lines(text: &str, room: usize) -> String {
    let mut kept = String::new();
    let looks_so = |line: &&str| {
        let lower = line.to_lowercase();
        FAILURES.iter().any(|word| lower.contains(word))
    };
    for line in text.lines().filter(looks_so).take(MAX_LINES) {
        if kept.len() + line.len() + 1 > room {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// As much of the beginning as fits.
fn head(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// As much of the end as fits.
fn tail(text: &str, bytes: usize) -> &str {
    let start = (text.len() - bytes.min(text.len())..=text.len()).find(|start| text.is_char_boundary(*start));
    text.get(start.unwrap_or(text.len())..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn head_and_tail_stay_and_the_marker_counts_what_is_gone() {
        let text = "a".repeat(500) + &"z".repeat(500);
        let cut = compact(&text, 100);
        assert!(cut.len() <= 100 && cut.starts_with("aaa") && cut.ends_with("zzz"), "{cut}");
        let gone = 1000 - cut.matches(['a', 'z']).count();
        assert!(cut.contains(&format!("\n[... {gone} bytes cut ...]\n")), "{cut} {gone}");
    }

    #[test]
    fn lines_that_look_like_failures_are_kept() {
        let mut text = "all is well\n".repeat(200);
        text.push_str("error[E0308]: mismatched types\n");
        text.push_str(&"all is well\n".repeat(200));
        let cut = compact(&text, 400);
        assert!(cut.contains("error[E0308]: mismatched types\n") && cut.len() <= 400, "{cut}");
        let many = "test failed\n".repeat(100) + &"fine\n".repeat(4000);
        let cut = compact(&(String::from("x").repeat(9000) + "\n" + &many), 9000);
        assert_eq!(cut.matches("test failed\n").count(), 32);
    }

    #[test]
    fn every_limit_is_kept_also_one_that_has_no_room_for_a_marker() {
        let text = "x".repeat(1000);
        assert_eq!(compact(&text, 0), "");
        assert_eq!(compact(&text, 7), "x".repeat(7));
        for limit in [20, 28, 29, 30, 31, 60, 100, 199, 200, 999] {
            assert!(compact(&text, limit).len() <= limit, "{limit}");
            assert!(!compact(&text, limit).is_empty(), "{limit}");
        }
        assert_eq!(compact(&text, 1000), text);
    }

    proptest! {
        #[test]
        fn any_text_is_cut_at_characters_and_a_cut_text_stays_as_it_is(text in "(é|a|\n|error|😀){0,300}", limit in 0_usize..300) {
            let cut = compact(&text, limit);
            prop_assert!(cut.len() <= limit);
            prop_assert_eq!(compact(&cut, limit), cut);
        }
    }
}

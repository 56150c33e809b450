//! Finds secrets by their prefix.

use std::ops::Range;

use super::entropy::bits_per_byte;
use super::rules::{TokenAlphabet, TokenRule};

/// The number of bytes of a token that are tested for randomness.
const SAMPLE_BYTES: usize = 256;

/// The ends of runs of an alphabet's characters that were already scanned. Without it a text full of prefixes, within
/// one run, would be scanned again from each of them.
#[derive(Debug, Default)]
pub(super) struct AlphabetRuns(Vec<(TokenAlphabet, usize)>);

impl AlphabetRuns {
    /// The end of the run that contains `from`. Calls must be in the order of the text.
    fn run_end(&mut self, alphabet: TokenAlphabet, text: &str, from: usize) -> usize {
        let known = self.0.iter().position(|(of, _)| *of == alphabet);
        if let Some((_, end)) = known.and_then(|index| self.0.get(index))
            && *end > from
        {
            return *end;
        }
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let end = from + rest.iter().take_while(|byte| alphabet.contains(**byte)).count();
        match known.and_then(|index| self.0.get_mut(index)) {
            Some(run) => run.1 = end,
            None => self.0.push((alphabet, end)),
        }
        end
    }
}

/// The token that starts at `start` with `begin`, if it matches the rule.
pub(super) fn find_token(
    rule: &TokenRule,
    begin: &str,
    text: &str,
    start: usize,
    runs: &mut AlphabetRuns,
) -> Option<Range<usize>> {
    // Prefixes are found in any case; a token's own prefix is case-sensitive.
    if !text.get(start..)?.starts_with(begin) || (rule.must_stand_apart && !stands_apart(text.as_bytes(), start)) {
        return None;
    }
    let from = start + begin.len();
    // A full stop after a token ends the sentence.
    let body = text.get(from..runs.run_end(rule.alphabet, text, from))?.trim_end_matches('.');
    let fits = body.len() >= rule.min_length && rule.max_length.is_none_or(|most| body.len() <= most);
    let sample = body.get(..SAMPLE_BYTES).unwrap_or(body);
    let random = || rule.entropy.is_none_or(|least| bits_per_byte(sample) >= least);
    (fits && random()).then(|| start..from + body.len())
}

/// Whether a word boundary precedes `start`: no letter or digit, unless it belongs to an escape such as `\n` in JSON
/// text, `%3D` in a URL, or a terminal colour.
fn stands_apart(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', one, other] if one.is_ascii_hexdigit() && other.is_ascii_hexdigit() => true,
        [codes @ .., b'm'] => {
            let digits = codes.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
            codes.get(..codes.len() - digits).is_some_and(|head| head.ends_with(b"\x1b["))
        }
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_before_a_token_is_no_part_of_it() {
        let cases = [
            ("", true),
            ("x=", true),
            ("_", true),
            ("x", false),
            ("7", false),
            ("m", false),
            ("\\n", true),
            ("\\t", true),
            ("n", false),
            ("a%3D", true),
            ("%3", false),
            ("\x1b[1;31m", true),
            ("[1m", false),
        ];
        for (before, expected) in cases {
            assert_eq!(stands_apart(before.as_bytes(), before.len()), expected, "{before:?}");
        }
    }
}

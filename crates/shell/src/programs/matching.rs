//! Whether a call has the words and options of a row.

use std::cell::OnceCell;

use crate::paths::matches_glob;
use crate::walk::{CommandWalk, ProgramCall, ShellArg};

/// Arguments behind this one are not looked at for words.
const MAX_ARGS: usize = 32;
/// Arguments behind this one are not compared with patterns.
const MAX_PATTERN_ARGS: usize = 512;

/// Whether the operands begin with these words. Between them there may be options with their values.
///
/// A word may have alternatives, `a|b`, and patterns, `delete-*`; `**` stands for any operands.
pub(crate) fn has_words(call: &ProgramCall<'_>, words: &[&str]) -> bool {
    words.is_empty() || has_words_from(&first_texts(call), words, false)
}

fn first_texts<'c>(call: &'c ProgramCall<'_>) -> Vec<&'c str> {
    call.args.iter().take(MAX_ARGS).map(|arg| arg.text.as_str()).collect()
}

fn has_words_from(texts: &[&str], words: &[&str], after_option: bool) -> bool {
    let Some((wanted, rest)) = words.split_first() else { return true };
    let Some((text, after)) = texts.split_first() else { return false };
    if *wanted == "**" {
        return (0..texts.len()).any(|index| texts.get(index..).is_some_and(|tail| has_words_from(tail, rest, false)));
    }
    let is_option = text.starts_with(['-', '+']);
    let is_wanted = wanted.split('|').any(|word| is_option == word.starts_with('-') && matches_pattern(word, text));
    if is_wanted && has_words_from(after, rest, false) {
        return true;
    }
    // The value of an option may be the next argument.
    let may_have_value = text.starts_with('-') && !text.contains('=');
    (is_option || after_option) && has_words_from(after, words, is_option && may_have_value)
}

/// Whether a text is what a pattern with `*` says.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    // Most words differ in their first letter.
    let first = pattern.as_bytes().first();
    if first != text.as_bytes().first() && !matches!(first, Some(b'*' | b'[')) {
        return false;
    }
    if pattern.contains('[') {
        return matches_glob(pattern, text);
    }
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let Some((middle, last)) = rest.rsplit_once('*') else { return text.ends_with(rest) };
    for part in middle.split('*') {
        let Some(index) = text.find(part) else { return false };
        text = text.get(index + part.len()..).unwrap_or_default();
    }
    text.ends_with(last)
}

/// A call that is compared with many rows.
pub(super) struct RowCall<'c, 'a> {
    call: &'c ProgramCall<'a>,
    texts: Vec<&'c str>,
    /// The first arguments without quotes, as they are and in lower case.
    plain: OnceCell<Vec<(String, String)>>,
}

impl<'c, 'a> RowCall<'c, 'a> {
    pub(super) fn new(call: &'c ProgramCall<'a>) -> Self {
        Self { call, texts: first_texts(call), plain: OnceCell::new() }
    }

    pub(super) fn has_words(&self, words: &[&str]) -> bool {
        has_words_from(&self.texts, words, false)
    }

    fn plain(&self) -> &[(String, String)] {
        self.plain.get_or_init(|| {
            let plain = |arg: &ShellArg| {
                let text = arg.text.replace(['"', '\''], "");
                let lower = text.to_lowercase();
                (text, lower)
            };
            self.call.args.iter().take(MAX_PATTERN_ARGS).map(plain).collect()
        })
    }

    /// Whether one of the options of a group `a|b` is given.
    ///
    /// `-x` is also found among letters, and `--name` and `-name` also with a value, unless the value switches them off.
    /// `--name=value` and plain words are meant as they are, a `*` in them is a pattern that also finds upper case, `PATTERN except
    /// PATTERN` has exceptions, and `name=` is a beginning. `NAME=value` and `NAME=` are also looked for among the variables of the line.
    pub(super) fn has_any(&self, walk: &CommandWalk<'_>, group: &str) -> bool {
        group.split('|').any(|option| {
            let is_given = if option.contains('*') {
                let (pattern, other) = option.split_once(" except ").unwrap_or((option, ""));
                self.plain().iter().any(|(text, lower)| {
                    (matches_pattern(pattern, text) || matches_pattern(pattern, lower))
                        && (other.is_empty() || !matches_pattern(other, text))
                })
            } else {
                self.call.args.iter().any(|arg| is_option(&arg.text, option))
                    || self.plain().iter().any(|(text, _)| is_option(text, option))
            };
            is_given || has_variable(walk, option)
        })
    }
}

fn has_variable(walk: &CommandWalk<'_>, option: &str) -> bool {
    let Some((name, value)) = option.split_once('=') else { return false };
    let is_name = !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    is_name
        && walk.variable(name).is_some_and(|values| {
            values
                .first()
                .is_some_and(|known| matches_pattern(value, &known.text) || value.is_empty() && !known.text.is_empty())
        })
}

fn is_option(text: &str, option: &str) -> bool {
    if text == option || option.ends_with('=') && text.starts_with(option) {
        return true;
    }
    if !text.starts_with('-') || !option.starts_with('-') {
        return false;
    }
    let letter = option.get(1..).filter(|letter| letter.len() == 1);
    if let (Some(letter), false) = (letter, text.starts_with("--")) {
        // Not in a value behind a letter, as in `-m'a note'`.
        return text.len() > 1
            && text.contains(letter)
            && text.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric());
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    name == option && !matches!(value, "false" | "none" | "no" | "0" | "off")
}

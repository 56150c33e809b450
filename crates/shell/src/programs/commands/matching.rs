//! Whether a call has the words and options of a row.

use super::super::ProgramCall;
use crate::paths::matches_glob;
use crate::walk::CommandWalk;

/// Arguments behind this one are not looked at for words.
const MAX_ARGS: usize = 32;

/// Whether the operands begin with these words. Between them there may be options with their values.
///
/// A word may have alternatives, `a|b`, and patterns, `delete-*`; `**` stands for any operands.
pub(crate) fn has_words(call: &ProgramCall<'_>, words: &[&str]) -> bool {
    let texts: Vec<&str> = call.args.iter().take(MAX_ARGS).map(|arg| arg.text.as_str()).collect();
    has_words_from(&texts, words, false)
}

fn has_words_from(texts: &[&str], words: &[&str], after_option: bool) -> bool {
    let Some((wanted, rest)) = words.split_first() else { return true };
    let Some((text, after)) = texts.split_first() else { return false };
    if *wanted == "**" {
        return (0..texts.len()).any(|index| texts.get(index..).is_some_and(|tail| has_words_from(tail, rest, false)));
    }
    if text.starts_with(['-', '+']) {
        // The value of the option may be the next argument.
        let may_have_value = text.starts_with('-') && !text.contains('=');
        return has_words_from(after, words, may_have_value);
    }
    let is_wanted = wanted.split('|').any(|word| word == *text || word.contains('*') && matches_glob(word, text));
    is_wanted && has_words_from(after, rest, false) || after_option && has_words_from(after, words, false)
}

/// Whether one of the options is given.
///
/// `-x` is also found among letters, and `--name` and `-name` also with a value, unless the value switches them off.
/// `--name=value` and plain words are meant as they are, a `*` in them is a pattern, and `name=` is a beginning.
pub(super) fn has_option(call: &ProgramCall<'_>, option: &str) -> bool {
    call.args.iter().any(|arg| is_option(&arg.text, option))
}

/// Whether a variable has the value of `NAME=value`.
pub(super) fn has_variable(walk: &CommandWalk<'_>, option: &str) -> bool {
    option.starts_with(|letter: char| letter.is_ascii_uppercase())
        && option.split_once('=').is_some_and(|(name, value)| {
            walk.variable(name).is_some_and(|values| values.first().is_some_and(|known| known.text == value))
        })
}

fn is_option(text: &str, option: &str) -> bool {
    if option.contains('*') {
        return matches_glob(option, &text.to_lowercase());
    }
    if text == option || option.ends_with('=') && text.starts_with(option) {
        return true;
    }
    if !text.starts_with('-') || !option.starts_with('-') {
        return false;
    }
    let letter = option.get(1..).filter(|letter| letter.len() == 1);
    if let (Some(letter), false) = (letter, text.starts_with("--")) {
        return text.len() > 1 && text.contains(letter);
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    name == option && !matches!(value, "false" | "none" | "no" | "0" | "off")
}

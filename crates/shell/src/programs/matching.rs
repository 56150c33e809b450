//! Whether a call has the words and options of a row.

use std::cell::OnceCell;

use crate::paths::matches_glob;
use crate::walk::{CommandWalk, GivenOption, OptionLetters, OptionReader, ProgramCall, ReadArg, ShellArg};

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
    let is_wanted = alternatives(wanted).any(|word| is_option == word.starts_with('-') && matches_pattern(word, text));
    if is_wanted && has_words_from(after, rest, false) {
        return true;
    }
    // The value of an option may be the next argument.
    let may_have_value = text.starts_with('-') && !text.contains('=');
    (is_option || after_option) && has_words_from(after, words, is_option && may_have_value)
}

/// The alternatives of `a|b`, which are short: no search starts for them.
fn alternatives(words: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(words);
    std::iter::from_fn(move || {
        let words = rest?;
        let end = words.bytes().position(|byte| byte == b'|');
        rest = end.and_then(|end| words.get(end + 1..));
        words.get(..end.unwrap_or(words.len()))
    })
}

/// Whether a text is what a pattern with `*` says.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    // Most words differ in their first letter.
    let first = pattern.as_bytes().first();
    if first != text.as_bytes().first() && !matches!(first, Some(b'*' | b'[')) {
        return false;
    }
    if !pattern.bytes().any(|byte| matches!(byte, b'*' | b'[')) {
        return pattern == text;
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
    grammar: OptionLetters,
    texts: Vec<&'c str>,
    given: OnceCell<GivenArgs<'c>>,
    /// The first arguments without quotes, as they are and in lower case.
    plain: OnceCell<Vec<(String, String)>>,
}

/// The arguments as the program reads them.
struct GivenArgs<'c> {
    options: Vec<GivenOption<'c>>,
    operands: Vec<&'c ShellArg>,
}

impl<'c, 'a> RowCall<'c, 'a> {
    pub(super) fn new(call: &'c ProgramCall<'a>, grammar: OptionLetters) -> Self {
        Self { call, grammar, texts: first_texts(call), given: OnceCell::new(), plain: OnceCell::new() }
    }

    /// Whether one of the arguments is this text.
    pub(super) fn has_text(&self, wanted: &str) -> bool {
        self.texts.contains(&wanted)
    }

    pub(super) fn has_words(&self, words: &[&str]) -> bool {
        has_words_from(&self.texts, words, false)
    }

    fn read_args(&self) -> &GivenArgs<'c> {
        self.given.get_or_init(|| {
            let mut given = GivenArgs { options: Vec::new(), operands: Vec::new() };
            for read in OptionReader::new(self.call.args, self.grammar) {
                match read {
                    ReadArg::Option(option) => given.options.push(option),
                    ReadArg::Operand(operand) => given.operands.push(operand),
                }
            }
            given
        })
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

    /// The last operand behind some words; if there is none, the words where they are wanted.
    pub(super) fn target(&self, words: usize, or_words: bool) -> Option<String> {
        let operands = &self.read_args().operands;
        match operands.get(words..).and_then(<[&ShellArg]>::last) {
            Some(target) => Some(target.shown()),
            None => or_words.then(|| operands.iter().map(|word| word.shown()).collect::<Vec<_>>().join(" ")),
        }
    }

    /// The argument by which one of the options of a group `a|b` may be given; empty if it is a variable of the line.
    ///
    /// `-x` and `--name` are options of the program, also abbreviated, unless the value switches them off. `--name=value` is
    /// one with a value, in the same word or the next one, and `--name=` one with any. `-name` and plain words are meant as
    /// they are, a `*` in them is a pattern that also finds upper case, and `PATTERN except PATTERN` has exceptions. `NAME=value` and `NAME=` are also looked for among
    /// the variables of the line.
    pub(super) fn find_any(&self, walk: &CommandWalk<'_>, group: &[&str]) -> Option<&'c str> {
        group.iter().copied().find_map(|option| match option_name(option) {
            Some(name) => {
                let given = self.read_args().options.iter().find(|given| self.may_be(given, name))?;
                Some(given.arg.text.as_str())
            }
            None => self.find_word(option).or_else(|| has_variable(walk, option).then_some("")),
        })
    }

    /// Whether one of the options of a group is surely given, and not switched off again.
    pub(super) fn has_surely(&self, walk: &CommandWalk<'_>, group: &[&str]) -> bool {
        let mut is_on = false;
        for given in &self.read_args().options {
            for name in group.iter().copied().filter_map(option_name) {
                let is_same = self.is_option(given, name);
                // Without a row of the program, a letter among others may be a part of a value.
                is_on |= is_same && (given.is_long || self.has_row() || given.arg.text.len() == 2);
                let is_off = given.is_negated && given.name == name || given.name.strip_prefix("no-") == Some(name);
                is_on &= !is_off && (is_same || given.name != name);
            }
        }
        let is_word = |word: &str| self.find_word(word).is_some() || has_variable(walk, word);
        is_on || group.iter().copied().any(|option| option_name(option).is_none() && is_word(option))
    }

    /// Whether a row of the program says which letters take a value.
    fn has_row(&self) -> bool {
        !self.grammar.letters.is_empty() || self.grammar.is_complete()
    }

    /// Whether an option is a letter, `name`, `name=value` or `name=`.
    fn is_option(&self, given_option: &GivenOption<'_>, option: &str) -> bool {
        if option.len() == 1 {
            // What has other marks is a value, as in `-m'a note'`.
            let is_plain = || given_option.arg.text.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric());
            return !given_option.is_long && given_option.name == option && (self.has_row() || is_plain());
        }
        let (name, wanted) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let name = if given_option.is_negated { name.strip_prefix("no-").unwrap_or_default() } else { name };
        if !given_option.is_long || given_option.name != name {
            return false;
        }
        let value = given_option.value.map(|(value, _)| value);
        match wanted {
            None => !matches!(value, Some("false" | "none" | "no" | "0" | "off")),
            Some("") => value.is_some(),
            // A row that names a value says that the option takes one.
            Some(wanted) => value.or_else(|| self.next_text(given_option)) == Some(wanted),
        }
    }

    /// Whether an option is this one, or an abbreviation that may stand for it.
    fn may_be(&self, given_option: &GivenOption<'_>, option: &str) -> bool {
        let (name, wanted) = option.split_once('=').unwrap_or((option, ""));
        let is_short = given_option.name.len() >= if self.grammar.is_complete() { 1 } else { 3 };
        let is_abbreviated = given_option.is_long
            && is_short
            && given_option.name.len() < name.len()
            && name.starts_with(given_option.name);
        let is_known = || self.grammar.is_complete() && self.grammar.has_name(given_option.name);
        self.is_option(given_option, option)
            || is_abbreviated && !given_option.is_negated && wanted.is_empty() && !is_known()
    }

    fn next_text(&self, option: &GivenOption<'_>) -> Option<&'c str> {
        let index = self.call.args.iter().position(|arg| std::ptr::eq(arg, option.arg))?;
        self.call.args.get(index + 1).map(|arg| arg.text.as_str())
    }

    /// An argument that is as it is in a row.
    fn find_word(&self, word: &str) -> Option<&'c str> {
        let is_word = |text: &str| {
            let after = text.strip_prefix(word);
            after.is_some_and(|after| {
                after.is_empty() || word.ends_with('=') || word.starts_with('-') && after.starts_with('=')
            })
        };
        let index = if word.contains('*') {
            let (pattern, other) = word.split_once(" except ").unwrap_or((word, ""));
            let fits = |(text, lower): &(String, String)| {
                (matches_pattern(pattern, text) || matches_pattern(pattern, lower))
                    && (other.is_empty() || !matches_pattern(other, text))
            };
            self.plain().iter().position(fits)
        } else {
            let index = self.call.args.iter().position(|arg| is_word(&arg.text));
            let is_quoted = |arg: &ShellArg| arg.text.bytes().any(|byte| matches!(byte, b'"' | b'\''));
            index.or_else(|| {
                self.call.args.iter().position(|arg| is_quoted(arg) && is_word(&arg.text.replace(['"', '\''], "")))
            })
        };
        index.and_then(|index| self.call.args.get(index)).map(|arg| arg.text.as_str())
    }
}

/// The letter or the name of an option; `None` for other words, and for patterns.
fn option_name(option: &str) -> Option<&str> {
    let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-').filter(|letter| letter.len() == 1))?;
    (!name.is_empty() && !name.contains('*')).then_some(name)
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

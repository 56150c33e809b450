//! Arithmetic: what an expression runs, and its value as far as it is known.
//!
//! The text of an expression is expanded first. Then the shell reads it, and reads the values of its variables as
//! expressions as well; a subscript in any of them is expanded once more, and so may run commands.

use super::{CommandWalk, FAULT, ShellArg, TextFlow, TextTaint};
use crate::paths::UNKNOWN;
use crate::syntax::{BashWord, parse_expression, parse_text};

/// How deep the values of variables are read as expressions.
const MAX_LEVEL: usize = 6;
/// The most subscripts with commands or variables in the values of variables.
const MAX_SUBSCRIPTS: usize = 256;
/// The most parentheses in one another of an expression whose value is worked out.
const MAX_PARENTHESES: usize = 16;

/// Builtins that take names of variables, and those of their options that do so if only these do.
const NAME_TAKERS: [(&str, &[&str]); 15] = [
    ("[", &["-v", "-R"]),
    ("declare", &[]),
    ("export", &[]),
    ("getopts", &[]),
    ("let", &[]),
    ("local", &[]),
    ("mapfile", &[]),
    ("printf", &["-v"]),
    ("read", &[]),
    ("readarray", &[]),
    ("readonly", &[]),
    ("test", &["-v", "-R"]),
    ("typeset", &[]),
    ("unset", &[]),
    ("wait", &[]),
];

/// What a subscript means.
pub(super) enum ElementChoice {
    All,
    /// An element by its number.
    One(usize),
    Unknown,
}

impl CommandWalk<'_> {
    /// The value of an expression before its expansion.
    pub(super) fn evaluate_word(&mut self, bash_word: &BashWord) -> Option<i64> {
        let text = self.expand_quoted(bash_word).text;
        self.evaluate(&text)
    }

    /// Expands a subscript, and works out which element it means.
    pub(super) fn choose_element(&mut self, subscript: &BashWord) -> ElementChoice {
        if subscript.is_all() {
            return ElementChoice::All;
        }
        let value = self.evaluate_word(subscript);
        value.and_then(|value| usize::try_from(value).ok()).map_or(ElementChoice::Unknown, ElementChoice::One)
    }

    /// Runs what an expression runs, and makes its assignments. The value is `None` if it is not known.
    pub(super) fn evaluate(&mut self, text: &str) -> Option<i64> {
        let (target, expression) = split_assignment(text);
        let value = NumberReader { walk: self, rest: expression, depth: 0 }.read_all();
        // A subscript may have an expression that has the same subscript.
        let _nothing = self.called(|walk| {
            walk.run_expression(text, &mut Vec::new(), 0);
            TextFlow::default()
        });
        if let Some(name) = target {
            let number =
                value.map_or_else(|| ShellArg::unknown(TextTaint::NONE), |value| ShellArg::new(value.to_string()));
            self.set_variable(name, vec![number]);
        }
        value
    }

    /// Reads the names and subscripts of an expression.
    fn run_expression(&mut self, text: &str, seen: &mut Vec<String>, level: usize) {
        if level > MAX_LEVEL {
            self.push_unknown("", "the values of its variables are nested too deeply");
            return;
        }
        let mut rest = text;
        let mut before = "";
        while let Some(begin) = rest.find(is_name_begin) {
            before = if begin > 0 { rest.get(..begin).unwrap_or_default() } else { before };
            rest = rest.get(begin..).unwrap_or_default();
            let end = rest.find(|letter: char| !is_name_letter(letter)).unwrap_or(rest.len());
            let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = after;
            // `0x1f`, `16#ff`.
            if before.ends_with(|letter: char| letter.is_ascii_digit() || letter == '#') {
                continue;
            }
            if let Some((subscript, after)) = split_subscript(rest) {
                self.run_subscript(subscript, seen, level);
                rest = after;
            }
            let is_assigned = is_assigned(before, rest);
            if !seen.iter().any(|known| known == name) {
                seen.push(name.to_owned());
                for value in self.variable(name).unwrap_or_default() {
                    if value.text.parse::<i64>().is_err() {
                        self.run_expression(&value.text, seen, level + 1);
                    }
                }
            }
            if is_assigned {
                self.set_variable(name, vec![ShellArg::unknown(TextTaint::NONE)]);
            }
        }
    }

    /// A subscript of a text that is already expanded: its commands run nevertheless.
    pub(super) fn run_subscript(&mut self, text: &str, seen: &mut Vec<String>, level: usize) {
        if matches!(text, "@" | "*") {
            return;
        }
        if !text.contains(['$', '`']) {
            self.run_expression(text, seen, level + 1);
            return;
        }
        self.subscript_count += 1;
        if self.subscript_count > MAX_SUBSCRIPTS {
            self.push_unknown("", "it has more subscripts than can be looked at");
            return;
        }
        match parse_expression(text, self.grammar) {
            Ok(word) => {
                let expanded = self.expand_quoted(&word).text;
                self.run_expression(&expanded, seen, level + 1);
            }
            Err(fault) => self.push_unknown("", format!("{FAULT}: {fault}")),
        }
    }

    /// Reads the name of a variable that a command is given: `NAME[SUBSCRIPT]`.
    pub(super) fn run_reference(&mut self, text: &str) {
        let end = text.find(|letter: char| !is_name_letter(letter)).unwrap_or(text.len());
        if end > 0
            && let Some((subscript, _)) = text.get(end..).and_then(split_subscript)
        {
            self.run_subscript(subscript, &mut Vec::new(), 0);
        }
    }

    /// Reads the names that a builtin is given. Some of them give programs other names.
    pub(crate) fn run_references(&mut self, name: &str, args: &[ShellArg]) {
        let Some((_, options)) = NAME_TAKERS.iter().find(|(known, _)| *known == name) else { return };
        for arg in args {
            self.check_command_table(&arg.text);
        }
        let letters: String = args.iter().map(|arg| arg.text.as_str()).filter(|text| text.starts_with('-')).collect();
        let declares = !matches!(name, "[" | "getopts" | "mapfile" | "printf" | "read" | "test" | "unset" | "wait");
        let (is_integer, is_reference) = (letters.contains('i'), letters.contains('n'));
        for (index, arg) in args.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| args.get(before)).map(|arg| arg.text.as_str());
            let attached = options.iter().find_map(|option| arg.text.strip_prefix(option));
            match attached {
                Some(reference) => self.run_reference(reference),
                None if !options.is_empty() && !before.is_some_and(|before| options.contains(&before)) => continue,
                None if name == "let" => drop(self.evaluate(&arg.text)),
                None => self.run_reference(&arg.text),
            }
            if declares && !arg.text.starts_with('-') {
                let (target, value) = arg.text.split_once('=').unwrap_or((&arg.text, ""));
                let name = target.trim_end_matches('+').split('[').next().unwrap_or_default();
                if letters.contains('A') {
                    self.note_table(name);
                }
                if is_integer {
                    self.integers.insert(name.to_owned());
                    let _number = self.evaluate(value);
                }
                if is_reference {
                    self.run_reference(value);
                }
                if value.starts_with('(') && value.contains(['$', '`', '[']) {
                    self.run_declared_array(target, value);
                }
            }
        }
    }

    /// `declare 'NAME=(VALUES)'`: the values are expanded once more.
    fn run_declared_array(&mut self, name: &str, value: &str) {
        let name = name.split('[').next().unwrap_or_default();
        self.run_own_line(&format!("{name}={value}"), &TextFlow::default());
    }

    /// The words of `[[ … ]]`: those that are expressions or names are read as such.
    pub(super) fn run_test(&mut self, words: &[BashWord]) {
        let mut before = None;
        for word in words {
            let operator = word.as_literal();
            let text = self.expand_quoted(word).text;
            let is_numeric = |text: &str| matches!(text, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
            match &before {
                Some((true, left)) => {
                    let left: &String = left;
                    if operator.is_some_and(is_numeric) {
                        let _number = self.evaluate(left);
                    }
                }
                Some((false, option)) if is_numeric(option) => drop(self.evaluate(&text)),
                Some((false, option)) if matches!(option.as_str(), "-v" | "-R") => self.run_reference(&text),
                _ => {}
            }
            let is_operand = operator.is_none_or(|text| !text.starts_with('-'));
            before = Some((is_operand, text));
        }
    }

    /// The text of a prompt: what it has of commands runs whenever it is shown.
    pub(super) fn run_prompt(&mut self, text: &ShellArg) {
        // bash reads escapes first, of which one depends on the user. Nobody writes the mark of a command as a number.
        let shown = &text.text;
        if shown.contains("\\044") || shown.contains("\\140") {
            self.push_code(TextTaint::NONE, "bash", "what its prompt runs is not known");
        }
        let [without, with] = [shown.replace("\\$", "#"), shown.replace("\\$", "$")];
        for shown in [Some(&without).filter(|without| **without != with), Some(&with)].into_iter().flatten() {
            if text.is_known() && shown.contains(['$', '`']) {
                // A prompt may show itself: `P='${P@P}'`.
                let _shown = self.called(|walk| {
                    walk.expand_quoted(&parse_text(shown, walk.grammar));
                    TextFlow::default()
                });
            }
        }
    }
}

fn is_name_begin(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_'
}

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The text of a subscript and what follows it.
pub(super) fn split_subscript(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let mut open = 0_usize;
    let end = inner.find(|letter| {
        match letter {
            '[' => open += 1,
            ']' if open == 0 => return true,
            ']' => open -= 1,
            _ => {}
        }
        false
    });
    // A subscript without an end has all that follows.
    let end = end.unwrap_or(inner.len());
    Some((inner.get(..end)?, inner.get(end + 1..).unwrap_or_default()))
}

/// Whether a name is assigned to, by what is in front of it and behind it.
fn is_assigned(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    let signs = after.len() - after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']).len();
    let (operator, rest) = after.split_at_checked(signs).unwrap_or_default();
    let is_changed = |text: &str| matches!(text, "++" | "--");
    let before = before.trim_end();
    is_changed(operator)
        || before.ends_with("++")
        || before.ends_with("--")
        || !matches!(operator, "<" | ">") && rest.starts_with('=') && !rest.starts_with("==")
}

/// `NAME = EXPRESSION` as a whole: the name and the expression.
fn split_assignment(text: &str) -> (Option<&str>, &str) {
    let split = text.split_once('=').filter(|(name, value)| {
        let name = name.trim();
        !value.starts_with('=') && name.starts_with(is_name_begin) && name.chars().all(is_name_letter)
    });
    split.map_or((None, text), |(name, value)| (Some(name.trim()), value))
}

/// Works out an expression of numbers, variables that are numbers, and the four rules of arithmetic.
struct NumberReader<'w, 's, 't> {
    walk: &'w CommandWalk<'s>,
    rest: &'t str,
    depth: usize,
}

impl NumberReader<'_, '_, '_> {
    fn read_all(&mut self) -> Option<i64> {
        if self.rest.contains(UNKNOWN) {
            return None;
        }
        let value = if self.rest.trim().is_empty() { 0 } else { self.read_sum()? };
        self.rest.trim().is_empty().then_some(value)
    }

    fn take(&mut self, letters: &[char]) -> Option<char> {
        let rest = self.rest.trim_start();
        let letter = rest.chars().next().filter(|letter| letters.contains(letter))?;
        self.rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        Some(letter)
    }

    fn read_sum(&mut self) -> Option<i64> {
        let mut value = self.read_product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let other = self.read_product()?;
            value = if sign == '+' { value.checked_add(other)? } else { value.checked_sub(other)? };
        }
        Some(value)
    }

    fn read_product(&mut self) -> Option<i64> {
        let mut value = self.read_number()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let other = self.read_number()?;
            value = match sign {
                '*' => value.checked_mul(other)?,
                '/' => value.checked_div(other)?,
                _ => value.checked_rem(other)?,
            };
        }
        Some(value)
    }

    fn read_number(&mut self) -> Option<i64> {
        if let Some(sign) = self.take(&['(', '-', '+']) {
            self.depth += 1;
            if self.depth > MAX_PARENTHESES {
                return None;
            }
            let value = if sign == '(' { self.read_sum()? } else { self.read_number()? };
            self.depth -= 1;
            return match sign {
                '(' => self.take(&[')']).map(|_| value),
                '-' => value.checked_neg(),
                _ => Some(value),
            };
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|letter: char| !is_name_letter(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end)?;
        self.rest = after;
        if after.starts_with(['[', '#']) {
            return None;
        }
        if !word.starts_with(is_name_begin) {
            return number_of(word);
        }
        // A loop may change it.
        let name = self.walk.referred_name(word);
        let value =
            self.walk.state.variables.get(name).filter(|_| !self.walk.is_in_loop() && self.walk.is_ordered(name))?;
        if value.iter().all(|value| value.text.is_empty()) { Some(0) } else { number_of(value.first()?.text.trim()) }
    }
}

/// A number as the shell writes it: decimal, octal or hexadecimal.
fn number_of(text: &str) -> Option<i64> {
    let radix =
        |prefix: &str, radix: u32| text.strip_prefix(prefix).map(|digits| i64::from_str_radix(digits, radix).ok());
    let digits = || text.parse().ok();
    radix("0x", 16)
        .or_else(|| radix("0X", 16))
        .or_else(|| radix("0", 8).filter(|_| text.len() > 1))
        .unwrap_or_else(digits)
}

//! The calls of functions in code, with the texts that they get.

use std::collections::HashMap;

use super::tokens::{CodeToken, FILLED_BEGIN, FILLED_END};
use super::value::{CodeValue, is_condition, module_name};
use super::words::CodeWords;
use crate::paths::UNKNOWN;

/// A call of a function.
#[derive(Debug, Default, Clone)]
pub(super) struct CodeCall {
    /// Its name with what is in front of it; `).NAME` for a method of the result of another call.
    pub(super) name: String,
    /// The texts among its arguments, and those of what it is a method of.
    pub(super) texts: Vec<String>,
    /// The names among its arguments, such as those of options.
    pub(super) names: Vec<String>,
    pub(super) numbers: Vec<String>,
    /// Whether an argument is not known.
    pub(super) has_unknown: bool,
    /// Whether a decoder had to do with an argument.
    pub(super) is_decoded: bool,
    /// Whether its first argument is a list.
    pub(super) is_list: bool,
    /// Whether it is a command line behind a `|`, which gets the output of the code.
    pub(super) is_piped: bool,
    /// Whether its result is only tested: `if os.getenv(NAME) else`.
    pub(super) is_tested: bool,
}

/// The deepest nesting of brackets.
pub(super) const MAX_DEPTH: usize = 14;
/// The most expressions that are read.
const MAX_EXPRESSIONS: usize = 6_000;
/// The most texts of a call.
const MAX_TEXTS: usize = 64;

/// What is read of code.
pub(super) struct CodeReading {
    pub(super) calls: Vec<CodeCall>,
    /// Whether some calls depend on a condition.
    pub(super) has_condition: bool,
    /// Whether a part was nested too deeply, or too long, to be read.
    pub(super) is_cut: bool,
}

/// Reads the calls, inner ones first.
pub(super) fn read_calls(tokens: &[CodeToken], language: &str) -> CodeReading {
    let mut reader = CallReader {
        tokens,
        variables: HashMap::new(),
        aliases: HashMap::new(),
        listed: None,
        calls: Vec::new(),
        has_condition: false,
        is_cut: false,
        assignment_depth: 0,
        expression_count: 0,
        can_omit_brackets: " perl ruby irb php lua luajit awk gawk mawk nawk elisp tclsh python2 groovy \
                              rake guile gnuplot octave "
            .contains(&format!(" {language} ")),
        joins_with_slash: language.starts_with("py") || language == "ipython",
        joins_neighbours: language.ends_with("awk"),
    };
    let mut index = 0;
    while index < tokens.len() {
        index = reader.read_expression(index, 0).1.max(index + 1);
    }
    CodeReading { calls: reader.calls, has_condition: reader.has_condition, is_cut: reader.is_cut }
}

pub(super) struct CallReader<'t> {
    pub(super) tokens: &'t [CodeToken],
    pub(super) variables: HashMap<String, CodeValue>,
    /// Names that stand for functions and modules: `rm = os.remove`, `import os as o`.
    pub(super) aliases: HashMap<String, String>,
    /// The files that were listed last.
    pub(super) listed: Option<CodeValue>,
    pub(super) calls: Vec<CodeCall>,
    pub(super) has_condition: bool,
    pub(super) is_cut: bool,
    pub(super) assignment_depth: usize,
    expression_count: usize,
    pub(super) can_omit_brackets: bool,
    /// Whether `/` joins paths.
    pub(super) joins_with_slash: bool,
    /// Whether values next to each other are one text.
    joins_neighbours: bool,
}

impl CallReader<'_> {
    pub(super) fn token_at(&self, index: usize) -> Option<&CodeToken> {
        self.tokens.get(index)
    }

    pub(super) fn is_mark(&self, index: usize, mark: char) -> bool {
        self.token_at(index) == Some(&CodeToken::Mark(mark))
    }

    pub(super) fn name_at(&self, index: usize) -> Option<&str> {
        match self.token_at(index) {
            Some(CodeToken::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn push_text_call(&mut self, name: &str, text: String, is_piped: bool) {
        self.calls.push(CodeCall { name: name.to_owned(), texts: vec![text], is_piped, ..CodeCall::default() });
    }

    /// A call with the text behind a `<` or `>`.
    fn push_named_file(&mut self, name: &str, index: usize) {
        if let Some(CodeToken::Text(file)) = self.token_at(index) {
            self.push_text_call(name, self.fill(file), false);
        }
    }

    /// A call with the text that an expression gives, and the index behind that.
    fn push_joined(&mut self, name: &str, is_piped: bool, index: usize, depth: usize) -> usize {
        let (value, next) = self.read_expression(index, depth + 1);
        value.texts.into_iter().take(1).for_each(|text| self.push_text_call(name, text, is_piped));
        next.max(index)
    }

    /// A text with its variables filled in as far as they are known.
    fn fill(&self, text: &str) -> String {
        if !text.contains(FILLED_BEGIN) {
            return text.to_owned();
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once(FILLED_BEGIN) {
            filled.push_str(before);
            let (name, after) = behind.split_once(FILLED_END).unwrap_or((behind, ""));
            let value = self.variables.get(name.trim()).filter(|value| value.texts.len() == 1 && !value.has_unknown);
            let is_home =
                ["HOME", "homedir", "home()", "Dir.home", "USERPROFILE"].iter().any(|word| name.contains(word));
            match value.and_then(|value| value.texts.first()) {
                Some(text) => filled.push_str(text),
                None if is_home => filled.push('~'),
                None => filled.push(UNKNOWN),
            }
            rest = after;
        }
        filled + rest
    }

    /// Reads one expression up to a separator, and gives the index behind it.
    pub(super) fn read_expression(&mut self, mut index: usize, depth: usize) -> (CodeValue, usize) {
        let mut value = CodeValue::default();
        let mut between: Option<&str> = None;
        let begin = index;
        self.expression_count += 1;
        if depth >= MAX_DEPTH || self.expression_count > MAX_EXPRESSIONS {
            self.is_cut = true;
            return (CodeValue::unknown(), if depth == 0 { self.tokens.len() } else { index + 1 });
        }
        while let Some(token) = self.token_at(index) {
            match token.clone() {
                CodeToken::Mark(',' | ';' | ')' | ']' | '}' | ':') => break,
                CodeToken::Mark('+' | '.') => {
                    between = Some("");
                    index += 1;
                    continue;
                }
                CodeToken::Mark('/') if self.joins_with_slash && (value.is_path || value.has_unknown) => {
                    between = Some("/");
                    index += 1;
                    continue;
                }
                CodeToken::Text(text) => {
                    let text = self.fill(&text);
                    index = self.read_text(text, begin, index, &mut value, between);
                    index = self.read_methods(index, &mut value, depth);
                }
                CodeToken::Command(text) => {
                    let text = self.fill(&text);
                    self.push_text_call("os.system", text, false);
                    value.join(CodeValue::unknown(), between);
                    index += 1;
                }
                CodeToken::Number(_) => index += 1,
                // `with open(…) as f`, `except X as e`.
                CodeToken::Name(name) if name == "as" && index > begin => {
                    if let Some(bound) = self.name_at(index + 1).map(str::to_owned) {
                        self.variables.insert(bound, value.clone());
                        index += 1;
                    }
                    index += 1;
                }
                CodeToken::Name(name) => {
                    let before = self.calls.len();
                    let (read, next) = self.read_name(&name, index, depth);
                    let is_tested = self.is_tested(index, next);
                    if let Some(call) = self.calls.get_mut(before..).and_then(<[_]>::last_mut) {
                        call.is_tested = is_tested;
                    }
                    value.join(read, between);
                    index = next.max(index + 1);
                }
                CodeToken::Mark(mark @ ('(' | '[' | '{')) => {
                    if depth >= MAX_DEPTH {
                        value.has_unknown = true;
                        index += 1;
                        continue;
                    }
                    let (inner, _, next) = self.read_list(index, depth + 1);
                    let is_call_of_value = mark == '(' && self.is_mark(begin.max(1) - 1, ')');
                    let between = between.or(is_call_of_value.then_some(""));
                    value.join(CodeValue { is_list: mark == '[', ..inner }, between);
                    index = self.read_methods(next, &mut value, depth);
                }
                CodeToken::Mark('>') if self.can_omit_brackets => {
                    index += 1;
                    while self.is_mark(index, '>') {
                        index += 1;
                    }
                    if self.joins_neighbours {
                        index = self.push_joined("file_put_contents", false, index, depth);
                        continue;
                    }
                    self.push_named_file("file_put_contents", index);
                }
                CodeToken::Mark('<') if self.can_omit_brackets => {
                    index += 1;
                    self.push_named_file("file_get_contents", index);
                }
                CodeToken::Mark('|') if self.can_omit_brackets => {
                    index += 1;
                    index += usize::from(self.is_mark(index, '&'));
                    if self.joins_neighbours {
                        index = self.push_joined("os.system", true, index, depth);
                        continue;
                    }
                    match (self.token_at(index), self.name_at(index).map(str::to_owned)) {
                        (Some(CodeToken::Text(line)), _) => {
                            let line = self.fill(line);
                            self.push_text_call("os.system", line, true);
                        }
                        (_, Some(name)) => index = self.bind_block(name, index),
                        _ => {}
                    }
                }
                CodeToken::Mark(_) => index += 1,
            }
            between = self.joins_neighbours.then_some("");
        }
        (value, index)
    }

    /// `{ |file| … }`: the name stands for what is listed.
    fn bind_block(&mut self, name: String, index: usize) -> usize {
        if !self.is_mark(index + 1, '|') {
            return index;
        }
        if let Some(listed) = self.listed.clone() {
            self.variables.insert(name, listed);
        }
        index + 2
    }

    /// A text, and whether it is a command line next to a `|`.
    fn read_text(
        &mut self,
        text: String,
        begin: usize,
        index: usize,
        value: &mut CodeValue,
        between: Option<&str>,
    ) -> usize {
        let is_behind = self.is_mark(begin.max(1) - 1, '|');
        if self.can_omit_brackets && (is_behind || self.is_mark(index + 1, '|')) {
            self.push_text_call("os.system", text.clone(), is_behind);
        }
        value.join(CodeValue::text(text), between);
        index + 1
    }

    /// What is in brackets: the value of all, the call that it would be, and the index behind.
    pub(super) fn read_list(&mut self, open: usize, depth: usize) -> (CodeValue, CodeCall, usize) {
        let mut index = open + 1;
        let mut value = CodeValue::default();
        let mut call = CodeCall::default();
        let mut sign = "";
        if let Some(begin) = self.comprehension(open) {
            self.read_loop(begin, depth);
        }
        while let Some(token) = self.tokens.get(index) {
            match token {
                CodeToken::Mark(')' | ']' | '}') => {
                    index += 1;
                    break;
                }
                CodeToken::Mark('|') if self.name_at(index + 1).is_some() && self.is_mark(index + 2, '|') => {
                    let name = self.name_at(index + 1).map(str::to_owned).unwrap_or_default();
                    index = self.bind_block(name, index + 1);
                }
                // What an option of a program's call says is not an argument of the program.
                CodeToken::Name(name) if self.is_mark(index + 1, '=') && CodeWords::CallOptions.has(name) => {
                    call.names.push(name.clone());
                    index = self.read_expression(index + 2, depth).1.max(index + 2);
                }
                CodeToken::Mark(mark) if !matches!(mark, '(' | '[' | '{' | '+' | '.' | '<') => {
                    sign = if *mark == '-' { "-" } else { "" };
                    // A field of awk.
                    value.has_unknown |= *mark == '$';
                    index += 1;
                }
                token => {
                    match token {
                        CodeToken::Name(name) => {
                            self.note_destructured(name, index);
                            self.has_condition |= is_condition(name);
                            call.names.push(name.clone());
                        }
                        CodeToken::Number(number) => call.numbers.push(format!("{sign}{number}")),
                        _ => {}
                    }
                    sign = "";
                    let is_first = value.texts.is_empty();
                    let (mut read, next) = self.read_expression(index, depth);
                    read.is_list &= is_first;
                    read.has_unknown &= read.texts.is_empty();
                    if value.texts.len() >= MAX_TEXTS {
                        read.texts.clear();
                    }
                    value.join(read, None);
                    index = next.max(index + 1);
                }
            }
        }
        (value, call, index)
    }

    /// Whether a name gives a module, and which.
    pub(super) fn module_of(&self, called: &str, texts: &[String]) -> Option<String> {
        if !CodeWords::ModuleFunctions.has(called) {
            return None;
        }
        texts.first().filter(|text| !text.contains(UNKNOWN)).map(|text| module_name(text))
    }
}

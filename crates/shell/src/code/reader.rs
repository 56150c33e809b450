//! The calls of functions in code, with the texts that they get.

use std::collections::HashMap;

use super::tokens::CodeToken;
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
    /// Whether its first argument is a list.
    pub(super) is_list: bool,
}

/// The deepest nesting of brackets.
const MAX_DEPTH: usize = 64;
/// The most texts of a call.
const MAX_TEXTS: usize = 64;

/// Reads the calls, inner ones first.
pub(super) fn read_calls(tokens: &[CodeToken], language: &str) -> Vec<CodeCall> {
    let mut reader = CallReader {
        tokens,
        variables: HashMap::new(),
        aliases: HashMap::new(),
        calls: Vec::new(),
        can_omit_brackets: can_omit_brackets(language),
    };
    let mut index = 0;
    while index < tokens.len() {
        index = reader.read_expression(index, 0).1.max(index + 1);
    }
    reader.calls
}

fn can_omit_brackets(language: &str) -> bool {
    matches!(
        language,
        "perl"
            | "ruby"
            | "irb"
            | "php"
            | "lua"
            | "luajit"
            | "awk"
            | "gawk"
            | "mawk"
            | "nawk"
            | "elisp"
            | "tclsh"
            | "python2"
            | "groovy"
    )
}

/// What is known of an expression.
#[derive(Debug, Default, Clone)]
struct CodeValue {
    texts: Vec<String>,
    has_unknown: bool,
    is_list: bool,
}

struct CallReader<'t> {
    tokens: &'t [CodeToken],
    variables: HashMap<String, CodeValue>,
    /// Names that stand for functions: `rm = os.remove`.
    aliases: HashMap<String, String>,
    calls: Vec<CodeCall>,
    can_omit_brackets: bool,
}

impl CallReader<'_> {
    fn at(&self, index: usize) -> Option<&CodeToken> {
        self.tokens.get(index)
    }

    fn is_mark(&self, index: usize, mark: char) -> bool {
        self.at(index) == Some(&CodeToken::Mark(mark))
    }

    /// Reads one expression up to a separator, and gives the index behind it.
    fn read_expression(&mut self, mut index: usize, depth: usize) -> (CodeValue, usize) {
        let mut value = CodeValue::default();
        let mut joins = false;
        let begin = index;
        while let Some(token) = self.at(index) {
            match token.clone() {
                CodeToken::Mark(',' | ';' | ')' | ']' | '}' | ':') => break,
                CodeToken::Mark('+' | '.') => {
                    joins = true;
                    index += 1;
                    continue;
                }
                CodeToken::Text(text) => {
                    join(&mut value, CodeValue { texts: vec![text.clone()], ..CodeValue::default() }, joins);
                    index += 1;
                    // `"x".unlink` and `'a'['b'](…)` are rare; `'-'.join([...])` is a text that is put together.
                    if self.is_mark(index, '.')
                        && matches!(self.at(index + 1), Some(CodeToken::Name(name)) if name.starts_with("join") || name.starts_with("format") || name.starts_with("replace"))
                    {
                        value.has_unknown = true;
                        value.texts = vec![UNKNOWN.to_string()];
                    }
                    // `print > "file"`, `"cmd" | getline`.
                    if self.is_mark(begin.max(1) - 1, '|') || self.is_mark(index, '|') && self.can_omit_brackets {
                        self.calls.push(CodeCall {
                            name: String::from("system"),
                            texts: vec![text],
                            ..CodeCall::default()
                        });
                    }
                }
                CodeToken::Command(text) => {
                    self.calls.push(CodeCall {
                        name: String::from("os.system"),
                        texts: vec![text],
                        ..CodeCall::default()
                    });
                    join(&mut value, CodeValue { has_unknown: true, ..CodeValue::default() }, joins);
                    index += 1;
                }
                CodeToken::Number(_) => index += 1,
                CodeToken::Name(name) => {
                    let (read, next) = self.read_name(&name, index, depth);
                    join(&mut value, read, joins);
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
                    join(&mut value, CodeValue { is_list: mark == '[', ..inner }, joins || is_call_of_value);
                    index = self.read_methods(next, &mut value, depth);
                }
                CodeToken::Mark('>') if self.can_omit_brackets => {
                    index += 1;
                    while self.is_mark(index, '>') {
                        index += 1;
                    }
                    if let Some(CodeToken::Text(file)) = self.at(index) {
                        let texts = vec![file.clone()];
                        self.calls.push(CodeCall {
                            name: String::from("file_put_contents"),
                            texts,
                            ..CodeCall::default()
                        });
                    }
                }
                CodeToken::Mark('|') if self.can_omit_brackets => {
                    index += 1;
                    if let Some(CodeToken::Text(line)) = self.at(index) {
                        let texts = vec![line.clone()];
                        self.calls.push(CodeCall { name: String::from("os.system"), texts, ..CodeCall::default() });
                    }
                }
                CodeToken::Mark(_) => index += 1,
            }
            joins = false;
        }
        (value, index)
    }

    /// A name: an assignment, a call, a variable.
    fn read_name(&mut self, name: &str, index: usize, depth: usize) -> (CodeValue, usize) {
        let next = index + 1;
        let is_assigned = self.is_mark(next, '=') && !self.is_mark(next + 1, '=') && !self.is_mark(next + 1, '>');
        if is_assigned && depth == 0 {
            if let (Some(CodeToken::Name(target)), Some(CodeToken::Mark(';') | CodeToken::Mark(')')) | None) =
                (self.at(next + 1), self.at(next + 2))
            {
                self.aliases.insert(name.to_owned(), target.clone());
            }
            let (value, after) = self.read_expression(next + 1, depth);
            self.variables.insert(name.to_owned(), value.clone());
            return (value, after);
        }
        if is_assigned {
            // An option of a call: `shell=True`.
            let (value, after) = self.read_expression(next + 1, depth);
            return (value, after);
        }
        let called = self.aliases.get(name).cloned().unwrap_or_else(|| self.expand_name(name));
        if self.is_mark(next, '(') && depth < MAX_DEPTH {
            let (inner, call, after) = self.read_list(next, depth + 1);
            let receiver = self.receiver(name);
            let mut texts = receiver.texts.clone();
            texts.extend(inner.texts.clone());
            let is_list = inner.is_list;
            self.calls.push(CodeCall {
                name: called.clone(),
                texts: texts.clone(),
                has_unknown: inner.has_unknown || receiver.has_unknown,
                is_list,
                ..call
            });
            let mut value =
                CodeValue { texts: pass_through(&called, &texts), has_unknown: inner.has_unknown, is_list: false };
            if !keeps_text(&called) {
                value.has_unknown = true;
                if !makes_path(&called) {
                    value.texts.clear();
                }
            }
            let after = self.read_methods(after, &mut value, depth);
            return (value, after);
        }
        if self.is_mark(next, '[') && depth < MAX_DEPTH {
            let (inner, _, after) = self.read_list(next, depth + 1);
            if is_environment(name) {
                self.calls.push(CodeCall { name: name.to_owned(), texts: inner.texts.clone(), ..CodeCall::default() });
                return (CodeValue { has_unknown: true, ..CodeValue::default() }, after);
            }
            if self.is_mark(after, '(') {
                let (args, call, end) = self.read_list(after, depth + 1);
                let method = inner.texts.first().cloned().unwrap_or_else(|| String::from("getattr"));
                let method =
                    if inner.has_unknown || method.contains(UNKNOWN) { String::from("getattr") } else { method };
                self.calls.push(CodeCall {
                    name: format!("{name}.{method}"),
                    texts: args.texts,
                    has_unknown: args.has_unknown,
                    is_list: args.is_list,
                    ..call
                });
                return (CodeValue { has_unknown: true, ..CodeValue::default() }, end);
            }
            return (CodeValue { has_unknown: true, ..self.variables.get(name).cloned().unwrap_or_default() }, after);
        }
        if is_environment(name) || name.starts_with("process.env.") {
            let texts = name.strip_prefix("process.env.").map(str::to_owned).into_iter().collect();
            self.calls.push(CodeCall { name: String::from("process.env"), texts, ..CodeCall::default() });
            return (CodeValue { has_unknown: true, ..CodeValue::default() }, next);
        }
        // A call without brackets: `unlink "x"`, `system 'rm'`.
        if self.can_omit_brackets
            && matches!(self.at(next), Some(CodeToken::Text(_) | CodeToken::Name(_)))
            && depth < MAX_DEPTH
            && !name.starts_with(['$', '@', '%'])
        {
            let mut call = CodeCall { name: called, ..CodeCall::default() };
            let mut at = next;
            loop {
                let (value, after) = self.read_expression(at, depth + 1);
                call.has_unknown |= value.has_unknown;
                call.texts.extend(value.texts);
                at = after.max(at + 1);
                if !self.is_mark(after, ',') {
                    at = after;
                    break;
                }
            }
            self.calls.push(call);
            return (CodeValue { has_unknown: true, ..CodeValue::default() }, at);
        }
        match self.variables.get(name) {
            Some(value) => (value.clone(), next),
            // A word of the language, or an option.
            None if is_word(name) => (CodeValue::default(), next),
            None => (CodeValue { has_unknown: true, ..CodeValue::default() }, next),
        }
    }

    /// The full name of a function that was imported under another one.
    fn expand_name(&self, name: &str) -> String {
        match name.split_once('.') {
            Some((first, rest)) => match self.aliases.get(first) {
                Some(module) if module != name => format!("{module}.{rest}"),
                _ => name.to_owned(),
            },
            None => name.to_owned(),
        }
    }

    /// What a method is called on: `p.unlink()` after `p = Path("x")`.
    fn receiver(&self, name: &str) -> CodeValue {
        name.rsplit_once('.').and_then(|(object, _)| self.variables.get(object)).cloned().unwrap_or_default()
    }

    /// The methods that are called on a value: `.unlink()`, `.read_text()`, `['x']()`.
    fn read_methods(&mut self, mut index: usize, value: &mut CodeValue, depth: usize) -> usize {
        loop {
            // `?.` and `.` in front of a name; the reader joins a name with dots inside.
            let name = match (self.at(index), self.at(index + 1)) {
                (Some(CodeToken::Mark('.')), Some(CodeToken::Name(name))) => Some((name.clone(), index + 2)),
                (Some(CodeToken::Mark('-')), Some(CodeToken::Mark('>'))) => match self.at(index + 2) {
                    Some(CodeToken::Name(name)) => Some((name.clone(), index + 3)),
                    _ => None,
                },
                _ => None,
            };
            if let Some((name, after)) = name {
                if self.is_mark(after, '(') && depth < MAX_DEPTH {
                    let (inner, call, end) = self.read_list(after, depth + 1);
                    let mut texts = value.texts.clone();
                    texts.extend(inner.texts.clone());
                    let has_unknown = inner.has_unknown || value.has_unknown && value.texts.is_empty();
                    self.calls.push(CodeCall {
                        name: format!(").{name}"),
                        texts,
                        has_unknown,
                        is_list: inner.is_list,
                        ..call
                    });
                    value.has_unknown = true;
                    index = end;
                } else {
                    index = after;
                }
                continue;
            }
            if self.is_mark(index, '[')
                && matches!(self.at(index + 1), Some(CodeToken::Text(_) | CodeToken::Name(_)))
                && depth < MAX_DEPTH
            {
                let (inner, _, end) = self.read_list(index, depth + 1);
                if self.is_mark(end, '(') {
                    let (args, call, after) = self.read_list(end, depth + 1);
                    let method = match inner.texts.first() {
                        Some(method) if !inner.has_unknown && !method.contains(UNKNOWN) => method.clone(),
                        _ => String::from("getattr"),
                    };
                    self.calls.push(CodeCall {
                        name: format!(").{method}"),
                        texts: args.texts,
                        has_unknown: args.has_unknown,
                        is_list: args.is_list,
                        ..call
                    });
                    index = after;
                    continue;
                }
                index = end;
                continue;
            }
            if self.is_mark(index, '(') && depth < MAX_DEPTH {
                // The result of a call is called: `getattr(os, "system")("…")`.
                let (args, call, after) = self.read_list(index, depth + 1);
                let method = value.texts.last().filter(|name| !name.contains([' ', UNKNOWN, '/'])).cloned();
                let name = method.map_or_else(|| String::from("getattr"), |method| format!(").{method}"));
                self.calls.push(CodeCall { name, texts: args.texts, has_unknown: args.has_unknown, ..call });
                index = after;
                continue;
            }
            return index;
        }
    }

    /// What is in brackets: the value of all, the call that it would be, and the index behind.
    fn read_list(&mut self, open: usize, depth: usize) -> (CodeValue, CodeCall, usize) {
        let mut index = open + 1;
        let mut value = CodeValue::default();
        let mut call = CodeCall::default();
        while let Some(token) = self.at(index) {
            match token {
                CodeToken::Mark(')' | ']' | '}') => {
                    index += 1;
                    break;
                }
                CodeToken::Mark(_) if !matches!(token, CodeToken::Mark('(' | '[' | '{' | '+' | '.')) => index += 1,
                token => {
                    match token {
                        CodeToken::Name(name) => call.names.push(name.clone()),
                        CodeToken::Number(number) => call.numbers.push(number.clone()),
                        _ => {}
                    }
                    let is_first = value.texts.is_empty();
                    let (read, next) = self.read_expression(index, depth);
                    value.is_list |= is_first && read.is_list;
                    value.has_unknown |= read.has_unknown && read.texts.is_empty();
                    if value.texts.len() < MAX_TEXTS {
                        value.texts.extend(read.texts);
                    }
                    index = next.max(index + 1);
                }
            }
        }
        (value, call, index)
    }
}

/// Adds a part of an expression: joined to the text before, or beside it.
fn join(value: &mut CodeValue, part: CodeValue, joins: bool) {
    value.has_unknown |= part.has_unknown;
    value.is_list |= part.is_list;
    match (joins, value.texts.last_mut()) {
        (true, Some(last)) => {
            match part.texts.first() {
                Some(text) if last.len() + text.len() < 4096 => last.push_str(text),
                Some(_) | None => last.push(UNKNOWN),
            }
            value.texts.extend(part.texts.into_iter().skip(1));
        }
        (true, None) if value.has_unknown && !part.texts.is_empty() => {
            let mut texts = part.texts.into_iter();
            value.texts.extend(texts.next().map(|text| format!("{UNKNOWN}{text}")));
            value.texts.extend(texts);
        }
        _ => value.texts.extend(part.texts),
    }
}

fn is_environment(name: &str) -> bool {
    matches!(
        name,
        "os.environ"
            | "process.env"
            | "ENV"
            | "environ"
            | "$ENV"
            | "%ENV"
            | "$_ENV"
            | "$_SERVER"
            | "Bun.env"
            | "ENVIRON"
    )
}

fn makes_path(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or_default();
    matches!(
        last,
        "Path"
            | "File"
            | "PosixPath"
            | "PurePath"
            | "Pathname"
            | "new"
            | "URL"
            | "open"
            | "getattr"
            | "require"
            | "__import__"
    )
}

/// Functions whose result is the text that they get.
fn keeps_text(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or_default();
    matches!(
        last,
        "Path"
            | "str"
            | "String"
            | "expanduser"
            | "resolve"
            | "abspath"
            | "realpath"
            | "normpath"
            | "expandvars"
            | "join"
            | "expand_path"
            | "fspath"
            | "File"
            | "Pathname"
            | "bytes"
            | "shlex.split"
            | "split"
            | "homedir"
            | "home"
            | "cwd"
            | "getcwd"
            | "gettempdir"
            | "strip"
            | "trim"
            | "encode"
    )
}

/// The texts of a function that keeps them: paths that it joins are one.
fn pass_through(name: &str, texts: &[String]) -> Vec<String> {
    let last = name.rsplit(['.', ':']).next().unwrap_or_default();
    match last {
        "homedir" | "home" => vec![String::from("~")],
        "cwd" | "getcwd" => vec![String::from(".")],
        "gettempdir" => vec![String::from("/tmp")],
        "join" | "resolve" if texts.len() > 1 => {
            let joined = texts.iter().fold(String::new(), |path, text| {
                if path.is_empty() || text.starts_with('/') {
                    text.clone()
                } else {
                    format!("{}/{text}", path.trim_end_matches('/'))
                }
            });
            vec![joined]
        }
        "split" => texts.first().map(|text| text.split_whitespace().map(str::to_owned).collect()).unwrap_or_default(),
        _ => texts.to_vec(),
    }
}

/// Words that hold nothing.
fn is_word(name: &str) -> bool {
    matches!(
        name,
        "import"
            | "from"
            | "as"
            | "const"
            | "let"
            | "var"
            | "new"
            | "await"
            | "async"
            | "return"
            | "for"
            | "in"
            | "of"
            | "if"
            | "else"
            | "while"
            | "try"
            | "except"
            | "catch"
            | "finally"
            | "with"
            | "def"
            | "function"
            | "class"
            | "lambda"
            | "not"
            | "and"
            | "or"
            | "is"
            | "True"
            | "False"
            | "None"
            | "true"
            | "false"
            | "null"
            | "undefined"
            | "nil"
            | "pass"
            | "raise"
            | "throw"
            | "my"
            | "our"
            | "use"
            | "require"
            | "puts"
            | "do"
            | "end"
            | "then"
            | "print"
            | "BEGIN"
            | "END"
            | "switch"
            | "case"
            | "default"
            | "shell"
            | "check"
            | "text"
            | "capture_output"
            | "recursive"
            | "force"
            | "encoding"
            | "stdio"
            | "timeout"
            | "ignore_errors"
            | "exist_ok"
            | "missing_ok"
            | "parents"
            | "subprocess"
            | "os"
            | "sys"
            | "shutil"
            | "json"
            | "re"
            | "fs"
            | "path"
            | "unless"
            | "foreach"
            | "e"
            | "err"
    )
}

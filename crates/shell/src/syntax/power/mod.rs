//! The syntax of PowerShell, into the same tree as bash.
//!
//! An expression becomes a pipeline of inner programs whose names begin with `&`, so that the walk needs no second kind of
//! value: `&=` prints its arguments, `&.` calls a method of its input, `&-` is an operator, `&::` a method of a type, `&$`
//! sets a variable, and `&` itself runs a command by the rules of PowerShell. A script block stays a text, which is parsed
//! when it runs.

mod command;
mod cursor;
mod expression;
mod member;
mod names;
mod text;

use std::rc::Rc;

use cursor::PowerCursor;
pub(crate) use names::power_variable;

use super::ast::{
    BashBranch, BashCommand, BashPipeline, BashRedirect, BashWord, PipelineLink, RedirectKind, ShellScript,
    SimpleCommand, WordPiece,
};

/// Before the text of a script block.
pub(crate) const BLOCK: char = '\u{fdd1}';
/// A word between two items of one list.
pub(crate) const LIST: &str = "\u{fdd0}";
/// Before an entry of a hash table, such as `Path:x`.
pub(crate) const ENTRY: char = '\u{fdd2}';

/// Parses PowerShell.
pub(crate) fn parse_power(text: &str) -> ShellScript {
    let plain = names::plain_letters(text);
    let mut parser = PowerCursor::new(&plain);
    let pipelines = parser.parse_list(None);
    ShellScript { pipelines, fault: parser.fault, ..ShellScript::default() }
}

/// A command of inner programs.
fn simple(name: &str, words: impl IntoIterator<Item = BashWord>) -> BashCommand {
    let words = std::iter::once(BashWord::literal(name)).chain(words).collect();
    BashCommand::Simple(SimpleCommand { words, ..SimpleCommand::default() })
}

fn quoted(text: impl Into<String>) -> BashWord {
    BashWord { pieces: vec![WordPiece::Quoted(text.into())] }
}

/// What a pipeline prints, as a word.
fn value_of(commands: Vec<BashCommand>) -> BashWord {
    value_of_list(vec![BashPipeline::new(commands)])
}

fn value_of_list(pipelines: Vec<BashPipeline>) -> BashWord {
    BashWord { pieces: vec![WordPiece::Value(Rc::new(ShellScript { pipelines, ..ShellScript::default() }))] }
}

/// Commands whose output goes nowhere.
fn quiet(pipelines: Vec<BashPipeline>) -> BashPipeline {
    let nowhere = BashRedirect {
        kind: RedirectKind::Output,
        target: BashWord::literal("/dev/null"),
        descriptor: String::new(),
        is_shared: false,
    };
    BashPipeline::new(vec![BashCommand::Group(pipelines, false, vec![nowhere])])
}

/// Commands of which it is not known whether they run, nor which others do.
fn may_run(body: Vec<BashPipeline>) -> BashCommand {
    BashCommand::Branches(vec![BashBranch { body, ..BashBranch::default() }], false, Vec::new())
}

/// The words of a list that is nothing but an expression, or one word for what it prints.
fn words_of(mut pipelines: Vec<BashPipeline>) -> Vec<BashWord> {
    if let [BashPipeline { commands, .. }] = pipelines.as_mut_slice()
        && let [BashCommand::Simple(simple)] = commands.as_mut_slice()
        && simple.redirects.is_empty()
        && simple.words.first().and_then(BashWord::as_literal) == Some("&=")
    {
        return simple.words.drain(1..).collect();
    }
    if pipelines.is_empty() { Vec::new() } else { vec![value_of_list(pipelines)] }
}

impl PowerCursor<'_> {
    /// Statements up to a closing bracket, which is taken, or the end of the text.
    fn parse_list(&mut self, end: Option<char>) -> Vec<BashPipeline> {
        let mut pipelines = Vec::new();
        if !self.enter() {
            return pipelines;
        }
        loop {
            self.skip_blank();
            let mut link = PipelineLink::Always;
            loop {
                if self.eat("&&") {
                    link = PipelineLink::AfterSuccess;
                } else if self.eat("||") {
                    link = PipelineLink::AfterFailure;
                } else if !self.eat(";") {
                    break;
                }
                self.skip_blank();
            }
            match self.peek() {
                None => {
                    if end.is_some() {
                        self.fail("a bracket is not closed");
                    }
                    break;
                }
                letter if letter == end => {
                    self.bump();
                    break;
                }
                Some(')' | '}' | ']') => {
                    self.fail("a bracket is closed that is not open");
                    break;
                }
                Some(_) => {
                    let (before, count) = (self.at, pipelines.len());
                    self.parse_statement(&mut pipelines);
                    if let Some(first) = pipelines.get_mut(count) {
                        first.link = link;
                    }
                    self.expect_progress(before);
                }
            }
        }
        self.leave();
        pipelines
    }

    /// One statement.
    fn parse_statement(&mut self, out: &mut Vec<BashPipeline>) {
        let before = self.at;
        let keyword = self.keyword();
        self.at = before + keyword.len();
        let is_keyword = match keyword.as_str() {
            "if" | "while" | "switch" | "until" | "for" | "foreach" | "elseif" => self.is_next_open('('),
            "try" | "do" | "else" | "finally" | "begin" | "process" | "end" | "dynamicparam" | "clean" => {
                self.is_next_open('{')
            }
            "catch" | "trap" | "function" | "filter" | "return" | "throw" | "exit" | "class" | "enum" | "using"
            | "break" | "continue" => true,
            "param" => self.is_next_open('('),
            _ => false,
        };
        if !is_keyword {
            self.at = before;
            out.extend(self.parse_pipeline());
            return;
        }
        self.parse_keyword(&keyword, out);
    }

    fn parse_keyword(&mut self, keyword: &str, out: &mut Vec<BashPipeline>) {
        let mut body = Vec::new();
        match keyword {
            "if" | "elseif" | "while" | "until" => {
                out.push(quiet(self.parse_paren()));
                // `do { … } while (…)` has its block in front.
                let before = self.at;
                if self.is_next_open('{') {
                    body = self.parse_block();
                } else {
                    self.at = before;
                }
            }
            "for" => {
                body.push(quiet(self.parse_paren()));
                body.extend(self.parse_block());
            }
            "foreach" => {
                let (name, words) = self.parse_loop_head();
                let body = self.parse_block();
                out.push(BashPipeline::new(vec![BashCommand::For(name, Some(words), body, Vec::new())]));
            }
            "switch" => {
                out.push(quiet(self.parse_paren()));
                body = self.parse_switch();
            }
            "else" => body = self.parse_block(),
            "try" | "do" | "finally" | "begin" | "process" | "end" | "dynamicparam" | "clean" => {
                out.extend(self.parse_block());
            }
            "catch" | "trap" => {
                self.skip_blank();
                while self.peek() == Some('[') || self.peek() == Some(',') {
                    self.skip_past(&[']', ',']);
                    self.skip_blank();
                }
                body = self.parse_block();
            }
            "function" | "filter" => out.extend(self.parse_function()),
            "param" => out.push(BashPipeline::new(vec![self.parse_param()])),
            "class" | "enum" => {
                self.take_while(|letter| letter != '{');
                self.parse_class(out);
            }
            "return" | "throw" | "exit" => {
                self.skip_space();
                if !matches!(self.peek(), None | Some(';' | '\n' | '\r' | '}' | ')')) {
                    self.parse_statement(out);
                }
            }
            _ => drop(self.take_while(|letter| !matches!(letter, ';' | '\n' | '}'))),
        }
        if body.is_empty() {
            return;
        }
        out.push(BashPipeline::new(vec![match keyword {
            "while" | "until" | "for" => BashCommand::While(Vec::new(), body, Vec::new()),
            _ => may_run(body),
        }]));
    }

    /// `( … )`.
    fn parse_paren(&mut self) -> Vec<BashPipeline> {
        self.skip_blank();
        if self.eat("(") { self.parse_list(Some(')')) } else { Vec::new() }
    }

    /// `{ … }`.
    fn parse_block(&mut self) -> Vec<BashPipeline> {
        self.skip_blank();
        if self.eat("{") {
            return self.parse_list(Some('}'));
        }
        self.fail("a block is missing");
        Vec::new()
    }

    /// `($name in values)`.
    fn parse_loop_head(&mut self) -> (String, Vec<BashWord>) {
        self.skip_blank();
        self.eat("(");
        self.skip_blank();
        self.eat("$");
        let name = power_variable(&self.take_name());
        self.skip_blank();
        if self.keyword() != "in" {
            self.fail("a loop without `in`");
        }
        self.at = (self.at + 2).min(self.text.len());
        (name, words_of(self.parse_list(Some(')'))))
    }

    /// The blocks of a `switch`.
    fn parse_switch(&mut self) -> Vec<BashPipeline> {
        let mut branch = Vec::new();
        self.skip_blank();
        if !self.eat("{") {
            self.fail("a block is missing");
        }
        while let Some(letter) = self.next_inside('}') {
            let before = self.at;
            match letter {
                '{' => {
                    let body = self.parse_block();
                    branch.push(BashPipeline::new(vec![may_run(body)]));
                }
                ';' | ',' => self.bump(),
                _ => {
                    let words = self.parse_argument();
                    branch.push(quiet(vec![BashPipeline::new(vec![simple("&=", words)])]));
                }
            }
            self.expect_progress(before);
        }
        branch
    }

    fn parse_function(&mut self) -> Option<BashPipeline> {
        self.skip_blank();
        let name = self.take_while(|letter| !letter.is_whitespace() && !matches!(letter, '{' | '(' | ';'));
        let name = name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
        self.skip_blank();
        let mut body = Vec::new();
        if self.peek() == Some('(') {
            body.push(BashPipeline::new(vec![self.parse_param()]));
        }
        body.extend(self.parse_block());
        let body = Rc::new(BashCommand::Group(body, false, Vec::new()));
        Some(BashPipeline::new(vec![BashCommand::Function(vec![name], body)]))
    }

    /// `([Type]$name = value, …)`: the names, each with its value behind it.
    fn parse_param(&mut self) -> BashCommand {
        self.skip_blank();
        self.eat("(");
        let mut words = Vec::new();
        while let Some(letter) = self.next_inside(')') {
            match letter {
                '[' => self.skip_brackets(),
                '$' => {
                    self.bump();
                    words.push(quoted(format!("${}", power_variable(&self.take_name()))));
                    self.skip_blank();
                    if self.eat("=") {
                        self.skip_blank();
                        words.extend(self.parse_expression());
                    }
                }
                _ => self.bump(),
            }
        }
        simple("&{", words)
    }

    /// The methods of a class, as if each of them ran.
    fn parse_class(&mut self, out: &mut Vec<BashPipeline>) {
        if !self.eat("{") {
            return;
        }
        while let Some(letter) = self.next_inside('}') {
            match letter {
                '{' => out.extend(self.parse_block()),
                '"' | '\'' => drop(self.parse_argument()),
                _ => self.bump(),
            }
        }
    }
}

//! Pipelines and commands with their arguments.

use super::cursor::PowerCursor;
use super::names::power_variable;
use super::{LIST, quiet, quoted, simple, value_of_list, words_of};
use crate::syntax::ast::{
    BashAssignment, BashCommand, BashPipeline, BashRedirect, BashWord, RedirectKind, SimpleCommand, WordPiece,
};

/// The operators that set a variable, the longer ones first.
const ASSIGNMENTS: [&str; 8] = ["??=", "+=", "-=", "*=", "/=", "%=", "++", "="];

impl PowerCursor<'_> {
    /// Commands between `|`.
    pub(super) fn parse_pipeline(&mut self) -> Vec<BashPipeline> {
        let mut commands: Vec<BashCommand> = Vec::new();
        loop {
            self.skip_space();
            let command = self.parse_element();
            if is_nowhere(&command) && !commands.is_empty() {
                let before = BashPipeline::new(std::mem::take(&mut commands));
                commands.extend(quiet(vec![before]).commands);
            } else {
                commands.push(command);
            }
            let before = self.at;
            self.skip_blank();
            if self.rest().starts_with('|') && !self.rest().starts_with("||") {
                self.bump();
                self.skip_blank();
                continue;
            }
            self.at = before;
            if self.fault.is_some() {
                self.at = self.text.len();
            }
            return vec![BashPipeline::new(commands)];
        }
    }

    /// Whether what comes next is an expression rather than a command.
    fn is_expression(&self) -> bool {
        match self.peek() {
            Some('$' | '"' | '\'' | '@' | '(' | '[' | '{' | '!' | '+' | ',') => true,
            Some('-') => {
                let operator = self.rest().get(1..).unwrap_or_default();
                operator.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '(' | '$' | '-'))
                    || super::expression::unary_operator(operator).is_some()
            }
            Some(letter) if letter.is_ascii_digit() => {
                let rest = self.rest();
                let end =
                    rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.').unwrap_or(rest.len());
                let (word, rest) = rest.split_at_checked(end).unwrap_or_default();
                is_number(word)
                    && (rest.is_empty()
                        || rest.starts_with(|letter: char| letter.is_whitespace() || ";|),+*/%}=-&>".contains(letter)))
            }
            _ => false,
        }
    }

    fn parse_element(&mut self) -> BashCommand {
        if !self.is_expression() {
            return self.parse_command();
        }
        let before = self.at;
        let words = self.parse_expression();
        let target = self.text.get(before..self.at).unwrap_or_default();
        self.skip_space();
        for operator in ASSIGNMENTS {
            if !self.rest().starts_with("==") && self.eat(operator) {
                let names: Vec<BashWord> = target.split(',').filter_map(assigned_name).map(quoted).collect();
                return self.parse_assignment(operator, names);
            }
        }
        let mut command = SimpleCommand { words: vec![BashWord::literal("&=")], ..SimpleCommand::default() };
        command.words.extend(words);
        self.parse_redirects(&mut command);
        BashCommand::Simple(command)
    }

    fn parse_assignment(&mut self, operator: &str, names: Vec<BashWord>) -> BashCommand {
        let mut pipelines = Vec::new();
        self.skip_blank();
        if !matches!(self.peek(), None | Some(';' | ')' | '}')) && self.enter() {
            self.parse_statement(&mut pipelines);
            self.leave();
        }
        let mut words = vec![quoted(operator)];
        words.extend(names);
        words.push(BashWord::literal(LIST));
        words.extend(words_of(pipelines));
        simple("&$", words)
    }

    fn parse_command(&mut self) -> BashCommand {
        let mut command = SimpleCommand { words: vec![BashWord::literal("&")], ..SimpleCommand::default() };
        let is_dot = self.peek() == Some('.')
            && self
                .peek_second()
                .is_none_or(|letter| letter.is_whitespace() || matches!(letter, '{' | '(' | '$' | '"' | '\''));
        if self.peek() == Some('&') || is_dot {
            self.bump();
            self.skip_space();
        }
        let before = self.at;
        command.words.extend(self.parse_argument());
        if self.at == before {
            self.fail("a command is missing");
        }
        self.parse_arguments(&mut command);
        BashCommand::Simple(command)
    }

    fn parse_arguments(&mut self, command: &mut SimpleCommand) {
        loop {
            self.skip_space();
            match self.peek() {
                None | Some('\n' | '\r' | ';' | '|' | ')' | '}') => return,
                Some('&') => {
                    if !self.rest().starts_with("&&") {
                        self.bump();
                    }
                    return;
                }
                Some(',') => {
                    self.bump();
                    self.skip_blank();
                    command.words.push(BashWord::literal(LIST));
                }
                Some(_) if self.parse_redirect(command) => {}
                Some('<') => self.fail("an unexpected character"),
                Some(_) if self.eat("--% ") => {
                    let rest = self.take_while(|letter| !matches!(letter, '\n' | '|'));
                    command.words.extend(rest.split_whitespace().map(|word| quoted(word.replace('"', ""))));
                }
                Some('@') if self.peek_second().is_some_and(|letter| letter.is_alphabetic() || letter == '_') => {
                    self.bump();
                    let pieces = super::names::variable_pieces(&self.take_name());
                    command.words.push(super::value_of(vec![simple("&@", [BashWord { pieces }])]));
                }
                Some(_) => {
                    let before = self.at;
                    let words = self.parse_argument();
                    command.words.extend(words);
                    self.expect_progress(before);
                }
            }
        }
    }

    fn parse_redirects(&mut self, command: &mut SimpleCommand) {
        self.skip_space();
        while self.parse_redirect(command) {
            self.skip_space();
        }
    }

    /// `> file`, `2>> file`, `*>&1`.
    fn parse_redirect(&mut self, command: &mut SimpleCommand) -> bool {
        let rest = self.rest();
        let operator = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '*');
        if rest.len() - operator.len() > 1 || !operator.starts_with('>') {
            return false;
        }
        let is_output = !rest.starts_with(['2', '3', '4', '5', '6']);
        self.at += rest.len() - operator.len() + 1;
        let kind = if self.eat(">") { RedirectKind::Append } else { RedirectKind::Output };
        if self.eat("&") {
            self.bump();
            return true;
        }
        self.skip_space();
        let target = self.parse_argument().into_iter().next().unwrap_or_default();
        let is_null = |text: &str| text.is_empty() || text.eq_ignore_ascii_case("nul") || text == "/dev/null";
        let target = match target.pieces.as_slice() {
            [WordPiece::Quoted(text) | WordPiece::Literal(text)] if is_null(text) => BashWord::literal("/dev/null"),
            _ => target,
        };
        if is_output {
            command.redirects.push(BashRedirect { kind, target, descriptor: String::new(), is_shared: false });
        } else if target.as_literal() != Some("/dev/null") {
            // What goes to another stream does not take the output away: the file is written on the side.
            let write = BashPipeline::new(vec![simple("&", [quoted("out-file"), target])]);
            let words = vec![value_of_list(vec![write])];
            command.assignments.push(BashAssignment { name: String::from("2>"), words, ..BashAssignment::default() });
        }
        true
    }

    /// One argument: several words with marks between them if it is a list in brackets.
    pub(super) fn parse_argument(&mut self) -> Vec<BashWord> {
        match (self.peek(), self.peek_second()) {
            (Some('('), _) | (Some('$'), Some('(')) | (Some('@'), Some('(' | '{' | '\'' | '"')) => {
                as_list(self.parse_primary())
            }
            (Some('{'), _) => vec![self.parse_block_text()],
            (Some('\'' | '"'), _) => self.parse_primary(),
            (Some('$'), _) => {
                let before = self.at;
                let words = self.parse_primary();
                let is_end =
                    |letter: char| letter.is_whitespace() || matches!(letter, ';' | '|' | ')' | '}' | ',' | '&' | '>');
                if self.peek().is_none_or(is_end) || self.fault.is_some() {
                    return as_list(words);
                }
                self.at = before;
                self.parse_bare_word()
            }
            _ => self.parse_bare_word(),
        }
    }

    /// A word without quotes around it, with variables and quotes in it.
    fn parse_bare_word(&mut self) -> Vec<BashWord> {
        let mut pieces: Vec<WordPiece> = Vec::new();
        let mut text = String::new();
        let begin = self.at;
        loop {
            text.push_str(self.take_while(|letter| {
                !letter.is_whitespace()
                    && !matches!(
                        letter,
                        ';' | '|' | '&' | ')' | '(' | '{' | '}' | ',' | '`' | '$' | '\'' | '"' | '>' | '<'
                    )
            }));
            let more = match self.peek() {
                Some('`') => {
                    self.bump();
                    self.take_escape(&mut text);
                    continue;
                }
                // `HEAD@{1}`.
                Some('{') if !text.is_empty() && text.ends_with(['@', '}', '.', '/', '\\', '^']) => {
                    text.push_str(self.take_while(|letter| !letter.is_whitespace() && letter != '}'));
                    if self.eat("}") {
                        text.push('}');
                    }
                    continue;
                }
                Some('$') => self.parse_variable(),
                Some('\'' | '"') => self.parse_quoted(),
                // `-Option:(…)` and `--option=(…)`.
                Some('(') if text.starts_with('-') && text.ends_with([':', '=']) => {
                    self.parse_primary().into_iter().flat_map(|word| word.pieces).collect()
                }
                _ => break,
            };
            push_text(&mut pieces, &mut text);
            pieces.extend(more);
        }
        push_text(&mut pieces, &mut text);
        if pieces.is_empty() {
            // A quote or a backtick that stands for nothing still is a word.
            return if self.at > begin { vec![quoted("")] } else { Vec::new() };
        }
        vec![BashWord { pieces }]
    }
}

/// Adds unquoted text. Only `~` and patterns have a meaning in it.
fn push_text(pieces: &mut Vec<WordPiece>, text: &mut String) {
    if text.is_empty() {
        return;
    }
    let mut text = std::mem::take(text);
    if pieces.is_empty() && text.starts_with('~') && matches!(text.get(1..2), None | Some("" | "/" | "\\")) {
        pieces.push(WordPiece::Literal(String::from("~")));
        text.remove(0);
    }
    if text.contains(['{', '=', '~']) {
        pieces.push(WordPiece::Quoted(text));
    } else if !text.is_empty() {
        pieces.push(WordPiece::Literal(text));
    }
}

/// Whether a word is a number or a range of them, such as `10`, `0x1f`, `5mb` or `1..3`.
fn is_number(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return digits.chars().all(|letter| letter.is_ascii_hexdigit());
    }
    let digits = ["kb", "mb", "gb", "tb", "l", "d"].iter().find_map(|unit| lower.strip_suffix(unit)).unwrap_or(&lower);
    digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
}

/// Marks between the words of a list.
fn as_list(words: Vec<BashWord>) -> Vec<BashWord> {
    words.into_iter().flat_map(|word| [BashWord::literal(LIST), word]).skip(1).collect()
}

/// Whether a command is `Out-Null`.
fn is_nowhere(command: &BashCommand) -> bool {
    let BashCommand::Simple(simple) = command else { return false };
    matches!(simple.words.as_slice(), [_, name] if name.as_literal().is_some_and(|name| name.eq_ignore_ascii_case("out-null")))
}

/// The variable that the left side of an assignment names.
fn assigned_name(target: &str) -> Option<String> {
    let target = target.trim();
    let target = target.rsplit_once(']').map_or(target, |(_, name)| name).trim();
    let name = target.strip_prefix('$')?.trim_start_matches('{').trim_end_matches('}');
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '?' | '^');
    (!name.is_empty() && name.chars().all(is_name)).then(|| power_variable(name))
}

//! Expressions: values, operators, and methods of objects and types.

use super::cursor::PowerCursor;
use super::{ENTRY, quoted, simple, value_of, words_of};
use crate::syntax::ast::{BashWord, WordPiece};

/// Operators in front of their operand.
const UNARY: &[&str] = &["not", "bnot", "join", "split", "csplit", "isplit"];
/// Operators on texts.
const TEXT_OPERATORS: &[&str] = &["f", "join", "split", "csplit", "isplit", "replace", "creplace", "ireplace"];

/// The operator behind a dash in front of its operand.
pub(super) fn unary_operator(text: &str) -> Option<&'static str> {
    let end = text.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let name = text.get(..end)?;
    UNARY.iter().find(|known| known.eq_ignore_ascii_case(name)).copied()
}

impl PowerCursor<'_> {
    /// An expression: the words of the list that it gives.
    pub(super) fn parse_expression(&mut self) -> Vec<BashWord> {
        if !self.enter() {
            return Vec::new();
        }
        let mut left = self.parse_unary();
        loop {
            let before = self.at;
            self.skip_space();
            if self.eat(",") {
                left.extend(self.parse_operand());
            } else if self.rest().starts_with('+') && !self.rest().starts_with("+=") && !self.rest().starts_with("++") {
                self.bump();
                left = add(left, self.parse_operand());
            } else if self.eat("..") {
                left = vec![quoted("0")];
                self.skip_space();
                left.extend(self.parse_unary());
            } else if self.rest().starts_with(['*', '/', '%']) && self.peek_second() != Some('=') {
                self.bump();
                left = number(left, self.parse_operand());
            } else if self.rest().starts_with("??") && !self.rest().starts_with("??=") {
                self.at += 2;
                left.extend(self.parse_operand());
            } else if self.peek() == Some('?') && self.peek_second().is_some_and(char::is_whitespace) {
                left = self.parse_choice(left);
            } else if self.peek() == Some('-') {
                match self.parse_operator(left) {
                    Ok(words) => left = words,
                    Err(words) => {
                        left = words;
                        self.at = before;
                        break;
                    }
                }
            } else {
                self.at = before;
                break;
            }
        }
        self.leave();
        left
    }

    /// `condition ? a : b`.
    fn parse_choice(&mut self, condition: Vec<BashWord>) -> Vec<BashWord> {
        self.bump();
        let mut words = vec![value_of(vec![simple("&=", condition), simple("&-", [quoted("bool")])])];
        words.extend(self.parse_operand());
        self.skip_blank();
        if self.eat(":") {
            words.extend(self.parse_operand());
        }
        words
    }

    /// An operator behind a dash with its right side; the left side as it was if there is none.
    fn parse_operator(&mut self, left: Vec<BashWord>) -> Result<Vec<BashWord>, Vec<BashWord>> {
        let rest = self.rest().get(1..).unwrap_or_default();
        if rest.starts_with(['-', '=']) {
            return Err(left);
        }
        let end = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default().to_ascii_lowercase();
        self.at += 1 + end;
        let mut right = self.parse_operand();
        self.skip_space();
        if !name.is_empty() {
            self.parse_list_rest(&mut right);
        }
        if TEXT_OPERATORS.contains(&name.as_str()) {
            let operands = std::iter::once(quoted(name)).chain(right);
            return Ok(vec![value_of(vec![simple("&=", left), simple("&-", operands)])]);
        }
        Ok(number(left, right))
    }

    /// The right side of an operator.
    fn parse_operand(&mut self) -> Vec<BashWord> {
        self.skip_blank();
        self.parse_unary()
    }

    /// The other items of a list.
    fn parse_list_rest(&mut self, words: &mut Vec<BashWord>) {
        while self.eat(",") {
            words.extend(self.parse_operand());
            self.skip_space();
        }
    }

    fn parse_unary(&mut self) -> Vec<BashWord> {
        if !self.enter() {
            return Vec::new();
        }
        let words = self.parse_unary_operand();
        self.leave();
        words
    }

    fn parse_unary_operand(&mut self) -> Vec<BashWord> {
        self.skip_space();
        while self.eat("!") || self.eat("++") || self.eat("--") || self.eat("+") || self.eat(",") {
            self.skip_space();
        }
        if self.peek() == Some('-') {
            let operator = unary_operator(self.rest().get(1..).unwrap_or_default());
            self.at += 1 + operator.map_or(0, str::len);
            self.skip_space();
            let mut words = self.parse_unary();
            return match operator {
                Some(name @ ("join" | "split" | "csplit" | "isplit")) => {
                    self.skip_space();
                    self.parse_list_rest(&mut words);
                    vec![value_of(vec![simple("&=", words), simple("&-", [quoted(name)])])]
                }
                Some(_) => number(words, Vec::new()),
                None => match words.as_slice() {
                    [word] if plain_number(word).is_some() => {
                        vec![quoted(format!("-{}", plain_number(word).unwrap_or(0)))]
                    }
                    _ => words,
                },
            };
        }
        if self.peek() == Some('[') { self.parse_type() } else { self.parse_primary() }
    }

    /// A type: a cast of what follows, a method of it, or the type itself.
    fn parse_type(&mut self) -> Vec<BashWord> {
        let begin = self.at;
        self.skip_brackets();
        let written = self.text.get(begin + 1..self.at.saturating_sub(1)).unwrap_or_default();
        let name: String =
            written.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_ascii_lowercase();
        let name = name.strip_prefix("system.").unwrap_or(&name).to_owned();
        if self.rest().starts_with("::") {
            self.at += 2;
            let (member, args) = self.parse_member();
            let mut path = quoted(format!("{name}::"));
            path.pieces.extend(member.pieces);
            let first = simple("&::", std::iter::once(path).chain(args));
            return self.parse_members(vec![first]);
        }
        if matches!(self.peek(), Some('$' | '"' | '\'' | '(' | '@' | '[' | '{' | '-' | '+' | ' ' | '0'..='9'))
            && !matches!(self.rest().trim_start().chars().next(), None | Some(';' | '|' | ')' | '}' | ',' | '=' | '\n'))
        {
            let operand = self.parse_unary();
            return match name.as_str() {
                "char" | "char[]" | "byte[]" | "scriptblock" | "type" | "wmiclass" | "wmi" | "adsi" => {
                    vec![value_of(vec![simple("&=", operand), simple("&-", [quoted(format!("[{name}]"))])])]
                }
                _ => operand,
            };
        }
        let word = quoted(name);
        if matches!(self.peek(), Some('.')) { self.parse_members(vec![simple("&=", [word])]) } else { vec![word] }
    }

    /// A value with the members that are taken of it.
    pub(super) fn parse_primary(&mut self) -> Vec<BashWord> {
        if !self.enter() {
            return Vec::new();
        }
        let words = self.parse_value();
        let has_member = match self.peek() {
            Some('.') => self
                .peek_second()
                .is_some_and(|letter| letter.is_alphabetic() || matches!(letter, '_' | '(' | '$' | '"' | '\'')),
            Some(':') => self.rest().starts_with("::"),
            Some('[') => true,
            Some('?') => self.rest().starts_with("?.") || self.rest().starts_with("?["),
            Some('+' | '-') => self.rest().starts_with("++") || self.rest().starts_with("--"),
            _ => false,
        };
        let words = if has_member { self.parse_members(vec![simple("&=", words)]) } else { words };
        self.leave();
        words
    }

    fn parse_value(&mut self) -> Vec<BashWord> {
        match (self.peek(), self.peek_second()) {
            (Some('$'), Some('(')) | (Some('@'), Some('(')) => {
                self.at += 2;
                words_of(self.parse_list(Some(')')))
            }
            (Some('('), _) => {
                self.bump();
                words_of(self.parse_list(Some(')')))
            }
            (Some('@'), Some('{')) => self.parse_table(),
            (Some('@'), Some('\'' | '"')) => match self.parse_here_string() {
                Some(pieces) => vec![BashWord { pieces }],
                None => {
                    self.fail("an unexpected character");
                    Vec::new()
                }
            },
            (Some('$'), _) => vec![BashWord { pieces: self.parse_variable() }],
            (Some('\'' | '"'), _) => vec![BashWord { pieces: self.parse_quoted() }],
            (Some('{'), _) => vec![self.parse_block_text()],
            (Some(letter), _) if letter.is_alphanumeric() || letter == '.' => {
                let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
                let mut text = self.take_while(is_part).to_owned();
                if self.peek() == Some('.') && self.peek_second().is_some_and(|letter| letter.is_ascii_digit()) {
                    self.bump();
                    text = format!("{text}.{}", self.take_while(is_part));
                }
                vec![quoted(text)]
            }
            _ => Vec::new(),
        }
    }

    /// `@{ name = value; … }`: an entry for each.
    fn parse_table(&mut self) -> Vec<BashWord> {
        self.at += 2;
        let mut words = Vec::new();
        while let Some(letter) = self.next_inside('}') {
            match letter {
                ';' | ',' => self.bump(),
                _ => {
                    let before = self.at;
                    let name = match self.peek() {
                        Some('"' | '\'' | '$' | '(') => self.parse_primary(),
                        _ => vec![quoted(
                            self.take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-')),
                        )],
                    };
                    self.skip_space();
                    if !self.eat("=") || self.at == before {
                        self.fail("a table without `=`");
                        break;
                    }
                    let mut pipelines = Vec::new();
                    self.skip_blank();
                    if self.enter() {
                        self.parse_statement(&mut pipelines);
                        self.leave();
                    }
                    let mut entry = quoted(ENTRY);
                    entry.pieces.extend(name.into_iter().flat_map(|word| word.pieces));
                    entry.pieces.push(WordPiece::Quoted(String::from(":")));
                    entry.pieces.extend(words_of(pipelines).into_iter().flat_map(|word| word.pieces));
                    words.push(entry);
                }
            }
        }
        words
    }
}

/// Two lists behind each other, or two texts joined.
fn add(mut left: Vec<BashWord>, right: Vec<BashWord>) -> Vec<BashWord> {
    match (left.as_mut_slice(), right.as_slice()) {
        ([first], [second]) => {
            if let (Some(one), Some(two)) = (plain_number(first), plain_number(second)) {
                return vec![quoted((one.saturating_add(two)).to_string())];
            }
            first.pieces.extend(second.pieces.iter().cloned());
            left
        }
        _ => {
            left.extend(right);
            left
        }
    }
}

/// A number or a truth that depends on these words: they are looked at, but what they come to is not.
fn number(left: Vec<BashWord>, right: Vec<BashWord>) -> Vec<BashWord> {
    let is_plain = |word: &BashWord| word.pieces.iter().all(|piece| !matches!(piece, WordPiece::Value(_)));
    if left.iter().chain(&right).all(is_plain) {
        return vec![BashWord { pieces: vec![WordPiece::Arithmetic(BashWord::default())] }];
    }
    let words = left.into_iter().chain(right);
    vec![value_of(vec![simple("&=", words), simple("&-", [quoted("bool")])])]
}

fn plain_number(bash_word: &BashWord) -> Option<i64> {
    match bash_word.pieces.as_slice() {
        [WordPiece::Quoted(text)] => text.parse().ok(),
        _ => None,
    }
}

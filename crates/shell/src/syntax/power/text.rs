//! Texts in quotes, here-strings and variables in them.

use super::cursor::PowerCursor;
use super::names::variable_pieces;
use crate::syntax::ast::{BashWord, WordPiece};

impl PowerCursor<'_> {
    /// What a backtick and the letter behind it stand for. The backtick is taken already.
    pub(super) fn take_escape(&mut self, text: &mut String) {
        let Some(letter) = self.peek() else { return };
        self.bump();
        match letter {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            'a' | 'b' | 'f' | 'v' => text.push(' '),
            'u' if self.peek() == Some('{') => {
                self.bump();
                let digits = self.take_while(|letter| letter.is_ascii_hexdigit());
                self.eat("}");
                text.extend(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32));
            }
            '\r' | '\n' => drop(self.eat("\n")),
            letter => text.push(letter),
        }
    }

    /// `'…'` or `"…"`.
    pub(super) fn parse_quoted(&mut self) -> Vec<WordPiece> {
        let is_expanded = self.peek() == Some('"');
        self.bump();
        if is_expanded {
            return self.parse_expanded("\"");
        }
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|letter| letter != '\''));
            if !self.eat("'") {
                self.fail("a quote is not closed");
                break;
            }
            if !self.eat("'") {
                break;
            }
            text.push('\'');
        }
        vec![WordPiece::Quoted(text)]
    }

    /// `@'…'@` or `@"…"@`; `None` if it is none.
    pub(super) fn parse_here_string(&mut self) -> Option<Vec<WordPiece>> {
        let rest = self.rest();
        let quote = rest.strip_prefix('@')?.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let head = rest.get(2..)?;
        let body = head.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
        let begin = rest.len() - body.len();
        let mark = format!("\n{quote}@");
        // An empty one has its end on the next line.
        let end = match body.starts_with(mark.trim_start()) {
            true => Some(0),
            false => body.find(&mark),
        };
        let Some(end) = end else {
            self.fail("a here-string is not closed");
            return Some(Vec::new());
        };
        let text = body.get(..end).unwrap_or_default();
        let behind = self.at + begin + end + if text.is_empty() { 2 } else { mark.len() };
        let pieces = if quote == '"' {
            let mut inner = self.for_part(self.at + begin, self.at + begin + end);
            let pieces = inner.parse_expanded("");
            if let Some(fault) = inner.fault {
                self.fail(fault);
                return Some(pieces);
            }
            pieces
        } else {
            vec![WordPiece::Quoted(text.to_owned())]
        };
        self.at = behind;
        Some(pieces)
    }

    /// Text with variables up to a quote; up to the end of the text if `end` is empty.
    fn parse_expanded(&mut self, end: &str) -> Vec<WordPiece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|letter| !matches!(letter, '"' | '`' | '$')));
            match self.peek() {
                None => {
                    if !end.is_empty() {
                        self.fail("a quote is not closed");
                    }
                    break;
                }
                Some('`') => {
                    self.bump();
                    self.take_escape(&mut text);
                }
                Some('"') => {
                    self.bump();
                    if !end.is_empty() && !self.eat("\"") {
                        break;
                    }
                    text.push('"');
                }
                Some(_) => {
                    let more = self.parse_variable();
                    if !text.is_empty() {
                        pieces.push(WordPiece::Quoted(std::mem::take(&mut text)));
                    }
                    pieces.extend(more);
                }
            }
        }
        if !text.is_empty() || pieces.is_empty() {
            pieces.push(WordPiece::Quoted(text));
        }
        pieces
    }

    /// `$name`, `${name}` or `$( … )`.
    pub(super) fn parse_variable(&mut self) -> Vec<WordPiece> {
        self.eat("$");
        if self.eat("(") {
            let list = self.parse_list(Some(')'));
            return super::words_of(list).into_iter().flat_map(as_pieces).collect();
        }
        variable_pieces(&self.take_name())
    }

    /// `{ … }` as a text; the bracket is not taken yet.
    pub(super) fn parse_block_text(&mut self) -> BashWord {
        let begin = self.at + 1;
        self.skip_block();
        let text = self.text.get(begin..self.at.saturating_sub(1)).unwrap_or_default();
        super::quoted(format!("{}{text}", super::BLOCK))
    }

    /// Skips a block, with the quotes and comments in it.
    fn skip_block(&mut self) {
        let mut depth = 0_usize;
        while let Some(letter) = self.peek() {
            match letter {
                '`' => {
                    self.bump();
                    self.bump();
                }
                '@' if matches!(self.peek_second(), Some('\'' | '"')) => {
                    let quote = if self.peek_second() == Some('"') { "\n\"@" } else { "\n'@" };
                    match self.rest().find(quote) {
                        Some(end) => self.at += end + quote.len(),
                        None => self.bump(),
                    }
                }
                '\'' => {
                    self.bump();
                    self.skip_past(&['\'']);
                }
                '"' => self.skip_expanded(),
                '#' if self.is_word_start() => self.skip_space(),
                '<' if self.peek_second() == Some('#') => self.skip_space(),
                '{' => {
                    depth += 1;
                    self.bump();
                }
                '}' => {
                    depth -= 1;
                    self.bump();
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.bump(),
            }
        }
        self.fail("a bracket is not closed");
    }

    /// Skips `"…"`; brackets in `$( … )` are counted so that quotes in it do not end the text.
    fn skip_expanded(&mut self) {
        self.bump();
        let mut depth = 0_usize;
        while let Some(letter) = self.peek() {
            self.bump();
            match letter {
                '`' => self.bump(),
                '$' if self.eat("(") => depth += 1,
                '(' if depth > 0 => depth += 1,
                ')' if depth > 0 => depth -= 1,
                '"' if depth == 0 => return,
                _ => {}
            }
        }
    }

    /// Whether a word could begin here: the letter in front is a space or a bracket.
    fn is_word_start(&self) -> bool {
        let before = self.text.get(..self.at).and_then(|before| before.chars().next_back());
        before.is_none_or(|letter| letter.is_whitespace() || matches!(letter, ';' | '{' | '(' | '|' | '}' | ')'))
    }
}

/// The pieces of a word in the middle of a text, with a space before each.
fn as_pieces(bash_word: BashWord) -> Vec<WordPiece> {
    match bash_word.as_literal() {
        Some(text) if text == super::LIST => vec![WordPiece::Quoted(String::from(" "))],
        _ => bash_word.pieces,
    }
}

//! A template's text into words.

use serde_json::{Number, Value};

use super::fault::Fault;

/// A word of a template and where it begins.
#[derive(Debug)]
pub(super) struct Token<'t> {
    pub(super) at: usize,
    /// Whether it follows the word before without a space; fields that do belong to it.
    pub(super) glued: bool,
    pub(super) word: Word<'t>,
}

/// The kinds of words.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word<'t> {
    /// What stands outside of actions.
    Text(&'t str),
    /// `{{`.
    Open,
    /// `}}`.
    Close,
    /// `.` alone.
    Dot,
    /// `.Name`.
    Field(&'t str),
    /// `$name`; the name is empty for `$` alone.
    Variable(&'t str),
    /// A name of a function or a keyword.
    Name(&'t str),
    /// A text, a number or a truth value.
    Literal(Value),
    /// `|`.
    Pipe,
    /// `(`.
    Left,
    /// `)`.
    Right,
    /// `,`.
    Comma,
    /// `:=`.
    Declare,
    /// `=`.
    Assign,
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Splits a whole template.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new() };
    let mut trims = false;
    while !lexer.rest().is_empty() {
        let (length, opens) = match lexer.rest().find("{{") {
            Some(length) => (length, true),
            None => (lexer.rest().len(), false),
        };
        let at = lexer.at;
        let mut outside = lexer.rest().get(..length).unwrap_or_default();
        lexer.at += length;
        let trims_end = opens && lexer.rest().strip_prefix("{{-").is_some_and(|rest| rest.starts_with(SPACE));
        if trims {
            outside = outside.trim_start_matches(SPACE);
        }
        if trims_end {
            outside = outside.trim_end_matches(SPACE);
        }
        if !outside.is_empty() {
            lexer.tokens.push(Token { at, glued: false, word: Word::Text(outside) });
        }
        if opens {
            trims = lexer.action(trims_end)?;
        }
    }
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token<'t>>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads from `{{` to `}}`; says whether the text after it is to be trimmed.
    fn action(&mut self, trims: bool) -> Result<bool, Fault> {
        let opened = self.at;
        self.at += if trims { 4 } else { 2 };
        let comment = if trims { self.rest().trim_start_matches(SPACE) } else { self.rest() };
        if comment.starts_with("/*") {
            self.at += self.rest().len() - comment.len();
            return self.comment(opened);
        }
        self.tokens.push(Token { at: opened, glued: false, word: Word::Open });
        let mut glued = false;
        loop {
            let spaces = self.rest().len() - self.rest().trim_start_matches(SPACE).len();
            self.at += spaces;
            glued &= spaces == 0;
            let (at, rest) = (self.at, self.rest());
            if rest.is_empty() {
                return Err(Fault::new(opened, "the action is not closed; add `}}`"));
            }
            let end = [("-}}", spaces > 0), ("}}", true)].into_iter().find(|(end, may)| *may && rest.starts_with(end));
            if let Some((end, _)) = end {
                self.at += end.len();
                self.tokens.push(Token { at, glued, word: Word::Close });
                return Ok(end.starts_with('-'));
            }
            let (length, word) = word(rest).map_err(|message| Fault::new(at, message))?;
            self.at += length;
            self.tokens.push(Token { at, glued, word });
            glued = true;
        }
    }

    fn comment(&mut self, opened: usize) -> Result<bool, Fault> {
        let Some(end) = self.rest().find("*/") else {
            return Err(Fault::new(opened, "the comment is not closed; add `*/}}`"));
        };
        self.at += end + 2;
        let rest = self.rest();
        let trimmed = rest.trim_start_matches(SPACE);
        let closes = if trimmed.len() < rest.len() { trimmed.strip_prefix("-}}") } else { None };
        match (closes, rest.strip_prefix("}}")) {
            (Some(after), _) | (None, Some(after)) => {
                self.at = self.text.len() - after.len();
                Ok(closes.is_some())
            }
            (None, None) => Err(Fault::new(self.at, "a comment is an action of its own; close it with `*/}}`")),
        }
    }
}

/// The first word of a text that begins with one, and its length in bytes.
fn word(rest: &str) -> Result<(usize, Word<'_>), String> {
    let first = rest.chars().next().unwrap_or_default();
    let after = rest.get(first.len_utf8()..).unwrap_or_default();
    let named = after.len() - after.trim_start_matches(is_name).len();
    let name = after.get(..named).unwrap_or_default();
    Ok(match first {
        '.' if after.starts_with(|next: char| next.is_ascii_digit()) => number(rest)?,
        '.' if name.is_empty() => (1, Word::Dot),
        '.' => (1 + named, Word::Field(name)),
        '$' => (1 + named, Word::Variable(name)),
        '|' => (1, Word::Pipe),
        '(' => (1, Word::Left),
        ')' => (1, Word::Right),
        ',' => (1, Word::Comma),
        '=' => (1, Word::Assign),
        ':' if after.starts_with('=') => (2, Word::Declare),
        '"' => quoted(rest)?,
        '`' => match after.split_once('`') {
            Some((raw, _)) => (raw.len() + 2, Word::Literal(Value::String(raw.to_owned()))),
            None => return Err(String::from("the text is not closed; add a back quote")),
        },
        '0'..='9' | '+' | '-' => number(rest)?,
        first if is_name(first) => {
            let length = rest.len() - rest.trim_start_matches(is_name).len();
            let name = rest.get(..length).unwrap_or_default();
            match name {
                "true" => (length, Word::Literal(Value::Bool(true))),
                "false" => (length, Word::Literal(Value::Bool(false))),
                _ => (length, Word::Name(name)),
            }
        }
        '\'' => return Err(String::from("a text stands in double quotes")),
        other => return Err(format!("unexpected `{}`", other.escape_debug())),
    })
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn number(rest: &str) -> Result<(usize, Word<'_>), String> {
    let inner = |letter: char| is_name(letter) || letter == '.';
    let sign = usize::from(rest.starts_with(['+', '-']));
    let mut length =
        sign + rest.get(sign..).unwrap_or_default().find(|letter| !inner(letter)).unwrap_or(rest.len() - sign);
    let exponent = rest.get(..length).is_some_and(|text| text.ends_with(['e', 'E']));
    let power = rest.get(length..).unwrap_or_default();
    if exponent && power.starts_with(['+', '-']) {
        length += 1 + power.get(1..).unwrap_or_default().find(|letter| !inner(letter)).unwrap_or(power.len() - 1);
    }
    let written = rest.get(..length).unwrap_or_default();
    let plain = written.replace('_', "");
    let whole = plain.parse::<i64>().ok().map(Number::from);
    let number = whole.or_else(|| plain.parse::<f64>().ok().and_then(Number::from_f64));
    match number {
        Some(number) => Ok((length, Word::Literal(Value::Number(number)))),
        None => Err(format!("`{written}` is no number")),
    }
}

/// A text in double quotes with Go's escapes.
fn quoted(rest: &str) -> Result<(usize, Word<'_>), String> {
    let open = || String::from("the text is not closed; add `\"`");
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((at + 1, Word::Literal(Value::String(text)))),
            '\n' => return Err(open()),
            '\\' => {
                let (_, escape) = letters.next().ok_or_else(open)?;
                let digits = match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '\\' | '"' | '\'' => escape,
                    'x' | 'u' | 'U' => {
                        let count = match escape {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let digits: String = letters.by_ref().take(count).map(|(_, digit)| digit).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        code.ok_or_else(|| format!("`\\{escape}{}` is no character", digits.escape_debug()))?
                    }
                    other => return Err(format!("unknown escape `\\{}` in a text", other.escape_debug())),
                };
                text.push(digits);
            }
            other => text.push(other),
        }
    }
    Err(open())
}

//! Splits a template into tokens.

use serde_json::{Number, Value};

use super::error::TemplateErrorAt;

/// A token of a template with its offset.
#[derive(Debug)]
pub(super) struct TemplateToken<'t> {
    pub(super) offset: usize,
    /// Whether it follows the previous token without a space; fields then belong to it.
    pub(super) is_glued: bool,
    pub(super) kind: TokenKind<'t>,
}

/// The kinds of tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'t> {
    /// Text outside actions.
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
    /// The name of a function or a keyword.
    Name(&'t str),
    /// A string, a number or a boolean.
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
pub(super) fn tokenize(text: &str) -> Result<Vec<TemplateToken<'_>>, TemplateErrorAt> {
    let mut lexer = TemplateLexer { text, offset: 0, tokens: Vec::new() };
    let mut trims = false;
    while !lexer.remaining().is_empty() {
        let (length, opens) = match lexer.remaining().find("{{") {
            Some(length) => (length, true),
            None => (lexer.remaining().len(), false),
        };
        let index = lexer.offset;
        let mut outside = lexer.remaining().get(..length).unwrap_or_default();
        lexer.offset += length;
        let trims_end = opens && lexer.remaining().strip_prefix("{{-").is_some_and(|rest| rest.starts_with(SPACE));
        if trims {
            outside = outside.trim_start_matches(SPACE);
        }
        if trims_end {
            outside = outside.trim_end_matches(SPACE);
        }
        if !outside.is_empty() {
            lexer.tokens.push(TemplateToken { offset: index, is_glued: false, kind: TokenKind::Text(outside) });
        }
        if opens {
            trims = lexer.read_action(trims_end)?;
        }
    }
    Ok(lexer.tokens)
}

struct TemplateLexer<'t> {
    text: &'t str,
    offset: usize,
    tokens: Vec<TemplateToken<'t>>,
}

impl<'t> TemplateLexer<'t> {
    fn remaining(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Reads from `{{` to `}}`; returns whether to trim the text after it.
    fn read_action(&mut self, trims: bool) -> Result<bool, TemplateErrorAt> {
        let opened = self.offset;
        self.offset += if trims { 4 } else { 2 };
        let comment = if trims { self.remaining().trim_start_matches(SPACE) } else { self.remaining() };
        if comment.starts_with("/*") {
            self.offset += self.remaining().len() - comment.len();
            return self.read_comment(opened);
        }
        self.tokens.push(TemplateToken { offset: opened, is_glued: false, kind: TokenKind::Open });
        let mut glued = false;
        loop {
            let spaces = self.remaining().len() - self.remaining().trim_start_matches(SPACE).len();
            self.offset += spaces;
            glued &= spaces == 0;
            let (index, rest) = (self.offset, self.remaining());
            if rest.is_empty() {
                return Err(TemplateErrorAt::new(opened, "the action is not closed; add `}}`"));
            }
            let end = [("-}}", spaces > 0), ("}}", true)].into_iter().find(|(end, may)| *may && rest.starts_with(end));
            if let Some((end, _)) = end {
                self.offset += end.len();
                self.tokens.push(TemplateToken { offset: index, is_glued: glued, kind: TokenKind::Close });
                return Ok(end.starts_with('-'));
            }
            let (length, word) = read_word(rest).map_err(|message| TemplateErrorAt::new(index, message))?;
            self.offset += length;
            self.tokens.push(TemplateToken { offset: index, is_glued: glued, kind: word });
            glued = true;
        }
    }

    fn read_comment(&mut self, opened: usize) -> Result<bool, TemplateErrorAt> {
        let Some(end) = self.remaining().find("*/") else {
            return Err(TemplateErrorAt::new(opened, "the comment is not closed; add `*/}}`"));
        };
        self.offset += end + 2;
        let rest = self.remaining();
        let trimmed = rest.trim_start_matches(SPACE);
        let closes = if trimmed.len() < rest.len() { trimmed.strip_prefix("-}}") } else { None };
        match (closes, rest.strip_prefix("}}")) {
            (Some(after), _) | (None, Some(after)) => {
                self.offset = self.text.len() - after.len();
                Ok(closes.is_some())
            }
            (None, None) => {
                Err(TemplateErrorAt::new(self.offset, "a comment must be the whole action; close it with `*/}}`"))
            }
        }
    }
}

/// The first token of a text, and its length in bytes.
fn read_word(rest: &str) -> Result<(usize, TokenKind<'_>), String> {
    let first = rest.chars().next().unwrap_or_default();
    let after = rest.get(first.len_utf8()..).unwrap_or_default();
    let named = after.len() - after.trim_start_matches(is_name).len();
    let name = after.get(..named).unwrap_or_default();
    Ok(match first {
        '.' if after.starts_with(|next: char| next.is_ascii_digit()) => read_number(rest)?,
        '.' if name.is_empty() => (1, TokenKind::Dot),
        '.' => (1 + named, TokenKind::Field(name)),
        '$' => (1 + named, TokenKind::Variable(name)),
        '|' => (1, TokenKind::Pipe),
        '(' => (1, TokenKind::Left),
        ')' => (1, TokenKind::Right),
        ',' => (1, TokenKind::Comma),
        '=' => (1, TokenKind::Assign),
        ':' if after.starts_with('=') => (2, TokenKind::Declare),
        '"' => read_quoted(rest)?,
        '`' => match after.split_once('`') {
            Some((raw, _)) => (raw.len() + 2, TokenKind::Literal(Value::String(raw.to_owned()))),
            None => return Err(String::from("the string is not closed; add a back quote")),
        },
        '0'..='9' | '+' | '-' => read_number(rest)?,
        first if is_name(first) => {
            let length = rest.len() - rest.trim_start_matches(is_name).len();
            let name = rest.get(..length).unwrap_or_default();
            match name {
                "true" => (length, TokenKind::Literal(Value::Bool(true))),
                "false" => (length, TokenKind::Literal(Value::Bool(false))),
                _ => (length, TokenKind::Name(name)),
            }
        }
        '\'' => return Err(String::from("strings are written in double quotes")),
        other => return Err(format!("unexpected `{}`", other.escape_debug())),
    })
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn read_number(rest: &str) -> Result<(usize, TokenKind<'_>), String> {
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
        Some(number) => Ok((length, TokenKind::Literal(Value::Number(number)))),
        None => Err(format!("`{written}` is not a number")),
    }
}

/// Reads a string in double quotes with Go's escapes.
fn read_quoted(rest: &str) -> Result<(usize, TokenKind<'_>), String> {
    let open = || String::from("the string is not closed; add `\"`");
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return Ok((index + 1, TokenKind::Literal(Value::String(text)))),
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
                        code.ok_or_else(|| format!("`\\{escape}{}` is not a character", digits.escape_debug()))?
                    }
                    other => return Err(format!("unknown escape `\\{}` in a string", other.escape_debug())),
                };
                text.push(digits);
            }
            other => text.push(other),
        }
    }
    Err(open())
}

//! The texts of quotes and brackets that words may have.

use super::parser::{BashParser, ParseResult};

/// The longest arithmetic expression.
const MAX_ARITHMETIC: usize = 2000;

impl BashParser<'_> {
    /// Skips an arithmetic expression and its end; `None` if it is not one.
    pub(super) fn skip_arithmetic(&mut self, end: &str) -> Option<()> {
        let mut depth = 0_usize;
        let limit = self.index + MAX_ARITHMETIC;
        loop {
            if depth == 0 && self.take(end) {
                return Some(());
            }
            if self.index > limit {
                return None;
            }
            match self.bump()? {
                '(' => depth += 1,
                ')' => depth = depth.checked_sub(1)?,
                // Only a command has these.
                ';' | '\n' if end == "))" && depth == 0 && !self.text.contains("for") => return None,
                '`' => return None,
                '$' if self.rest().starts_with('(') && !self.rest().starts_with("((") => return None,
                _ => {}
            }
        }
    }

    /// The text of balanced parentheses.
    pub(super) fn skip_parentheses(&mut self) -> Option<String> {
        let begin = self.index;
        let mut depth = 0_usize;
        loop {
            match self.bump()? {
                '(' => depth += 1,
                ')' => {
                    depth -= 1;
                    if depth == 0 {
                        return self.text.get(begin..self.index).map(str::to_owned);
                    }
                }
                _ => {}
            }
        }
    }

    /// The text of `$'…'`, behind its opening quote.
    pub(super) fn parse_ansi_text(&mut self) -> ParseResult<String> {
        let mut text: Vec<u8> = Vec::new();
        let mut push = |letter: char| text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        loop {
            match self.bump().ok_or("a quote is not closed")? {
                '\'' => return Ok(String::from_utf8_lossy(&text).into_owned()),
                '\\' => {
                    let letter = self.bump().ok_or("a quote is not closed")?;
                    let (radix, most) = match letter {
                        'x' => (16, 2),
                        'u' => (16, 4),
                        'U' => (16, 8),
                        '0'..='7' => (8, 3),
                        _ => (0, 0),
                    };
                    if radix == 0 {
                        push(match letter {
                            'n' => '\n',
                            't' => '\t',
                            'r' => '\r',
                            'a' => '\u{7}',
                            'b' => '\u{8}',
                            'e' | 'E' => '\u{1b}',
                            'f' => '\u{c}',
                            'v' => '\u{b}',
                            other => other,
                        });
                        continue;
                    }
                    if radix == 8 {
                        self.index -= 1;
                    }
                    let rest = self.rest();
                    let digits = rest.chars().take(most).take_while(|letter| letter.is_digit(radix)).count();
                    let code = u32::from_str_radix(rest.get(..digits).unwrap_or_default(), radix).unwrap_or(0);
                    self.index += digits;
                    push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                letter => push(letter),
            }
        }
    }
}

//! The texts of quotes and brackets that words may have.

use super::BashWord;
use super::parser::{BashParser, ParseResult};
use super::word::WordBuilder;

/// The longest subscript of an assignment.
const MAX_SUBSCRIPT: usize = 4096;

impl BashParser<'_> {
    /// Where the arithmetic expression ends that begins here, behind two parentheses. `None` if these are commands.
    pub(super) fn find_arithmetic_end(&self) -> Option<usize> {
        // Else each of many parentheses is followed to the end of a text that closes none behind it.
        let last = self.last_close.get_or_init(|| self.text.rfind("))")).filter(|last| *last >= self.index);
        let end = last.and_then(|_| find_close(self.rest().as_bytes(), b'(', b')'))?;
        (self.byte_at(end + 1) == Some(b')')).then_some(self.index + end)
    }

    /// An arithmetic expression behind `((`, with its end.
    pub(super) fn parse_arithmetic(&mut self, end: usize) -> ParseResult<BashWord> {
        let (word, _) = self.parse_expression(&["))"])?;
        if self.index == end + 2 { Ok(word) } else { Err("an expression does not end where it seems to") }
    }

    /// An arithmetic expression or a subscript up to one of the ends that are given, which is taken; without ends, all
    /// that is left. Its expansions are done as in double quotes.
    pub(super) fn parse_expression(&mut self, ends: &[&'static str]) -> ParseResult<(BashWord, &'static str)> {
        self.nested(|parser| {
            let mut built = WordBuilder::default();
            let brackets = if ends == ["]"] { ('[', ']') } else { ('(', ')') };
            let mut open = 0_usize;
            loop {
                if open == 0
                    && let Some(end) = ends.iter().copied().find(|end| parser.take(end))
                {
                    return Ok((built.finish(), end));
                }
                let Some(letter) = parser.peek() else {
                    let end = if ends.is_empty() { "" } else { return Err("an expression is not closed") };
                    return Ok((built.finish(), end));
                };
                match letter {
                    '$' | '`' => parser.parse_dollar(&mut built, true)?,
                    '<' | '>' if ends == ["]"] && parser.is_zsh() && parser.byte_at(1) == Some(b'(') => {
                        parser.parse_piece(&mut built)?;
                    }
                    '"' => {
                        parser.index += 1;
                        parser.parse_double_quotes(&mut built)?;
                    }
                    '\\' => {
                        parser.index += 1;
                        match parser.bump() {
                            Some('\n') => {}
                            Some(letter) => built.quoted(letter.encode_utf8(&mut [0; 4])),
                            None => return Err("an expression is not closed"),
                        }
                    }
                    letter => {
                        parser.index += letter.len_utf8();
                        if letter == brackets.0 {
                            open += 1;
                        } else if letter == brackets.1 {
                            open = open.saturating_sub(1);
                        }
                        built.quoted(letter.encode_utf8(&mut [0; 4]));
                    }
                }
            }
        })
    }

    /// The subscript behind a name, with its brackets, if there is one.
    pub(super) fn parse_subscript(&mut self) -> ParseResult<Option<BashWord>> {
        if !self.take("[") {
            return Ok(None);
        }
        let begin = self.index;
        let subscript = self.parse_expression(&["]"])?.0;
        let written = self.text.get(begin..self.index).unwrap_or_default();
        // Whether such quotes are heeded in an expansion depends on the array.
        if written.contains("$'") && written.contains("${") {
            return Err("a subscript may be read in several ways");
        }
        Ok(Some(subscript))
    }

    /// How long the subscript is that begins here, if it is one that an assignment has.
    pub(super) fn subscript_length(&self) -> Option<usize> {
        let bytes = self.rest().as_bytes();
        Some(find_close(bytes.get(1..MAX_SUBSCRIPT.min(bytes.len()))?, b'[', b']')? + 2)
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

/// Where the bracket is that closes what is open in front of these bytes.
fn find_close(bytes: &[u8], opening: u8, closing: u8) -> Option<usize> {
    let (mut index, mut open, mut quote) = (0_usize, 0_usize, None);
    loop {
        match (*bytes.get(index)?, quote) {
            (b'\\', None | Some(b'"' | b'`')) => index += 1,
            (byte, Some(begun)) => quote = Some(begun).filter(|begun| *begun != byte),
            (byte @ (b'"' | b'\'' | b'`'), None) => quote = Some(byte),
            (byte, None) if byte == opening => open += 1,
            (byte, None) if byte == closing && open == 0 => return Some(index),
            (byte, None) => open -= usize::from(byte == closing),
        }
        index += 1;
    }
}

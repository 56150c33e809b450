//! Parses one word of a shell text.

use std::ops::Range;

use super::{CommandParser, CommandWord, WordPart, is_name_letter};

impl CommandParser<'_> {
    /// Moves past the matching closing character, and returns the span before it.
    pub(super) fn skip_balanced(&mut self, close: char) -> Range<usize> {
        let open = if close == ')' { '(' } else { '{' };
        let start = self.index;
        let mut depth = 1_usize;
        let mut quote = None;
        while let Some(letter) = self.next() {
            match (quote, letter) {
                (_, '\\') if quote != Some('\'') => drop(self.next()),
                (Some(mark), letter) if letter == mark => quote = None,
                (None, '\'' | '"') => quote = Some(letter),
                (None, letter) if letter == open => depth += 1,
                (None, letter) if letter == close => {
                    depth -= 1;
                    if depth == 0 {
                        return start..self.index - letter.len_utf8();
                    }
                }
                _ => {}
            }
        }
        start..self.end
    }

    pub(super) fn parse_word(&mut self) -> CommandWord {
        let start = self.index;
        let mut parts = Vec::new();
        if self.peek() == Some('~') {
            self.next();
            let is_own = matches!(self.peek(), None | Some('/' | ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | ':'));
            parts.push(if is_own { WordPart::Home } else { WordPart::Unknown });
        }
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.next();
                    let length = self.remaining_text().find('\'').unwrap_or(self.remaining_text().len());
                    push_text(&mut parts, self.remaining_text().get(..length).unwrap_or_default());
                    self.index = (self.index + length + 1).min(self.end);
                }
                '"' => {
                    self.next();
                    self.parse_quoted(&mut parts);
                }
                '\\' => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some(letter) => push_text(&mut parts, letter.encode_utf8(&mut [0; 4])),
                    }
                }
                '$' | '`' => self.parse_expansion(&mut parts, false),
                '*' | '?' => {
                    self.next();
                    parts.push(WordPart::Glob(letter.to_string()));
                }
                '[' => {
                    let length = self
                        .remaining_text()
                        .find([']', ' ', '\n'])
                        .filter(|index| self.remaining_text().get(*index..=*index) == Some("]"));
                    match length.filter(|length| *length > 1) {
                        Some(length) => {
                            parts.push(WordPart::Glob(
                                self.remaining_text().get(..=length).unwrap_or_default().to_owned(),
                            ));
                            self.index += length + 1;
                        }
                        None => {
                            self.next();
                            push_text(&mut parts, "[");
                        }
                    }
                }
                '{' => self.parse_braces(&mut parts),
                letter => {
                    self.next();
                    push_text(&mut parts, letter.encode_utf8(&mut [0; 4]));
                }
            }
        }
        CommandWord { parts, span: start..self.index }
    }

    fn parse_braces(&mut self, parts: &mut Vec<WordPart>) {
        let length = self
            .remaining_text()
            .find(['}', ' ', '\n', ';'])
            .filter(|index| self.remaining_text().get(*index..=*index) == Some("}"));
        let inner = length.and_then(|length| self.remaining_text().get(1..length)).unwrap_or_default().to_owned();
        let is_plain = !inner.contains(['$', '`', '\'', '"', '{', '\\']);
        match length {
            Some(length) if inner.contains(',') && is_plain => {
                let mut all: Vec<String> = inner.split(',').map(str::to_owned).collect();
                // A shell without brace expansion takes the braces literally.
                all.push(format!("{{{inner}}}"));
                parts.push(WordPart::OneOf(all));
                self.index += length + 1;
            }
            Some(length) if inner.contains("..") || (inner.contains(',') && !is_plain) => {
                parts.push(WordPart::Unknown);
                self.index += length + 1;
            }
            _ => {
                self.next();
                push_text(parts, "{");
            }
        }
    }

    fn parse_quoted(&mut self, parts: &mut Vec<WordPart>) {
        push_text(parts, "");
        while let Some(letter) = self.peek() {
            match letter {
                '"' => {
                    self.next();
                    return;
                }
                '\\' => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some(letter @ ('$' | '`' | '"' | '\\')) => push_text(parts, letter.encode_utf8(&mut [0; 4])),
                        Some(letter) => push_text(parts, &format!("\\{letter}")),
                    }
                }
                '$' | '`' => self.parse_expansion(parts, true),
                letter => {
                    self.next();
                    push_text(parts, letter.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    /// Parses an expansion that starts with `$` or a backtick.
    fn parse_expansion(&mut self, parts: &mut Vec<WordPart>, is_quoted: bool) {
        if self.skip("`") {
            let length = self.remaining_text().find('`').unwrap_or(self.remaining_text().len());
            let span = self.index..self.index + length;
            self.index = (span.end + 1).min(self.end);
            self.parse_nested(span);
            return parts.push(WordPart::Unknown);
        }
        self.next();
        if !is_quoted && self.skip("'") {
            return push_text(parts, &self.parse_escaped());
        }
        if !is_quoted && self.skip("\"") {
            return self.parse_quoted(parts);
        }
        if self.skip("((") {
            self.skip_balanced(')');
            self.skip(")");
            return parts.push(WordPart::Unknown);
        }
        if self.skip("(") {
            let span = self.skip_balanced(')');
            let inner = self.text.get(span.clone()).unwrap_or_default().trim();
            // Commands that print the project's directory.
            let asked = match inner {
                "pwd" => Some("PWD"),
                "git rev-parse --show-toplevel" => Some("PROJECT_DIR"),
                _ => None,
            };
            if let Some(name) = asked {
                return parts.push(WordPart::Variable(name.to_owned()));
            }
            self.parse_nested(span);
            return parts.push(WordPart::Unknown);
        }
        if self.skip("{") {
            let span = self.skip_balanced('}');
            let inner = self.text.get(span).unwrap_or_default();
            let length = inner.find(|letter: char| !is_name_letter(letter)).unwrap_or(inner.len());
            let (name, behind) = inner.split_at(length);
            // A default value replaces a variable that is not set, and may be anything.
            let is_known =
                behind.is_empty() || matches!(behind, ":-." | "-." | ":-$PWD" | "-$PWD") || behind.starts_with(":?");
            return parts.push(if is_known { WordPart::Variable(name.to_owned()) } else { WordPart::Unknown });
        }
        let length =
            self.remaining_text().find(|letter: char| !is_name_letter(letter)).unwrap_or(self.remaining_text().len());
        match self.remaining_text().get(..length).filter(|name| !name.is_empty()) {
            Some(name) => {
                parts.push(WordPart::Variable(name.to_owned()));
                self.index += length;
            }
            None if matches!(self.peek(), Some('?' | '#' | '$' | '!' | '-' | '@' | '*')) => {
                let is_number = matches!(self.peek(), Some('?' | '#' | '$'));
                self.next();
                if is_number { push_text(parts, "0") } else { parts.push(WordPart::Unknown) }
            }
            None => push_text(parts, "$"),
        }
    }

    /// The text of `$'..'`.
    fn parse_escaped(&mut self) -> String {
        let mut text = Vec::new();
        while let Some(letter) = self.next() {
            if letter == '\'' {
                break;
            }
            if letter != '\\' {
                text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            let number = |reader: &mut Self, most: usize, radix: u32| {
                let digits: String =
                    reader.remaining_text().chars().take(most).take_while(|digit| digit.is_digit(radix)).collect();
                reader.index += digits.len();
                u32::from_str_radix(&digits, radix).unwrap_or_default()
            };
            match self.next() {
                Some('n') => text.push(b'\n'),
                Some('t') => text.push(b'\t'),
                Some('x') => text.push(u8::try_from(number(self, 2, 16)).unwrap_or_default()),
                Some(letter @ ('u' | 'U')) => {
                    let code = number(self, if letter == 'u' { 4 } else { 8 }, 16);
                    let letter = char::from_u32(code).unwrap_or_default();
                    text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some('0'..='7') => {
                    self.index -= 1;
                    text.push(u8::try_from(number(self, 3, 8)).unwrap_or_default());
                }
                Some(letter) => text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
                None => {}
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn push_text(parts: &mut Vec<WordPart>, text: &str) {
    match parts.last_mut() {
        Some(WordPart::Text(known)) => known.push_str(text),
        _ => parts.push(WordPart::Text(text.to_owned())),
    }
}

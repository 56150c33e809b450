//! One word of a shell's text.

use std::ops::Range;

use super::{Part, Reader, Word, is_name};

impl Reader<'_> {
    /// Goes behind the sign that closes what is open here, and gives what stands before it.
    pub(super) fn balanced(&mut self, close: char) -> Range<usize> {
        let open = if close == ')' { '(' } else { '{' };
        let start = self.at;
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
                        return start..self.at - letter.len_utf8();
                    }
                }
                _ => {}
            }
        }
        start..self.end
    }

    pub(super) fn word(&mut self) -> Word {
        let start = self.at;
        let mut parts = Vec::new();
        if self.peek() == Some('~') {
            self.next();
            let is_own = matches!(self.peek(), None | Some('/' | ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | ':'));
            parts.push(if is_own { Part::Home } else { Part::Unknown });
        }
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.next();
                    let length = self.rest().find('\'').unwrap_or(self.rest().len());
                    push(&mut parts, self.rest().get(..length).unwrap_or_default());
                    self.at = (self.at + length + 1).min(self.end);
                }
                '"' => {
                    self.next();
                    self.quoted(&mut parts);
                }
                '\\' => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some(letter) => push(&mut parts, letter.encode_utf8(&mut [0; 4])),
                    }
                }
                '$' | '`' => self.expansion(&mut parts, false),
                '*' | '?' => {
                    self.next();
                    parts.push(Part::Glob(letter.to_string()));
                }
                '[' => {
                    let length =
                        self.rest().find([']', ' ', '\n']).filter(|at| self.rest().get(*at..=*at) == Some("]"));
                    match length.filter(|length| *length > 1) {
                        Some(length) => {
                            parts.push(Part::Glob(self.rest().get(..=length).unwrap_or_default().to_owned()));
                            self.at += length + 1;
                        }
                        None => {
                            self.next();
                            push(&mut parts, "[");
                        }
                    }
                }
                '{' => self.braces(&mut parts),
                letter => {
                    self.next();
                    push(&mut parts, letter.encode_utf8(&mut [0; 4]));
                }
            }
        }
        Word { parts, span: start..self.at }
    }

    fn braces(&mut self, parts: &mut Vec<Part>) {
        let length = self.rest().find(['}', ' ', '\n', ';']).filter(|at| self.rest().get(*at..=*at) == Some("}"));
        let inner = length.and_then(|length| self.rest().get(1..length)).unwrap_or_default().to_owned();
        let is_plain = !inner.contains(['$', '`', '\'', '"', '{', '\\']);
        match length {
            Some(length) if inner.contains(',') && is_plain => {
                let mut all: Vec<String> = inner.split(',').map(str::to_owned).collect();
                // A shell that knows no braces takes them as they are.
                all.push(format!("{{{inner}}}"));
                parts.push(Part::OneOf(all));
                self.at += length + 1;
            }
            Some(length) if inner.contains("..") || (inner.contains(',') && !is_plain) => {
                parts.push(Part::Unknown);
                self.at += length + 1;
            }
            _ => {
                self.next();
                push(parts, "{");
            }
        }
    }

    fn quoted(&mut self, parts: &mut Vec<Part>) {
        push(parts, "");
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
                        Some(letter @ ('$' | '`' | '"' | '\\')) => push(parts, letter.encode_utf8(&mut [0; 4])),
                        Some(letter) => push(parts, &format!("\\{letter}")),
                    }
                }
                '$' | '`' => self.expansion(parts, true),
                letter => {
                    self.next();
                    push(parts, letter.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    /// What begins with `$` or a backtick.
    fn expansion(&mut self, parts: &mut Vec<Part>, is_quoted: bool) {
        if self.skip("`") {
            let length = self.rest().find('`').unwrap_or(self.rest().len());
            let span = self.at..self.at + length;
            self.at = (span.end + 1).min(self.end);
            self.nested(span);
            return parts.push(Part::Unknown);
        }
        self.next();
        if !is_quoted && self.skip("'") {
            return push(parts, &self.escaped());
        }
        if !is_quoted && self.skip("\"") {
            return self.quoted(parts);
        }
        if self.skip("((") {
            self.balanced(')');
            self.skip(")");
            return parts.push(Part::Unknown);
        }
        if self.skip("(") {
            let span = self.balanced(')');
            let inner = self.text.get(span.clone()).unwrap_or_default().trim();
            // Where the project is, asked of others than a variable.
            let asked = match inner {
                "pwd" => Some("PWD"),
                "git rev-parse --show-toplevel" => Some("PROJECT_DIR"),
                _ => None,
            };
            if let Some(name) = asked {
                return parts.push(Part::Variable(name.to_owned()));
            }
            self.nested(span);
            return parts.push(Part::Unknown);
        }
        if self.skip("{") {
            let span = self.balanced('}');
            let inner = self.text.get(span).unwrap_or_default();
            let length = inner.find(|letter: char| !is_name(letter)).unwrap_or(inner.len());
            let (name, behind) = inner.split_at(length);
            // A default stands for the variable where that is not set, and may be anything.
            let is_known =
                behind.is_empty() || matches!(behind, ":-." | "-." | ":-$PWD" | "-$PWD") || behind.starts_with(":?");
            return parts.push(if is_known { Part::Variable(name.to_owned()) } else { Part::Unknown });
        }
        let length = self.rest().find(|letter: char| !is_name(letter)).unwrap_or(self.rest().len());
        match self.rest().get(..length).filter(|name| !name.is_empty()) {
            Some(name) => {
                parts.push(Part::Variable(name.to_owned()));
                self.at += length;
            }
            None if matches!(self.peek(), Some('?' | '#' | '$' | '!' | '-' | '@' | '*')) => {
                let is_number = matches!(self.peek(), Some('?' | '#' | '$'));
                self.next();
                if is_number { push(parts, "0") } else { parts.push(Part::Unknown) }
            }
            None => push(parts, "$"),
        }
    }

    /// The text of `$'..'`.
    fn escaped(&mut self) -> String {
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
                    reader.rest().chars().take(most).take_while(|digit| digit.is_digit(radix)).collect();
                reader.at += digits.len();
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
                    self.at -= 1;
                    text.push(u8::try_from(number(self, 3, 8)).unwrap_or_default());
                }
                Some(letter) => text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
                None => {}
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn push(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(known)) => known.push_str(text),
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

//! The words of a shell's command line, as far as they can be read without running it.

/// A piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word without its quotes; whether some of it was quoted, so that it is no pattern.
    Word(String, bool),
    /// `>`, `>>`, `>|`, `&>`, `<>`: the next word is written to.
    Into,
    /// `<`, `<<<`: the next word is read.
    From,
    /// The end of a command: `;`, `&`, `&&`, `||`, a line's end, a bracket.
    End,
    /// `|`: the next command reads what this one prints.
    Pipe,
    /// The text behind `<<`.
    Document(String),
}

/// Reads a command line. What is not understood becomes part of a word.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut reader = Reader {
        letters: text.chars().collect(),
        at: 0,
        word: None,
        quoted: false,
        found: Vec::new(),
        documents: Vec::new(),
    };
    reader.read();
    reader.found
}

/// A word as a shell reads it literally.
#[must_use]
pub fn quoted_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

struct Reader {
    letters: Vec<char>,
    at: usize,
    word: Option<String>,
    quoted: bool,
    found: Vec<Piece>,
    /// The ends of documents that begin with the next line.
    documents: Vec<String>,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek(0);
        self.at += 1;
        letter
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        let quoted = std::mem::take(&mut self.quoted);
        if let Some(word) = self.word.take() {
            self.found.push(Piece::Word(word, quoted));
        }
    }

    fn end(&mut self, piece: Piece) {
        self.end_word();
        self.found.push(piece);
    }

    fn read(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '\'' => self.single(),
                '"' => self.double(),
                '$' if self.peek(0) == Some('\'') => {
                    self.at += 1;
                    self.escaped();
                }
                '$' if self.peek(0) == Some('"') => {}
                '$' if self.peek(0) == Some('(') => self.end(Piece::End),
                '\\' => {
                    if let Some(next) = self.next() {
                        self.quoted = true;
                        self.push(next);
                    }
                }
                '#' if self.word.is_none() => {
                    while self.peek(0).is_some_and(|letter| letter != '\n') {
                        self.at += 1;
                    }
                }
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    self.end(Piece::End);
                    self.documents();
                }
                ';' | '(' | ')' | '`' => self.end(Piece::End),
                '|' if self.peek(0) == Some('|') => {
                    self.at += 1;
                    self.end(Piece::End);
                }
                '|' => {
                    self.at += usize::from(self.peek(0) == Some('&'));
                    self.end(Piece::Pipe);
                }
                '&' if self.peek(0) == Some('>') => self.end_word(),
                '&' => self.end(Piece::End),
                '>' | '<' => self.redirect(letter),
                letter => self.push(letter),
            }
        }
        self.end_word();
    }

    fn single(&mut self) {
        self.word.get_or_insert_default();
        self.quoted = true;
        while let Some(letter) = self.next().filter(|letter| *letter != '\'') {
            self.push(letter);
        }
    }

    fn double(&mut self) {
        self.word.get_or_insert_default();
        self.quoted = true;
        while let Some(letter) = self.next().filter(|letter| *letter != '"') {
            match letter {
                '\\' if self.peek(0).is_some_and(|next| "\"\\$`".contains(next)) => {
                    if let Some(next) = self.next() {
                        self.push(next);
                    }
                }
                letter => self.push(letter),
            }
        }
    }

    /// `$'..'`, in which letters may be written by their numbers.
    fn escaped(&mut self) {
        self.word.get_or_insert_default();
        self.quoted = true;
        while let Some(letter) = self.next().filter(|letter| *letter != '\'') {
            if letter != '\\' {
                self.push(letter);
                continue;
            }
            let Some(kind) = self.next() else { return };
            let (digits, radix) = match kind {
                'x' => (2, 16),
                'u' => (4, 16),
                'U' => (8, 16),
                '0'..='7' => {
                    self.at -= 1;
                    (3, 8)
                }
                kind => {
                    self.push(match kind {
                        'n' => '\n',
                        't' => '\t',
                        kind => kind,
                    });
                    continue;
                }
            };
            let mut number = 0;
            for _ in 0..digits {
                let Some(digit) = self.peek(0).and_then(|digit| digit.to_digit(radix)) else { break };
                number = number * radix + digit;
                self.at += 1;
            }
            self.push(char::from_u32(number).unwrap_or('\u{fffd}'));
        }
    }

    fn redirect(&mut self, sign: char) {
        // A number before the sign says which stream.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|letter| letter.is_ascii_digit())) && !self.quoted {
            self.word = None;
        }
        self.end_word();
        let next = self.peek(0);
        match (sign, next) {
            ('<', Some('<')) if self.peek(1) == Some('<') => {
                self.at += 2;
                self.found.push(Piece::From);
            }
            ('<', Some('<')) => {
                self.at += 1 + usize::from(self.peek(1) == Some('-'));
                self.heading();
            }
            // `<(..)` and `>(..)` hold commands.
            (_, Some('(')) => self.found.push(Piece::End),
            ('>', Some('&')) | ('<', Some('&')) => {
                self.at += 1;
                // `2>&1` names a stream, `>&file` a file.
                let is_stream = self.peek(0).is_some_and(|letter| letter.is_ascii_digit() || letter == '-');
                self.found.push(if is_stream || sign == '<' { Piece::From } else { Piece::Into });
            }
            ('>', Some('>' | '|')) | ('<', Some('>')) => {
                self.at += 1;
                self.found.push(Piece::Into);
            }
            ('>', _) => self.found.push(Piece::Into),
            _ => self.found.push(Piece::From),
        }
    }

    /// The word that ends a document.
    fn heading(&mut self) {
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let mut end = String::new();
        while let Some(letter) = self.peek(0).filter(|letter| !" \t\n;|&<>()".contains(*letter)) {
            self.at += 1;
            if !matches!(letter, '\'' | '"' | '\\') {
                end.push(letter);
            }
        }
        self.documents.push(end);
    }

    /// The documents that begin on this line. Each is told behind the command line that it belongs to.
    fn documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            let mut text = String::new();
            loop {
                let line: String = self
                    .letters
                    .get(self.at..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|letter| **letter != '\n')
                    .collect();
                let is_last = self.at >= self.letters.len();
                self.at += line.chars().count() + 1;
                if is_last || line.trim_start_matches('\t') == end {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            self.found.push(Piece::Document(text));
        }
    }
}

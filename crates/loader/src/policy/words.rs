//! Splits a shell command line into words, as far as possible without running it.

/// A token of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandToken {
    /// A word without its quotes, and whether some of it was quoted, so that it is not a pattern.
    Word(String, bool),
    /// `>`, `>>`, `>|`, `&>`, `<>`: writes to the next word.
    OutputRedirect,
    /// `<`, `<<<`: reads the next word.
    InputRedirect,
    /// The end of a command: `;`, `&`, `&&`, `||`, a newline, a bracket.
    End,
    /// `|`: the next command reads the output of this one.
    Pipe,
    /// The text of a here-document.
    Document(String),
}

/// Reads a command line. Unknown characters become part of a word.
pub(super) fn tokenize_command(text: &str) -> Vec<CommandToken> {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut reader = CommandTokenizer {
        letters: text.chars().collect(),
        index: 0,
        word: None,
        is_quoted: false,
        tokens: Vec::new(),
        pending_documents: Vec::new(),
    };
    reader.read_all();
    reader.tokens
}

/// A word quoted so that a shell reads it literally.
#[must_use]
pub fn quote_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

struct CommandTokenizer {
    letters: Vec<char>,
    index: usize,
    word: Option<String>,
    is_quoted: bool,
    tokens: Vec<CommandToken>,
    /// The end markers of here-documents that start on the next line.
    pending_documents: Vec<String>,
}

impl CommandTokenizer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.index + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek(0);
        self.index += 1;
        letter
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        let quoted = std::mem::take(&mut self.is_quoted);
        if let Some(word) = self.word.take() {
            self.tokens.push(CommandToken::Word(word, quoted));
        }
    }

    fn end_command(&mut self, piece: CommandToken) {
        self.end_word();
        self.tokens.push(piece);
    }

    fn read_all(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '\'' => self.read_single_quoted(),
                '"' => self.read_double_quoted(),
                '$' if self.peek(0) == Some('\'') => {
                    self.index += 1;
                    self.read_escaped();
                }
                '$' if self.peek(0) == Some('"') => {}
                '$' if self.peek(0) == Some('(') => self.end_command(CommandToken::End),
                '\\' => {
                    if let Some(next) = self.next() {
                        self.is_quoted = true;
                        self.push(next);
                    }
                }
                '#' if self.word.is_none() => {
                    while self.peek(0).is_some_and(|letter| letter != '\n') {
                        self.index += 1;
                    }
                }
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    self.end_command(CommandToken::End);
                    self.read_documents();
                }
                ';' | '(' | ')' | '`' => self.end_command(CommandToken::End),
                '|' if self.peek(0) == Some('|') => {
                    self.index += 1;
                    self.end_command(CommandToken::End);
                }
                '|' => {
                    self.index += usize::from(self.peek(0) == Some('&'));
                    self.end_command(CommandToken::Pipe);
                }
                '&' if self.peek(0) == Some('>') => self.end_word(),
                '&' => self.end_command(CommandToken::End),
                '>' | '<' => self.read_redirection(letter),
                letter => self.push(letter),
            }
        }
        self.end_word();
    }

    fn read_single_quoted(&mut self) {
        self.word.get_or_insert_default();
        self.is_quoted = true;
        while let Some(letter) = self.next().filter(|letter| *letter != '\'') {
            self.push(letter);
        }
    }

    fn read_double_quoted(&mut self) {
        self.word.get_or_insert_default();
        self.is_quoted = true;
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

    /// Reads `$'..'`, in which characters can be written as numbers.
    fn read_escaped(&mut self) {
        self.word.get_or_insert_default();
        self.is_quoted = true;
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
                    self.index -= 1;
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
                self.index += 1;
            }
            self.push(char::from_u32(number).unwrap_or('\u{fffd}'));
        }
    }

    fn read_redirection(&mut self, sign: char) {
        // A number before the operator selects a stream.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|letter| letter.is_ascii_digit())) && !self.is_quoted
        {
            self.word = None;
        }
        self.end_word();
        let next = self.peek(0);
        match (sign, next) {
            ('<', Some('<')) if self.peek(1) == Some('<') => {
                self.index += 2;
                self.tokens.push(CommandToken::InputRedirect);
            }
            ('<', Some('<')) => {
                self.index += 1 + usize::from(self.peek(1) == Some('-'));
                self.read_document_end();
            }
            // `<(..)` and `>(..)` contain commands.
            (_, Some('(')) => self.tokens.push(CommandToken::End),
            ('>', Some('&')) | ('<', Some('&')) => {
                self.index += 1;
                // `2>&1` names a stream, `>&file` a file.
                let is_stream = self.peek(0).is_some_and(|letter| letter.is_ascii_digit() || letter == '-');
                self.tokens.push(if is_stream || sign == '<' {
                    CommandToken::InputRedirect
                } else {
                    CommandToken::OutputRedirect
                });
            }
            ('>', Some('>' | '|')) | ('<', Some('>')) => {
                self.index += 1;
                self.tokens.push(CommandToken::OutputRedirect);
            }
            ('>', _) => self.tokens.push(CommandToken::OutputRedirect),
            _ => self.tokens.push(CommandToken::InputRedirect),
        }
    }

    /// Reads the word that ends a here-document.
    fn read_document_end(&mut self) {
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.index += 1;
        }
        let mut end = String::new();
        while let Some(letter) = self.peek(0).filter(|letter| !" \t\n;|&<>()".contains(*letter)) {
            self.index += 1;
            if !matches!(letter, '\'' | '"' | '\\') {
                end.push(letter);
            }
        }
        self.pending_documents.push(end);
    }

    /// Reads the here-documents of this line. Each follows the command line that it belongs to.
    fn read_documents(&mut self) {
        for end in std::mem::take(&mut self.pending_documents) {
            let mut text = String::new();
            loop {
                let line: String = self
                    .letters
                    .get(self.index..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|letter| **letter != '\n')
                    .collect();
                let is_last = self.index >= self.letters.len();
                self.index += line.chars().count() + 1;
                if is_last || line.trim_start_matches('\t') == end {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            self.tokens.push(CommandToken::Document(text));
        }
    }
}

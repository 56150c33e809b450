//! The words of SQL: comments taken off, texts kept apart.

use crate::word_lists::is_listed;

/// The most words of a text that are looked at.
const MAX_WORDS: usize = 20_000;

/// A word of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SqlWord {
    /// A keyword or a name, as written, and in upper case.
    Word(String, String),
    /// A quoted name.
    Quoted(String),
    /// A text.
    Text(String),
    Number(String),
    Mark(char),
}

impl SqlWord {
    /// The word in upper case.
    pub(super) fn keyword(&self) -> Option<&str> {
        match self {
            Self::Word(_, upper) => Some(upper),
            _ => None,
        }
    }

    pub(super) fn is_any(&self, any: &str) -> bool {
        match self {
            Self::Word(_, upper) => is_listed(any, upper),
            Self::Mark(mark) => any.split(' ').any(|wanted| wanted.len() == 1 && wanted.starts_with(*mark)),
            _ => false,
        }
    }

    /// As written.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Word(word, _) | Self::Quoted(word) | Self::Number(word) => word.clone(),
            Self::Text(text) => format!("'{}'", text.chars().take(40).collect::<String>()),
            Self::Mark(mark) => mark.to_string(),
        }
    }
}

/// Reads statements: words between `;`, `\g`, and lines that say `GO`.
pub(super) fn read_statements(text: &str) -> Vec<Vec<SqlWord>> {
    let mut reader = WordReader { text, at: 0 };
    let mut statements = vec![Vec::new()];
    let mut count = 0_usize;
    while let Some(word) = reader.next_word() {
        count += 1;
        if count > MAX_WORDS {
            break;
        }
        if word == SqlWord::Mark(';') || word.is_any("GO") {
            statements.push(Vec::new());
        } else if let Some(last) = statements.last_mut() {
            last.push(word);
        }
    }
    statements.retain(|statement| !statement.is_empty());
    statements
}

struct WordReader<'t> {
    text: &'t str,
    at: usize,
}

impl WordReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What is before the first `end`, and goes behind it.
    fn take_until(&mut self, end: &str) -> String {
        let rest = self.rest();
        let (content, length) = match rest.find(end) {
            Some(index) => (rest.get(..index).unwrap_or_default().to_owned(), index + end.len()),
            None => (rest.to_owned(), rest.len()),
        };
        self.at += length;
        content
    }

    fn next_word(&mut self) -> Option<SqlWord> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            let second = rest.chars().nth(1);
            match (first, second) {
                ('-', Some('-')) => drop(self.take_until("\n")),
                ('#', None | Some(' ' | '\t' | '\n')) => drop(self.take_until("\n")),
                // Servers of one kind run what is in such a comment.
                ('/', Some('*')) if rest.starts_with("/*!") || rest.starts_with("/*M!") => {
                    self.at += rest.find('!').unwrap_or(0) + 1;
                    self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
                }
                ('*', Some('/')) => self.at += 2,
                ('/', Some('*')) => drop(self.take_until("*/")),
                ('\\', Some('g' | 'G' | ';')) => {
                    self.at += 2;
                    return Some(SqlWord::Mark(';'));
                }
                ('$', _) if self.dollar_tag().is_some() => {
                    let tag = self.dollar_tag().unwrap_or_default();
                    self.at += tag.len();
                    return Some(SqlWord::Text(self.take_until(&tag)));
                }
                ('\'', _) => return Some(SqlWord::Text(self.quoted('\''))),
                ('"' | '`', _) => return Some(SqlWord::Quoted(self.quoted(first))),
                ('[', _)
                    if self
                        .rest()
                        .get(1..)
                        .is_some_and(|name| name.starts_with(|letter: char| letter.is_alphabetic())) =>
                {
                    self.at += 1;
                    return Some(SqlWord::Quoted(self.take_until("]")));
                }
                _ if first.is_whitespace() => self.at += first.len_utf8(),
                _ if first.is_ascii_digit() => {
                    let number: String =
                        rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '.').collect();
                    self.at += number.len();
                    return Some(SqlWord::Number(number));
                }
                _ if first.is_alphabetic()
                    || matches!(first, '_' | '@' | '#' | ':') && second.is_some_and(char::is_alphanumeric) =>
                {
                    return Some(self.name());
                }
                _ => {
                    self.at += first.len_utf8();
                    return Some(SqlWord::Mark(first));
                }
            }
        }
    }

    fn name(&mut self) -> SqlWord {
        let is_part =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '@' | '#' | ':' | '.' | '*');
        // `schema.*` belongs to the name, `count(*)` and `a*b` do not.
        let mut word: String = self.rest().chars().take_while(|letter| is_part(*letter)).collect();
        if let Some(star) = word.find('*').filter(|star| !word.get(..*star).is_some_and(|before| before.ends_with('.')))
        {
            word.truncate(star);
        }
        self.at += word.len();
        // Texts with a prefix: `E'…'`, `N'…'`.
        if matches!(word.as_str(), "E" | "e" | "N" | "n" | "B" | "x" | "X" | "r" | "R") && self.rest().starts_with('\'')
        {
            return SqlWord::Text(self.quoted('\''));
        }
        let upper = word.to_uppercase();
        SqlWord::Word(word, upper)
    }

    /// A text in quotes; a doubled quote is one quote, as is one behind a backslash.
    fn quoted(&mut self, quote: char) -> String {
        let mut content = String::new();
        self.at += quote.len_utf8();
        let mut letters = self.text.get(self.at..).unwrap_or_default().chars().peekable();
        while let Some(letter) = letters.next() {
            self.at += letter.len_utf8();
            let doubled = letter == quote && letters.peek() == Some(&quote);
            if doubled || letter == '\\' && letters.peek() == Some(&quote) {
                letters.next();
                self.at += quote.len_utf8();
                content.push(quote);
            } else if letter == quote {
                break;
            } else {
                content.push(letter);
            }
        }
        content
    }

    /// `$$` or `$name$` at the place, if a text begins there.
    fn dollar_tag(&self) -> Option<String> {
        let rest = self.rest().strip_prefix('$')?;
        let end = rest.find('$')?;
        let name = rest.get(..end)?;
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        (is_name && !name.starts_with(|letter: char| letter.is_ascii_digit())).then(|| format!("${name}$"))
    }
}

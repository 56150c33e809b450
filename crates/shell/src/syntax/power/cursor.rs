//! The place in the text that is being parsed.

/// The deepest nesting of brackets.
const MAX_NESTING: usize = 24;

/// A text with the place up to which it was parsed. After a fault it is at the end of the text.
#[derive(Debug)]
pub(super) struct PowerCursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    depth: usize,
    pub(super) fault: Option<&'static str>,
}

impl<'t> PowerCursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, depth: 0, fault: None }
    }

    /// Another one for a part of the text, at the same depth of nesting.
    pub(super) fn for_part(&self, begin: usize, end: usize) -> Self {
        Self { text: self.text.get(..end).unwrap_or_default(), at: begin, depth: self.depth, fault: None }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Stops at the first fault: nothing behind it is known.
    pub(super) fn fail(&mut self, fault: &'static str) {
        self.fault.get_or_insert(fault);
        self.at = self.text.len();
    }

    /// Stops if nothing was taken since a place.
    pub(super) fn expect_progress(&mut self, before: usize) {
        if self.at == before {
            self.fail("an unexpected character");
        }
    }

    /// One level deeper; `false` if that is too deep.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_NESTING {
            self.fail("it is nested too deeply");
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Skips spaces, comments, and line ends behind a backtick.
    pub(super) fn skip_space(&mut self) {
        loop {
            match self.peek() {
                Some('\n' | '\r') => return,
                Some(letter) if letter.is_whitespace() => self.bump(),
                Some('#') => {
                    let end = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += end;
                }
                Some('<') if self.peek_second() == Some('#') => match self.rest().find("#>") {
                    Some(end) => self.at += end + 2,
                    None => self.fail("a comment is not closed"),
                },
                Some('`') if matches!(self.peek_second(), Some('\n' | '\r')) => {
                    self.bump();
                    self.eat("\r");
                    self.eat("\n");
                }
                _ => return,
            }
        }
    }

    /// Skips spaces, comments and line ends.
    pub(super) fn skip_blank(&mut self) {
        self.skip_space();
        while matches!(self.peek(), Some('\n' | '\r')) {
            self.bump();
            self.skip_space();
        }
    }

    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// The name of a variable, with its scope.
    pub(super) fn take_name(&mut self) -> String {
        if self.eat("{") {
            let name = self.take_while(|letter| letter != '}').replace('`', "");
            self.eat("}");
            return name;
        }
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut name = self.take_while(is_part).to_owned();
        if name.is_empty() && matches!(self.peek(), Some('$' | '?' | '^')) {
            name.extend(self.peek());
            self.bump();
        }
        if self.peek() == Some(':') && self.peek_second().is_some_and(is_part) {
            self.bump();
            name.push(':');
            name.push_str(self.take_while(is_part));
        }
        name
    }

    /// The next letter inside brackets; `None` behind the closing one, or if nothing more can be read.
    pub(super) fn next_inside(&mut self, end: char) -> Option<char> {
        self.skip_blank();
        match self.peek() {
            _ if self.fault.is_some() => None,
            None => {
                self.fail("a bracket is not closed");
                None
            }
            Some(letter) if letter == end => {
                self.bump();
                None
            }
            letter => letter,
        }
    }

    /// The word of letters that comes next, in lower case, if nothing else belongs to it. It is not taken.
    pub(super) fn keyword(&self) -> String {
        let rest = self.rest();
        let end = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        let is_whole = !rest.get(end..).unwrap_or_default().starts_with(['-', '.', ':', '\\', '/', '_', '=']);
        let word = rest.get(..end).unwrap_or_default();
        if is_whole && end <= 12 { word.to_ascii_lowercase() } else { String::new() }
    }

    /// Whether a bracket is next; options such as those of `switch -regex` are skipped.
    pub(super) fn is_next_open(&mut self, bracket: char) -> bool {
        self.skip_blank();
        while bracket == '(' && self.peek() == Some('-') {
            self.take_while(|letter| letter == '-' || letter.is_alphanumeric());
            self.skip_blank();
        }
        self.peek() == Some(bracket)
    }

    pub(super) fn skip_past(&mut self, ends: &[char]) {
        self.take_while(|letter| !ends.contains(&letter));
        self.bump();
    }

    /// Skips `[ … ]` with brackets inside.
    pub(super) fn skip_brackets(&mut self) {
        let mut depth = 0_usize;
        while let Some(letter) = self.peek() {
            self.bump();
            match letter {
                '[' => depth += 1,
                ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
        self.fail("a bracket is not closed");
    }
}

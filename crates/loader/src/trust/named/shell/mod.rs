//! The commands of a shell's text: their words, and what is written and read by redirection.
//!
//! This is no shell. It reads what can be read without running anything, and says of the rest that it is not known.

mod word;

use std::ops::Range;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text as it is, quotes taken off.
    Text(String),
    /// A variable by its name.
    Variable(String),
    /// What a command prints, a computed value, or anything else that is only known when it runs.
    Unknown,
    /// `*`, `?` or `[..]`, as in the names of files.
    Glob(String),
    /// One of several texts: `{a,b}`.
    OneOf(Vec<String>),
    /// `~` at the beginning.
    Home,
}

/// A word, and where it stands in the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    pub(super) span: Range<usize>,
}

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// Variables that it sets: before its own words, by `for`, or alone.
    pub(super) sets: Vec<(String, Word)>,
    /// Files that it is given as input.
    pub(super) reads: Vec<Word>,
    /// Files that its output goes to.
    pub(super) writes: Vec<Word>,
    /// Texts that it is given as input: where each stands.
    pub(super) inputs: Vec<Range<usize>>,
    /// Where it stands.
    pub(super) span: Range<usize>,
    /// Whether it defines a function of its name.
    pub(super) defines: bool,
}

impl Word {
    /// A word that is what it says.
    pub(super) fn plain(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())], span: 0..0 }
    }

    /// Its text, when that is known without running anything.
    pub(super) fn text(&self) -> Option<String> {
        self.parts.iter().map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None }).collect()
    }
}

/// Words after which another command begins.
const OPENING: [&str; 11] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "time", "coproc"];
/// The deepest substitution that is looked into.
const MOST_DEPTH: usize = 8;

/// The commands of a text in the order in which they begin, those of substitutions included.
pub(super) fn commands(text: &str, span: Range<usize>) -> Vec<Command> {
    let mut reader =
        Reader { text, at: span.start, end: span.end, depth: 0, done: Vec::new(), bodies: Vec::new(), line: 0 };
    reader.list();
    reader.done
}

/// A text in which only variables mean something.
pub(super) fn quoted_word(text: &str) -> Word {
    let quoted = format!("\"{text}\"");
    let word = commands(&quoted, 0..quoted.len()).into_iter().find_map(|command| command.words.into_iter().next());
    let home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (word, home) {
        (_, Some(rest)) => Word { parts: vec![Part::Home, Part::Text(rest.to_owned())], span: 0..0 },
        (Some(word), None) => word,
        (None, None) => Word::plain(text),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    depth: usize,
    done: Vec<Command>,
    /// Here-documents whose bodies come behind this line: their ends, and whose they are.
    bodies: Vec<(String, bool)>,
    /// How many commands there were before this line.
    line: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn skip(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    /// Reads commands to the end.
    fn list(&mut self) {
        let mut cases = 0_usize;
        let mut command = Command { span: self.at..self.at, ..Command::default() };
        while self.at < self.end {
            match self.peek() {
                Some(' ' | '\t' | '\r') => drop(self.next()),
                Some('\\') if self.rest().starts_with("\\\n") => self.at += 2,
                Some('#') => {
                    let line = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += line;
                }
                Some('\n') => {
                    self.next();
                    self.here_documents(&mut command);
                    self.finish(&mut command);
                    self.line = self.done.len();
                }
                Some('(') if self.rest().starts_with("((") && command.words.is_empty() => {
                    let length = self.rest().find("))").map_or(self.rest().len(), |length| length + 2);
                    self.at += length;
                }
                Some('(') if self.rest().starts_with("()") && command.words.len() == 1 => {
                    self.at += 2;
                    command.defines = true;
                    self.finish(&mut command);
                }
                Some(';') if cases > 0 && (self.rest().starts_with(";;") || self.rest().starts_with(";&")) => {
                    self.finish(&mut command);
                    while matches!(self.peek(), Some(';' | '&')) {
                        self.next();
                    }
                    self.pattern();
                }
                Some('&') if self.rest().starts_with("&>") => self.redirection(&mut command),
                Some(';' | '&' | '|' | '(' | ')') => {
                    self.next();
                    self.finish(&mut command);
                }
                Some('<' | '>') => self.redirection(&mut command),
                Some(_) => {
                    let word = self.word();
                    let digits =
                        word.text().is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
                    if digits && matches!(self.peek(), Some('<' | '>')) {
                        continue;
                    }
                    let text = word.text();
                    if command.words.is_empty() && command.sets.is_empty() {
                        match text.as_deref() {
                            Some(opening) if OPENING.contains(&opening) => {
                                command.span.start = self.at;
                                continue;
                            }
                            Some("[[") => {
                                command.words.push(word);
                                self.condition(&mut command);
                                continue;
                            }
                            Some("case") => {
                                self.word_behind_blanks();
                                self.word_behind_blanks();
                                cases += 1;
                                self.pattern();
                                continue;
                            }
                            Some("esac") => {
                                cases = cases.saturating_sub(1);
                                continue;
                            }
                            Some("for" | "select") => {
                                self.loop_head(&mut command);
                                continue;
                            }
                            Some("function") => {
                                let name = self.word_behind_blanks();
                                command.words.push(name);
                                command.defines = true;
                                self.skip("()");
                                self.finish(&mut command);
                                continue;
                            }
                            _ => {}
                        }
                    }
                    match assignment(&word).filter(|_| command.words.is_empty()) {
                        Some(set) => command.sets.push(set),
                        None => command.words.push(word),
                    }
                }
                None => break,
            }
        }
        self.finish(&mut command);
    }

    fn finish(&mut self, command: &mut Command) {
        let next = Command { span: self.at..self.at, ..Command::default() };
        let mut whole = std::mem::replace(command, next);
        whole.span.end = self.at;
        let has_redirections = !(whole.reads.is_empty() && whole.writes.is_empty());
        if !whole.words.is_empty() || !whole.sets.is_empty() || has_redirections {
            self.done.push(whole);
        }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\r' | '\n')) {
            self.next();
        }
    }

    fn word_behind_blanks(&mut self) -> Word {
        self.blanks();
        self.word()
    }

    /// The pattern of a branch, up to its `)`, unless the whole ends here.
    fn pattern(&mut self) {
        self.blanks();
        if self.rest().starts_with("esac") {
            return;
        }
        self.skip("(");
        while self.at < self.end && !self.skip(")") {
            // A word reads nothing where a sign stands.
            if self.word().span.is_empty() {
                self.next();
            }
        }
    }

    /// What stands up to `]]`: its signs are no operators of the shell.
    fn condition(&mut self, command: &mut Command) {
        while self.at < self.end && !self.skip("]]") {
            let word = self.word();
            if word.span.is_empty() {
                self.next();
            } else {
                command.words.push(word);
            }
        }
    }

    /// `for NAME in WORD..`
    fn loop_head(&mut self, command: &mut Command) {
        let name = self.word_behind_blanks().text().unwrap_or_default();
        self.blanks();
        if !self.skip("in") {
            return;
        }
        loop {
            while matches!(self.peek(), Some(' ' | '\t')) {
                self.next();
            }
            if matches!(self.peek(), None | Some(';' | '\n' | '&' | '|' | ')')) {
                return;
            }
            let word = self.word();
            if word.span.is_empty() {
                self.next();
                continue;
            }
            command.sets.push((name.clone(), word));
        }
    }

    fn redirection(&mut self, command: &mut Command) {
        let is_write = self.skip("&>>") || self.skip("&>");
        let operator = ["<<<", "<<-", "<<", "<>", "<&", "<(", "<", ">>", ">|", ">&", ">(", ">"];
        let found = if is_write { Some(">") } else { operator.into_iter().find(|sign| self.skip(sign)) };
        match found {
            Some("<(" | ">(") => {
                let inner = self.balanced(')');
                self.nested(inner);
            }
            Some("<<" | "<<-") => {
                let end = self.word_behind_blanks();
                self.bodies.push((end.text().unwrap_or_default(), found == Some("<<-")));
            }
            Some("<<<") => {
                let Range { start, end } = self.word_behind_blanks().span;
                let text = self.text.get(start..end).unwrap_or_default();
                let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'));
                // One that is taken together from several quotes is not looked into, and so is not covered.
                match quote {
                    Some(quote) if text.len() > 1 && text.ends_with(quote) && text.matches(quote).count() == 2 => {
                        command.inputs.push(start + 1..end - 1);
                    }
                    None if !text.contains(['\'', '"', '\\']) => command.inputs.push(start..end),
                    _ => {}
                }
            }
            Some(sign) => {
                while matches!(self.peek(), Some(' ' | '\t')) {
                    self.next();
                }
                let word = self.word();
                let is_number = word.text().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit() || b == b'-'));
                match sign {
                    "<&" | ">&" if is_number => {}
                    "<" | "<&" => command.reads.push(word),
                    "<>" => command.words.push(word),
                    _ => command.writes.push(word),
                }
            }
            None => drop(self.next()),
        }
    }

    /// The bodies of the here-documents of the line that ended.
    fn here_documents(&mut self, command: &mut Command) {
        for (end, is_indented) in std::mem::take(&mut self.bodies) {
            let start = self.at;
            let mut stop = self.end;
            while self.at < self.end {
                let line = self.rest().split('\n').next().unwrap_or_default().to_owned();
                let is_end = if is_indented { line.trim_start_matches('\t') == end } else { line == end };
                if is_end {
                    stop = self.at;
                    self.at = (self.at + line.len() + 1).min(self.end);
                    break;
                }
                self.at = (self.at + line.len() + 1).min(self.end);
            }
            // It may belong to any command of the line, and none of them is to be missed.
            let before = self.done.get_mut(self.line..).unwrap_or_default();
            before.iter_mut().chain([&mut *command]).for_each(|whose| whose.inputs.push(start..stop));
        }
    }

    /// Reads the commands of a substitution.
    fn nested(&mut self, span: Range<usize>) {
        if self.depth >= MOST_DEPTH {
            return;
        }
        let mut inner = Reader {
            text: self.text,
            at: span.start,
            end: span.end,
            depth: self.depth + 1,
            done: Vec::new(),
            bodies: Vec::new(),
            line: 0,
        };
        inner.list();
        self.done.append(&mut inner.done);
    }
}

/// Whether a letter may stand in the name of a variable.
fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// `NAME=value`, taken apart.
pub(super) fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text(first)) = word.parts.first() else { return None };
    let (name, value) = first.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_valid =
        !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|letter: char| letter.is_ascii_digit());
    is_valid.then(|| {
        let mut parts = vec![Part::Text(value.to_owned())];
        parts.extend(word.parts.iter().skip(1).cloned());
        (name.to_owned(), Word { parts, span: word.span.clone() })
    })
}

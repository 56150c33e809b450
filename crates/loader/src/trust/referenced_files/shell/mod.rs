//! Parses the commands of a shell text: their words and redirections.
//!
//! This is not a shell. It reads what can be read without running anything, and marks the rest as unknown.

mod word;

use std::ops::Range;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    /// Literal text, without quotes.
    Text(String),
    /// A variable by its name.
    Variable(String),
    /// The output of a command, a computed value, or anything else that is known only at run time.
    Unknown,
    /// `*`, `?` or `[..]`, as in file names.
    Glob(String),
    /// One of several texts: `{a,b}`.
    OneOf(Vec<String>),
    /// `~` at the beginning.
    Home,
}

/// A word with its span in the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandWord {
    pub(super) parts: Vec<WordPart>,
    pub(super) span: Range<usize>,
}

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ParsedCommand {
    pub(super) words: Vec<CommandWord>,
    /// Variables that it sets: before its own words, by `for`, or alone.
    pub(super) variable_sets: Vec<(String, CommandWord)>,
    /// Files that it gets as input.
    pub(super) reads: Vec<CommandWord>,
    /// Files that its output goes to.
    pub(super) writes: Vec<CommandWord>,
    /// The spans of texts that it gets as input.
    pub(super) inputs: Vec<Range<usize>>,
    pub(super) span: Range<usize>,
    /// Whether it defines a function of its name.
    pub(super) is_definition: bool,
}

impl CommandWord {
    /// A literal word.
    pub(super) fn from_text(text: &str) -> Self {
        Self { parts: vec![WordPart::Text(text.to_owned())], span: 0..0 }
    }

    /// Its text, if it is known without running anything.
    pub(super) fn text(&self) -> Option<String> {
        self.parts.iter().map(|part| if let WordPart::Text(text) = part { Some(text.as_str()) } else { None }).collect()
    }
}

/// Words after which another command starts.
const OPENING: [&str; 11] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "time", "coproc"];
/// The deepest substitution that is parsed.
const MOST_DEPTH: usize = 8;

/// The commands of a text in the order in which they start, including those of substitutions.
pub(super) fn parse_commands(text: &str, span: Range<usize>) -> Vec<ParsedCommand> {
    let mut reader = CommandParser {
        text,
        index: span.start,
        end: span.end,
        depth: 0,
        commands: Vec::new(),
        pending_documents: Vec::new(),
        line_start_count: 0,
    };
    reader.parse_list();
    reader.commands
}

/// A text in which only variables are expanded.
pub(super) fn parse_quoted_word(text: &str) -> CommandWord {
    let quoted = format!("\"{text}\"");
    let word =
        parse_commands(&quoted, 0..quoted.len()).into_iter().find_map(|command| command.words.into_iter().next());
    let home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (word, home) {
        (_, Some(rest)) => CommandWord { parts: vec![WordPart::Home, WordPart::Text(rest.to_owned())], span: 0..0 },
        (Some(word), None) => word,
        (None, None) => CommandWord::from_text(text),
    }
}

struct CommandParser<'a> {
    text: &'a str,
    index: usize,
    end: usize,
    depth: usize,
    commands: Vec<ParsedCommand>,
    /// Here-documents whose bodies follow this line: their end markers, and whether they are indented (`<<-`).
    pending_documents: Vec<(String, bool)>,
    /// The number of commands before this line.
    line_start_count: usize,
}

impl CommandParser<'_> {
    fn remaining_text(&self) -> &str {
        self.text.get(self.index..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.remaining_text().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.index += letter.len_utf8();
        Some(letter)
    }

    fn skip(&mut self, text: &str) -> bool {
        let is_there = self.remaining_text().starts_with(text);
        if is_there {
            self.index += text.len();
        }
        is_there
    }

    fn parse_list(&mut self) {
        let mut cases = 0_usize;
        let mut command = ParsedCommand { span: self.index..self.index, ..ParsedCommand::default() };
        while self.index < self.end {
            match self.peek() {
                Some(' ' | '\t' | '\r') => drop(self.next()),
                Some('\\') if self.remaining_text().starts_with("\\\n") => self.index += 2,
                Some('#') => {
                    let line = self.remaining_text().find('\n').unwrap_or(self.remaining_text().len());
                    self.index += line;
                }
                Some('\n') => {
                    self.next();
                    self.parse_here_documents(&mut command);
                    self.finish_command(&mut command);
                    self.line_start_count = self.commands.len();
                }
                Some('(') if self.remaining_text().starts_with("((") && command.words.is_empty() => {
                    let length =
                        self.remaining_text().find("))").map_or(self.remaining_text().len(), |length| length + 2);
                    self.index += length;
                }
                Some('(') if self.remaining_text().starts_with("()") && command.words.len() == 1 => {
                    self.index += 2;
                    command.is_definition = true;
                    self.finish_command(&mut command);
                }
                Some(';')
                    if cases > 0
                        && (self.remaining_text().starts_with(";;") || self.remaining_text().starts_with(";&")) =>
                {
                    self.finish_command(&mut command);
                    while matches!(self.peek(), Some(';' | '&')) {
                        self.next();
                    }
                    self.skip_case_pattern();
                }
                Some('&') if self.remaining_text().starts_with("&>") => self.parse_redirection(&mut command),
                Some(';' | '&' | '|' | '(' | ')') => {
                    self.next();
                    self.finish_command(&mut command);
                }
                Some('<' | '>') => self.parse_redirection(&mut command),
                Some(_) => {
                    let word = self.parse_word();
                    let digits =
                        word.text().is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
                    if digits && matches!(self.peek(), Some('<' | '>')) {
                        continue;
                    }
                    let text = word.text();
                    if command.words.is_empty() && command.variable_sets.is_empty() {
                        match text.as_deref() {
                            Some(opening) if OPENING.contains(&opening) => {
                                command.span.start = self.index;
                                continue;
                            }
                            Some("[[") => {
                                command.words.push(word);
                                self.parse_condition(&mut command);
                                continue;
                            }
                            Some("case") => {
                                self.parse_next_word();
                                self.parse_next_word();
                                cases += 1;
                                self.skip_case_pattern();
                                continue;
                            }
                            Some("esac") => {
                                cases = cases.saturating_sub(1);
                                continue;
                            }
                            Some("for" | "select") => {
                                self.parse_loop_head(&mut command);
                                continue;
                            }
                            Some("function") => {
                                let name = self.parse_next_word();
                                command.words.push(name);
                                command.is_definition = true;
                                self.skip("()");
                                self.finish_command(&mut command);
                                continue;
                            }
                            _ => {}
                        }
                    }
                    match parse_assignment(&word).filter(|_| command.words.is_empty()) {
                        Some(set) => command.variable_sets.push(set),
                        None => command.words.push(word),
                    }
                }
                None => break,
            }
        }
        self.finish_command(&mut command);
    }

    fn finish_command(&mut self, command: &mut ParsedCommand) {
        let next = ParsedCommand { span: self.index..self.index, ..ParsedCommand::default() };
        let mut whole = std::mem::replace(command, next);
        whole.span.end = self.index;
        let has_redirections = !(whole.reads.is_empty() && whole.writes.is_empty());
        if !whole.words.is_empty() || !whole.variable_sets.is_empty() || has_redirections {
            self.commands.push(whole);
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\r' | '\n')) {
            self.next();
        }
    }

    fn parse_next_word(&mut self) -> CommandWord {
        self.skip_blanks();
        self.parse_word()
    }

    /// The pattern of a branch, up to its `)`, unless the list ends here.
    fn skip_case_pattern(&mut self) {
        self.skip_blanks();
        if self.remaining_text().starts_with("esac") {
            return;
        }
        self.skip("(");
        while self.index < self.end && !self.skip(")") {
            // `parse_word` reads nothing at an operator.
            if self.parse_word().span.is_empty() {
                self.next();
            }
        }
    }

    /// Parses up to `]]`: the characters in it are not shell operators.
    fn parse_condition(&mut self, command: &mut ParsedCommand) {
        while self.index < self.end && !self.skip("]]") {
            let word = self.parse_word();
            if word.span.is_empty() {
                self.next();
            } else {
                command.words.push(word);
            }
        }
    }

    /// `for NAME in WORD..`
    fn parse_loop_head(&mut self, command: &mut ParsedCommand) {
        let name = self.parse_next_word().text().unwrap_or_default();
        self.skip_blanks();
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
            let word = self.parse_word();
            if word.span.is_empty() {
                self.next();
                continue;
            }
            command.variable_sets.push((name.clone(), word));
        }
    }

    fn parse_redirection(&mut self, command: &mut ParsedCommand) {
        let is_write = self.skip("&>>") || self.skip("&>");
        let operator = ["<<<", "<<-", "<<", "<>", "<&", "<(", "<", ">>", ">|", ">&", ">(", ">"];
        let found = if is_write { Some(">") } else { operator.into_iter().find(|sign| self.skip(sign)) };
        match found {
            Some("<(" | ">(") => {
                let inner = self.skip_balanced(')');
                self.parse_nested(inner);
            }
            Some("<<" | "<<-") => {
                let end = self.parse_next_word();
                self.pending_documents.push((end.text().unwrap_or_default(), found == Some("<<-")));
            }
            Some("<<<") => {
                let Range { start, end } = self.parse_next_word().span;
                let text = self.text.get(start..end).unwrap_or_default();
                let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'));
                // A text of several quoted parts is not parsed, and so is not covered.
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
                let word = self.parse_word();
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

    /// Parses the bodies of the here-documents of the line that ended.
    fn parse_here_documents(&mut self, command: &mut ParsedCommand) {
        for (end, is_indented) in std::mem::take(&mut self.pending_documents) {
            let start = self.index;
            let mut stop = self.end;
            while self.index < self.end {
                let line = self.remaining_text().split('\n').next().unwrap_or_default().to_owned();
                let is_end = if is_indented { line.trim_start_matches('\t') == end } else { line == end };
                if is_end {
                    stop = self.index;
                    self.index = (self.index + line.len() + 1).min(self.end);
                    break;
                }
                self.index = (self.index + line.len() + 1).min(self.end);
            }
            // It may belong to any command of the line, and none may be missed.
            let before = self.commands.get_mut(self.line_start_count..).unwrap_or_default();
            before.iter_mut().chain([&mut *command]).for_each(|whose| whose.inputs.push(start..stop));
        }
    }

    fn parse_nested(&mut self, span: Range<usize>) {
        if self.depth >= MOST_DEPTH {
            return;
        }
        let mut inner = CommandParser {
            text: self.text,
            index: span.start,
            end: span.end,
            depth: self.depth + 1,
            commands: Vec::new(),
            pending_documents: Vec::new(),
            line_start_count: 0,
        };
        inner.parse_list();
        self.commands.append(&mut inner.commands);
    }
}

/// Whether a character may be part of a variable name.
fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Splits `NAME=value`.
pub(super) fn parse_assignment(command_word: &CommandWord) -> Option<(String, CommandWord)> {
    let Some(WordPart::Text(first)) = command_word.parts.first() else { return None };
    let (name, value) = first.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_valid = !name.is_empty()
        && name.chars().all(is_name_letter)
        && !name.starts_with(|letter: char| letter.is_ascii_digit());
    is_valid.then(|| {
        let mut parts = vec![WordPart::Text(value.to_owned())];
        parts.extend(command_word.parts.iter().skip(1).cloned());
        (name.to_owned(), CommandWord { parts, span: command_word.span.clone() })
    })
}

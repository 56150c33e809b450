//! The parser of commands.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{Command, Pipeline, Redirect, RedirectKind, ShellScript, SimpleCommand, Word, WordPiece};

/// The deepest nesting of commands and substitutions.
pub(super) const MAX_DEPTH: usize = 48;

const TOO_DEEP: &str = "its commands are nested too deeply";
const RESERVED_ENDS: [&str; 10] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", ")", ";;"];

/// Parses a command line. What follows a fault is not parsed.
pub(crate) fn parse_script(text: &str, depth: usize) -> ShellScript {
    let mut parser = Parser::new(text, depth);
    let mut script = ShellScript::default();
    let parsed = parser.parse_list(&mut script.pipelines, &[]);
    script.fault = match parsed {
        Err(fault) => Some(fault),
        Ok(()) if parser.index < text.len() => Some("a command ends where none began"),
        Ok(()) => None,
    };
    parser.fill_documents(&mut script.pipelines);
    script
}

/// A here-document whose text follows at the end of the line.
#[derive(Debug)]
struct PendingDocument {
    delimiter: String,
    is_literal: bool,
    strips_tabs: bool,
    /// Its number among the documents of the parser.
    number: usize,
}

#[derive(Debug)]
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) index: usize,
    pub(super) depth: usize,
    pending: VecDeque<PendingDocument>,
    documents: Vec<Word>,
}

pub(super) type Parsed<T> = Result<T, &'static str>;

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        Self { text, index: 0, depth, pending: VecDeque::new(), documents: Vec::new() }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.index..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn byte_at(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.index + offset).copied()
    }

    pub(super) fn take(&mut self, token: &str) -> bool {
        let is_next = self.rest().starts_with(token);
        if is_next {
            self.index += token.len();
        }
        is_next
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.index += letter.len_utf8();
        Some(letter)
    }

    /// Parses one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Skips blanks, continued lines and comments, but not line ends.
    fn skip_blanks(&mut self) {
        loop {
            match self.byte_at(0) {
                Some(b' ' | b'\t' | b'\r') => self.index += 1,
                Some(b'\\') if self.byte_at(1) == Some(b'\n') => self.index += 2,
                Some(b'#') => self.index += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// Skips blanks and line ends.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.byte_at(0) == Some(b'\n') {
                self.index += 1;
                self.read_documents();
            } else {
                return;
            }
        }
    }

    /// Whether one of these reserved words is next.
    fn at_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_reserved(word))
    }

    fn is_reserved(&self, word: &str) -> bool {
        let rest = self.rest();
        let Some(after) = rest.strip_prefix(word) else { return false };
        let is_operator = word.starts_with([')', ';']);
        is_operator || after.is_empty() || after.starts_with([' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '<', '>'])
    }

    fn take_reserved(&mut self, word: &str) -> bool {
        let is_next = self.is_reserved(word);
        if is_next {
            self.index += word.len();
        }
        is_next
    }

    fn expect_reserved(&mut self, word: &'static str) -> Parsed<()> {
        self.skip_lines();
        if self.take_reserved(word) { Ok(()) } else { Err("a compound command is incomplete") }
    }

    /// Parses commands until one of the reserved words, or the end.
    pub(super) fn parse_list(&mut self, into: &mut Vec<Pipeline>, ends: &[&str]) -> Parsed<()> {
        loop {
            self.skip_lines();
            let is_end = self.rest().is_empty() || self.at_word(ends);
            if is_end || self.at_word(&RESERVED_ENDS) {
                return Ok(());
            }
            let mut pipeline = Pipeline::default();
            let parsed = self.parse_pipeline(&mut pipeline);
            if !pipeline.commands.is_empty() {
                into.push(pipeline);
            }
            parsed?;
            self.skip_blanks();
            let has_separator = self.take("&&")
                || self.take("||")
                || (!self.rest().starts_with(";;") && (self.take(";") || self.take("&")))
                || self.byte_at(0) == Some(b'\n');
            if !has_separator {
                return Ok(());
            }
        }
    }

    fn parse_pipeline(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        loop {
            self.skip_lines();
            // `!`, `time` and `coproc` change nothing about what runs.
            while self.take_reserved("!") || self.take_reserved("time") || self.take_reserved("coproc") {
                self.skip_blanks();
                while self.rest().starts_with("-p ") {
                    self.index += 3;
                    self.skip_blanks();
                }
            }
            let command = self.nested(Self::parse_command)?;
            pipeline.commands.push(command);
            self.skip_blanks();
            if self.rest().starts_with("||") || !(self.take("|&") || self.take("|")) {
                return Ok(());
            }
        }
    }

    fn parse_command(&mut self) -> Parsed<Command> {
        if self.rest().starts_with("((") {
            let before = self.index;
            self.index += 2;
            if self.skip_arithmetic("))").is_some() {
                let _redirects = self.parse_redirects()?;
                return Ok(Command::Test(Vec::new()));
            }
            self.index = before;
        }
        if self.take("(") {
            let body = self.parse_body(&[")"])?;
            self.expect_reserved(")")?;
            return Ok(Command::Group(body, true, self.parse_redirects()?));
        }
        if self.take_reserved("{") {
            let body = self.parse_body(&["}"])?;
            self.expect_reserved("}")?;
            return Ok(Command::Group(body, false, self.parse_redirects()?));
        }
        if self.take_reserved("if") {
            return self.parse_if();
        }
        if self.take_reserved("while") || self.take_reserved("until") {
            let condition = self.parse_body(&["do"])?;
            let body = self.parse_do()?;
            return Ok(Command::Branches(vec![condition, body], self.parse_redirects()?));
        }
        if self.take_reserved("for") || self.take_reserved("select") {
            return self.parse_for();
        }
        if self.take_reserved("case") {
            return self.parse_case();
        }
        if self.take_reserved("[[") {
            return self.parse_test();
        }
        if self.take_reserved("function") {
            self.skip_blanks();
            let name = self.parse_word()?.and_then(|word| word.as_literal().map(str::to_owned)).unwrap_or_default();
            self.skip_blanks();
            self.take("()");
            return self.parse_function(name);
        }
        self.parse_simple()
    }

    fn parse_body(&mut self, ends: &[&str]) -> Parsed<Vec<Pipeline>> {
        let mut body = Vec::new();
        self.parse_list(&mut body, ends)?;
        Ok(body)
    }

    fn parse_do(&mut self) -> Parsed<Vec<Pipeline>> {
        self.expect_reserved("do")?;
        let body = self.parse_body(&["done"])?;
        self.expect_reserved("done")?;
        Ok(body)
    }

    fn parse_if(&mut self) -> Parsed<Command> {
        let mut branches = vec![self.parse_body(&["then"])?];
        self.expect_reserved("then")?;
        loop {
            branches.push(self.parse_body(&["elif", "else", "fi"])?);
            self.skip_lines();
            if self.take_reserved("elif") {
                branches.push(self.parse_body(&["then"])?);
                self.expect_reserved("then")?;
            } else if !self.take_reserved("else") {
                self.expect_reserved("fi")?;
                return Ok(Command::Branches(branches, self.parse_redirects()?));
            }
        }
    }

    fn parse_for(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        if self.take("((") {
            self.skip_arithmetic("))").ok_or("a loop is incomplete")?;
            self.skip_lines();
            self.take(";");
            let body = self.parse_do()?;
            return Ok(Command::Branches(vec![body], self.parse_redirects()?));
        }
        let name =
            self.parse_word()?.and_then(|word| word.as_literal().map(str::to_owned)).ok_or("a loop has no name")?;
        self.skip_lines();
        let mut values = None;
        if self.take_reserved("in") {
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                match self.parse_word()? {
                    Some(word) => words.push(word),
                    None => break,
                }
            }
            values = Some(words);
        }
        self.skip_blanks();
        self.take(";");
        self.skip_lines();
        let body = if self.is_reserved("{") { self.parse_braces()? } else { self.parse_do()? };
        Ok(Command::For(name, values, body, self.parse_redirects()?))
    }

    fn parse_braces(&mut self) -> Parsed<Vec<Pipeline>> {
        self.take("{");
        let body = self.parse_body(&["}"])?;
        self.expect_reserved("}")?;
        Ok(body)
    }

    fn parse_case(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        self.parse_word()?.ok_or("a `case` has no word")?;
        self.expect_reserved("in")?;
        let mut branches = Vec::new();
        loop {
            self.skip_lines();
            if self.take_reserved("esac") {
                return Ok(Command::Branches(branches, self.parse_redirects()?));
            }
            self.take("(");
            loop {
                self.skip_blanks();
                self.parse_word()?.ok_or("a `case` is incomplete")?;
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            if !self.take(")") {
                return Err("a `case` is incomplete");
            }
            branches.push(self.parse_body(&[";;", "esac", ";&"])?);
            self.skip_lines();
            let _end = self.take(";;&") || self.take(";;") || self.take(";&");
        }
    }

    fn parse_test(&mut self) -> Parsed<Command> {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.take_reserved("]]") {
                let _redirects = self.parse_redirects()?;
                return Ok(Command::Test(words));
            }
            match self.parse_word()? {
                Some(word) => words.push(word),
                // Operators, and the letters of regular expressions.
                None => drop(self.bump().ok_or("a `[[` is incomplete")?),
            }
        }
    }

    fn parse_function(&mut self, name: String) -> Parsed<Command> {
        self.skip_lines();
        let body = self.nested(Self::parse_command)?;
        Ok(Command::Function(name, Rc::new(body)))
    }

    fn parse_redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            match self.parse_redirect()? {
                Some(redirect) => all.push(redirect),
                None => return Ok(all),
            }
        }
    }

    fn parse_simple(&mut self) -> Parsed<Command> {
        let mut command = SimpleCommand::default();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.parse_redirect()? {
                command.redirects.push(redirect);
                continue;
            }
            if command.words.is_empty()
                && let Some((name, values)) = self.parse_assignment()?
            {
                command.assignments.push((name, values));
                continue;
            }
            let Some(word) = self.parse_word()? else { break };
            if command.words.is_empty() && self.rest().trim_start_matches([' ', '\t']).starts_with("()") {
                self.skip_blanks();
                self.index += 2;
                let name = word.as_literal().unwrap_or_default().to_owned();
                return self.parse_function(name);
            }
            command.words.push(word);
        }
        if command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty() {
            return Err("it is not a command line that bash would accept");
        }
        Ok(Command::Simple(command))
    }

    /// `NAME=value`, `NAME+=value` or `NAME=(values)`.
    fn parse_assignment(&mut self) -> Parsed<Option<(String, Vec<Word>)>> {
        let rest = self.rest();
        let name_end =
            rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(rest.len());
        let name = rest.get(..name_end).unwrap_or_default();
        let after = rest.get(name_end..).unwrap_or_default();
        // An element of an array: `NAME[1]=value`.
        let subscript = if after.starts_with('[') { after.find("]=").map_or(0, |end| end + 1) } else { 0 };
        let after = after.get(subscript..).unwrap_or_default();
        let sign = if after.starts_with("+=") { 2 } else { usize::from(after.starts_with('=')) };
        if sign == 0 || name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Ok(None);
        }
        self.index += name_end + subscript + sign;
        let name = name.to_owned();
        if !self.take("(") {
            return Ok(Some((name, self.parse_word()?.into_iter().collect())));
        }
        let mut values = Vec::new();
        loop {
            self.skip_lines();
            match self.parse_word()? {
                Some(word) => values.push(word),
                None if self.take(")") => return Ok(Some((name, values))),
                None => return Err("an array is incomplete"),
            }
        }
    }

    fn parse_redirect(&mut self) -> Parsed<Option<Redirect>> {
        let before = self.index;
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let named = rest.strip_prefix('{').and_then(|inner| inner.find('}')).map_or(0, |end| end + 2);
        let skip =
            digits.max(if rest.get(named..).is_some_and(|after| after.starts_with(['<', '>'])) { named } else { 0 });
        self.index += skip;
        let kind = [
            ("&>>", RedirectKind::Append),
            ("&>", RedirectKind::Output),
            ("<<<", RedirectKind::Text),
            ("<<-", RedirectKind::Text),
            ("<<", RedirectKind::Text),
            ("<>", RedirectKind::ReadWrite),
            (">>", RedirectKind::Append),
            (">|", RedirectKind::Output),
            (">&", RedirectKind::Duplicate),
            ("<&", RedirectKind::Duplicate),
            (">", RedirectKind::Output),
            ("<", RedirectKind::Input),
        ]
        .into_iter()
        .find(|(token, _)| self.rest().starts_with(token));
        let Some((token, kind)) = kind else {
            self.index = before;
            return Ok(None);
        };
        // `<(` and `>(` are words.
        if matches!(token, "<" | ">") && self.byte_at(1) == Some(b'(') {
            self.index = before;
            return Ok(None);
        }
        self.index += token.len();
        self.skip_blanks();
        if matches!(token, "<<" | "<<-") {
            return self.begin_document(token == "<<-").map(Some);
        }
        let target = self.parse_word()?.ok_or("a redirection has no target")?;
        let is_descriptor = |text: &str| text.trim_end_matches('-').chars().all(|letter| letter.is_ascii_digit());
        let kind = match kind {
            // `>&file` writes to a file.
            RedirectKind::Duplicate if token == ">&" && !target.as_literal().is_some_and(is_descriptor) => {
                RedirectKind::Output
            }
            kind => kind,
        };
        Ok(Some(Redirect { kind, target }))
    }

    fn begin_document(&mut self, strips_tabs: bool) -> Parsed<Redirect> {
        let word = self.parse_word()?.ok_or("a here-document has no delimiter")?;
        let is_literal = word.as_literal().is_none();
        let delimiter: String = word
            .pieces
            .iter()
            .map(|piece| match piece {
                WordPiece::Literal(text) | WordPiece::Quoted(text) => text.as_str(),
                _ => "",
            })
            .collect();
        let number = self.documents.len();
        self.documents.push(Word::default());
        self.pending.push_back(PendingDocument { delimiter, is_literal, strips_tabs, number });
        // The text is not read yet: its number is its place.
        Ok(Redirect {
            kind: RedirectKind::Text,
            target: Word { pieces: vec![WordPiece::Literal(format!("\0{number}"))] },
        })
    }

    /// Reads the texts of the here-documents that begin on the next line.
    fn read_documents(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            let mut body = String::new();
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    break;
                }
                let end = rest.find('\n').unwrap_or(rest.len());
                let line = rest.get(..end).unwrap_or_default();
                self.index += (end + 1).min(rest.len());
                let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches('\r') == pending.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let word = if pending.is_literal {
                Word { pieces: vec![WordPiece::Quoted(body)] }
            } else {
                let mut inner = Parser::new(&body, self.depth + 1);
                inner.parse_document_text()
            };
            if let Some(place) = self.documents.get_mut(pending.number) {
                *place = word;
            }
        }
    }

    /// Puts the texts of here-documents into the redirections that announced them.
    pub(super) fn fill_documents(&mut self, pipelines: &mut [Pipeline]) {
        self.read_documents();
        if !self.documents.is_empty() {
            let documents = std::mem::take(&mut self.documents);
            for command in pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.commands) {
                fill_command(command, &documents);
            }
        }
    }
}

fn fill_command(command: &mut Command, documents: &[Word]) {
    let fill = |redirects: &mut Vec<Redirect>| {
        for redirect in redirects {
            let number = redirect.target.as_literal().and_then(|text| text.strip_prefix('\0')?.parse::<usize>().ok());
            if let Some(text) = number.and_then(|number| documents.get(number)) {
                redirect.target = text.clone();
            }
        }
    };
    let fill_all = |pipelines: &mut Vec<Pipeline>| {
        for command in pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.commands) {
            fill_command(command, documents);
        }
    };
    match command {
        Command::Simple(simple) => fill(&mut simple.redirects),
        Command::Group(body, _, redirects) | Command::For(_, _, body, redirects) => {
            fill_all(body);
            fill(redirects);
        }
        Command::Branches(branches, redirects) => {
            branches.iter_mut().for_each(fill_all);
            fill(redirects);
        }
        Command::Function(_, body) => {
            if let Some(body) = Rc::get_mut(body) {
                fill_command(body, documents);
            }
        }
        Command::Test(_) => {}
    }
}

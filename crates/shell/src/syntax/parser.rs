//! The parser of commands.

use std::cell::OnceCell;
use std::collections::VecDeque;

use super::redirects::PendingDocument;
use super::{
    BashAssignment, BashCommand, BashPipeline, BashWord, GrammarKind, PipelineLink, ShellScript, SimpleCommand,
};

/// The deepest nesting of commands and substitutions.
pub(super) const MAX_DEPTH: usize = 48;

/// The most words of a command line; a command counts as several.
const MAX_WORDS: usize = 6000;
const COMMAND_WORDS: usize = 3;

const TOO_LONG: &str = "it is longer than can be looked at";
const TOO_DEEP: &str = "its commands are nested too deeply";
const RESERVED_ENDS: [&str; 10] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", ")", ";;"];

/// Parses a command line. What follows a fault is not parsed.
pub(crate) fn parse_script(text: &str, grammar: GrammarKind) -> ShellScript {
    parse_counted(text, grammar, 0, 0).0
}

/// Parses a text in which only expansions have a meaning, as in a here-document.
pub(crate) fn parse_text(text: &str, grammar: GrammarKind) -> BashWord {
    BashParser { grammar, ..BashParser::new(text, 0) }.parse_document_text()
}

/// The same as a part of another command line, with what that has spent.
pub(super) fn parse_counted(text: &str, grammar: GrammarKind, depth: usize, spent: usize) -> (ShellScript, usize) {
    let mut parser = BashParser { grammar, spent, ..BashParser::new(text, depth) };
    let mut script = ShellScript::default();
    let parsed = parser.parse_list(&mut script.pipelines, &[]);
    script.fault = match parsed {
        Err(fault) => Some(fault),
        Ok(()) if parser.index < text.len() => Some("a command ends where none began"),
        Ok(()) => None,
    };
    parser.fill_documents(&mut script.pipelines);
    let is_unread = |fault: &str| fault != TOO_LONG && fault != TOO_DEEP;
    script.is_other_in_zsh = parser.is_other_in_zsh || script.fault.is_some_and(is_unread);
    let spent = parser.spent;
    (script, spent)
}

/// Parses an expression that is the value of a variable or of an argument.
pub(crate) fn parse_expression(text: &str, grammar: GrammarKind) -> ParseResult<BashWord> {
    Ok(BashParser { grammar, ..BashParser::new(text, 0) }.parse_expression(&[])?.0)
}

#[derive(Debug)]
pub(super) struct BashParser<'t> {
    pub(super) text: &'t str,
    pub(super) index: usize,
    pub(super) depth: usize,
    pub(super) grammar: GrammarKind,
    /// Whether something was read that zsh reads otherwise.
    pub(super) is_other_in_zsh: bool,
    /// How many `{` of commands are open, as bash reads them.
    pub(super) open_braces: usize,
    /// What was read so far, in words.
    pub(super) spent: usize,
    /// Where the text has its last `))`, which is looked for once.
    pub(super) last_close: OnceCell<Option<usize>>,
    pub(super) pending: VecDeque<PendingDocument>,
    pub(super) documents: Vec<BashWord>,
}

pub(super) type ParseResult<T> = Result<T, &'static str>;

impl<'t> BashParser<'t> {
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            index: 0,
            depth,
            grammar: GrammarKind::Bash,
            is_other_in_zsh: false,
            open_braces: 0,
            spent: 0,
            last_close: OnceCell::new(),
            pending: VecDeque::new(),
            documents: Vec::new(),
        }
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

    /// Counts words, up to a limit.
    pub(super) fn spend(&mut self, words: usize) -> ParseResult<()> {
        self.spent += words;
        if self.spent > MAX_WORDS { Err(TOO_LONG) } else { Ok(()) }
    }

    /// Parses one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Skips blanks, continued lines and comments, but not line ends.
    pub(super) fn skip_blanks(&mut self) {
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
    pub(super) fn skip_lines(&mut self) {
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
    pub(super) fn at_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_reserved(word))
    }

    pub(super) fn is_reserved(&self, word: &str) -> bool {
        // Most words differ in their first letter.
        if self.byte_at(0) != word.as_bytes().first().copied() {
            return false;
        }
        let Some(after) = self.rest().strip_prefix(word) else { return false };
        let is_operator = word.starts_with([')', ';']) || word == "}" && self.is_zsh();
        is_operator || after.is_empty() || after.starts_with([' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '<', '>'])
    }

    pub(super) fn take_reserved(&mut self, word: &str) -> bool {
        let is_next = self.is_reserved(word);
        if is_next {
            self.index += word.len();
        }
        is_next
    }

    pub(super) fn expect_reserved(&mut self, word: &'static str) -> ParseResult<()> {
        self.skip_lines();
        if self.take_reserved(word) { Ok(()) } else { Err("a compound command is incomplete") }
    }

    /// Parses commands until one of the reserved words, or the end.
    pub(super) fn parse_list(&mut self, into: &mut Vec<BashPipeline>, ends: &[&str]) -> ParseResult<()> {
        let mut link = PipelineLink::Always;
        loop {
            self.skip_lines();
            // zsh has empty commands.
            while self.is_zsh() && self.byte_at(0) == Some(b';') && !matches!(self.byte_at(1), Some(b';' | b'&' | b'|'))
            {
                self.index += 1;
                self.skip_lines();
            }
            let is_end = self.rest().is_empty() || self.at_word(ends);
            if is_end || self.at_word(&RESERVED_ENDS) {
                return Ok(());
            }
            let offset = self.index;
            let mut pipeline =
                BashPipeline { commands: Vec::with_capacity(1), link, offset, ..BashPipeline::default() };
            let parsed = self.parse_pipeline(&mut pipeline);
            self.skip_blanks();
            let next = self.parse_separator(&mut pipeline);
            if !pipeline.commands.is_empty() {
                into.push(pipeline);
            }
            parsed?;
            let Some(next) = next else { return Ok(()) };
            link = next;
        }
    }

    /// Parses the commands up to the next `;` or line end.
    pub(super) fn parse_sublist(&mut self, into: &mut Vec<BashPipeline>) -> ParseResult<()> {
        let mut link = PipelineLink::Always;
        loop {
            let mut pipeline = BashPipeline { link, ..BashPipeline::default() };
            self.parse_pipeline(&mut pipeline)?;
            self.skip_blanks();
            into.push(pipeline);
            link = if self.take("&&") {
                PipelineLink::AfterSuccess
            } else if self.take("||") {
                PipelineLink::AfterFailure
            } else {
                return Ok(());
            };
        }
    }

    /// What links the next pipeline to this one; `None` at the end of a list.
    fn parse_separator(&mut self, pipeline: &mut BashPipeline) -> Option<PipelineLink> {
        if self.take("&&") {
            return Some(PipelineLink::AfterSuccess);
        }
        if self.take("||") {
            return Some(PipelineLink::AfterFailure);
        }
        if [";;", ";&", ";|"].iter().any(|end| self.rest().starts_with(end)) {
            return None;
        }
        let is_background = self.is_zsh() && (self.take("&!") || self.take("&|")) || self.take("&");
        pipeline.is_background |= is_background;
        // zsh allows `&;`.
        let may_have_more = !is_background || self.is_zsh();
        let is_separated = may_have_more && self.take(";") || is_background || self.byte_at(0) == Some(b'\n');
        is_separated.then_some(PipelineLink::Always)
    }

    fn parse_pipeline(&mut self, pipeline: &mut BashPipeline) -> ParseResult<()> {
        loop {
            self.skip_lines();
            // `time` changes nothing about what runs. It may be alone.
            let mut is_timed = false;
            loop {
                if self.take_reserved("!") {
                    pipeline.is_negated = !pipeline.is_negated;
                } else if self.take_reserved("coproc") {
                    (pipeline.is_background, pipeline.is_coprocess) = (true, true);
                    self.skip_coprocess_name()?;
                } else if self.take_reserved("time") {
                    is_timed = true;
                } else {
                    break;
                }
                self.skip_blanks();
                while self.take("-p ") || self.take("-- ") {
                    self.skip_blanks();
                }
            }
            if is_timed && self.peek().is_none_or(|letter| matches!(letter, ';' | '\n')) {
                return Ok(());
            }
            self.spend(COMMAND_WORDS)?;
            let mut command = self.nested(Self::parse_command)?;
            self.skip_blanks();
            let is_piped = !self.rest().starts_with("||") && (self.take("|&") || self.take("|"));
            self.share_streams(&mut command, !pipeline.commands.is_empty(), is_piped);
            pipeline.commands.push(command);
            if !is_piped {
                return Ok(());
            }
        }
    }

    /// `coproc NAME { … }`.
    fn skip_coprocess_name(&mut self) -> ParseResult<()> {
        self.skip_blanks();
        let before = self.index;
        if self.rest().starts_with('{') {
            return Ok(());
        }
        let _name = self.parse_word()?;
        self.skip_blanks();
        if !self.at_word(&["{", "while", "until", "for", "if", "case"]) && !self.rest().starts_with('(') {
            self.index = before;
        }
        Ok(())
    }

    pub(super) fn parse_command(&mut self) -> ParseResult<BashCommand> {
        if self.is_zsh()
            && let Some(command) = self.parse_zsh_command()?
        {
            return Ok(command);
        }
        if self.rest().starts_with("((") {
            self.index += 2;
            if let Some(end) = self.find_arithmetic_end() {
                let expression = self.parse_arithmetic(end)?;
                return Ok(expression.into_test(self.parse_redirects()?));
            }
            self.index -= 2;
        }
        if self.take("(") {
            let body = self.parse_body(&[")"])?;
            self.expect_reserved(")")?;
            return Ok(BashCommand::Group(body, true, self.parse_redirects()?));
        }
        if self.take_reserved("{") {
            self.open_braces += 1;
            let body = self.parse_body(&["}"])?;
            self.open_braces -= 1;
            self.expect_reserved("}")?;
            return Ok(BashCommand::Group(body, false, self.parse_redirects()?));
        }
        if self.take_reserved("if") {
            return self.parse_if();
        }
        if self.take_reserved("while") || self.take_reserved("until") {
            let condition = self.parse_body(&["do"])?;
            let body = self.parse_loop_body()?;
            return Ok(BashCommand::While(condition, body, self.parse_redirects()?));
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
            let name = self.parse_word()?.unwrap_or_default();
            self.take_parentheses();
            self.is_other_in_zsh |= self.rest().trim_start().starts_with('(');
            return self.parse_function(vec![name]);
        }
        self.parse_simple()
    }

    /// The `()` of a function.
    fn take_parentheses(&mut self) -> bool {
        let before = self.index;
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            if self.take(")") {
                return true;
            }
        }
        self.index = before;
        false
    }

    fn parse_simple(&mut self) -> ParseResult<BashCommand> {
        let mut command = SimpleCommand::default();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.parse_redirect()? {
                command.redirects.push(redirect);
                continue;
            }
            if command.words.is_empty()
                && let Some(assignment) = self.parse_assignment()?
            {
                command.assignments.push(assignment);
                continue;
            }
            if command.is_declaring() && self.is_at_array() {
                let Some(array) = self.parse_assignment()? else { break };
                command.words.push(BashWord::literal(&array.name));
                command.declared.push(array);
                continue;
            }
            let Some(word) = self.parse_argument(&command.words)? else { break };
            let may_be_name = command.words.is_empty() || self.is_zsh();
            if may_be_name && self.take_parentheses() {
                command.words.push(word);
                return self.parse_function(command.words);
            }
            command.words.push(word);
        }
        if command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty() {
            return Err("it is not a command line that a shell would accept");
        }
        self.read_bare_redirects(&mut command);
        Ok(BashCommand::Simple(command))
    }

    /// Whether `NAME=(` is next.
    fn is_at_array(&self) -> bool {
        let name = self.rest().trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
        name.starts_with("=(") || name.starts_with("+=(")
    }

    /// `NAME=value`, `NAME+=value`, `NAME[1]=value` or `NAME=(values)`.
    fn parse_assignment(&mut self) -> ParseResult<Option<BashAssignment>> {
        let before = self.index;
        let rest = self.rest();
        let name_end =
            rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(rest.len());
        let name = rest.get(..name_end).unwrap_or_default();
        if name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Ok(None);
        }
        self.index += name_end;
        let begin = self.index;
        if self.byte_at(0) == Some(b'[') {
            self.index += self.subscript_length().unwrap_or_default();
        }
        let end = self.index;
        let is_added = self.take("+=");
        if !is_added && !self.take("=") {
            self.index = before;
            return Ok(None);
        }
        let mut assignment = BashAssignment { name: name.to_owned(), is_added, ..BashAssignment::default() };
        if end > begin {
            let value = std::mem::replace(&mut self.index, begin);
            assignment.subscript = self.parse_subscript()?;
            if self.index != end {
                return Err("a subscript does not end where it seems to");
            }
            self.index = value;
        }
        assignment.is_array = self.take("(");
        if !assignment.is_array {
            assignment.words.push(self.parse_word()?.unwrap_or_default());
            return Ok(Some(assignment));
        }
        loop {
            self.skip_lines();
            match self.parse_word()? {
                Some(word) => assignment.words.push(word),
                None if self.take(")") => return Ok(Some(assignment)),
                None => return Err("an array is incomplete"),
            }
        }
    }
}

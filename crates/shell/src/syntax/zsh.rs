//! What zsh reads otherwise than bash: short forms, patterns with code, flags of variables.
//!
//! A parser of bash only notes such places, so that the text is read again by the rules of zsh.

use std::rc::Rc;

use super::parser::{BashParser, ParseResult};
use super::word::WordBuilder;
use super::{
    BashCommand, BashPipeline, BashRedirect, BashWord, GrammarKind, RedirectKind, ShellScript, SimpleCommand,
    VariableExpansion, WordPiece,
};

/// First words that begin something else in zsh.
const ZSH_WORDS: [&str; 5] = ["repeat", "foreach", "always", "end", "nocorrect"];

/// The most bytes of flags, or of a key.
const MAX_FLAGS: usize = 256;

/// Arrays of zsh that are its aliases, functions, settings or files.
pub(crate) const ZSH_TABLES: &str = " aliases galiases saliases dis_aliases functions dis_functions commands mapfile \
                                      nameddirs options argv path fpath module_path chpwd_functions zshexit_functions \
                                      precmd_functions preexec_functions periodic_functions ";

/// Whether zsh knows a table by this name.
pub(crate) fn is_zsh_table(name: &str) -> bool {
    name.len() > 3 && ZSH_TABLES.split_whitespace().any(|table| table == name)
}

/// Whether a text behind `:` begins with a modifier, as in `$NAME:h`.
pub(super) fn is_modifier(text: &str) -> bool {
    text.starts_with(|letter: char| "hteraAlucPqQxsg&".contains(letter))
}

impl BashParser<'_> {
    pub(super) fn is_zsh(&self) -> bool {
        self.grammar == GrammarKind::Zsh
    }

    /// Commands that only zsh has.
    pub(super) fn parse_zsh_command(&mut self) -> ParseResult<Option<BashCommand>> {
        // A word in front of any command, unlike `noglob`, which is a builtin.
        while self.take_reserved("nocorrect") {
            self.skip_blanks();
        }
        if self.rest().starts_with("()") || self.take_reserved("function") {
            return self.parse_zsh_function().map(Some);
        }
        if self.take("{") {
            let mut body = self.parse_body(&["}"])?;
            self.expect_reserved("}")?;
            self.skip_blanks();
            if self.take_reserved("always") {
                self.skip_blanks();
                body.extend(self.parse_braces()?);
            }
            return Ok(Some(BashCommand::Group(body, false, self.parse_redirects()?)));
        }
        if self.take_reserved("repeat") {
            self.skip_blanks();
            let count = self.parse_word()?.ok_or("a loop is incomplete")?;
            let condition = vec![BashPipeline::new(vec![BashCommand::Test(vec![count], Vec::new())])];
            let body = self.parse_loop_body()?;
            return Ok(Some(BashCommand::While(condition, body, self.parse_redirects()?)));
        }
        let ends = if self.take_reserved("foreach") {
            "end"
        } else if self.take_reserved("for") || self.take_reserved("select") {
            "done"
        } else {
            return Ok(None);
        };
        self.skip_blanks();
        if self.rest().starts_with("((") {
            return self.parse_for().map(Some);
        }
        self.parse_zsh_for(ends).map(Some)
    }

    /// `for NAME … in WORDS`, `for NAME … (WORDS)`, with a body of any form.
    fn parse_zsh_for(&mut self, end: &'static str) -> ParseResult<BashCommand> {
        let mut names = Vec::new();
        while let Some(word) = self.parse_word()? {
            names.push(word.as_literal().map(str::to_owned).ok_or("a loop has no name")?);
            self.skip_lines();
            if self.is_reserved("in") || self.rest().starts_with(['(', ';', '{']) || self.is_reserved("do") {
                break;
            }
        }
        let is_listed = self.take("(");
        let mut values = None;
        if is_listed || self.take_reserved("in") {
            values = Some(self.parse_words(if is_listed { Self::skip_lines } else { Self::skip_blanks })?);
        }
        if is_listed && !self.take(")") {
            return Err("a loop is incomplete");
        }
        let body = if end == "end" {
            self.skip_blanks();
            self.take(";");
            let body = self.parse_body(&["end"])?;
            self.expect_reserved("end")?;
            body
        } else {
            self.parse_loop_body()?
        };
        let redirects = self.parse_redirects()?;
        let name = names.pop().ok_or("a loop has no name")?;
        let inner = BashCommand::For(name, values.clone(), body, redirects);
        // Several names get the values in turn: any of them may get any.
        let wrap =
            |inner, name| BashCommand::For(name, values.clone(), vec![BashPipeline::new(vec![inner])], Vec::new());
        Ok(names.into_iter().fold(inner, wrap))
    }

    /// `function NAME … { … }`; without a name, it runs at once with the words behind it.
    fn parse_zsh_function(&mut self) -> ParseResult<BashCommand> {
        let mut names = Vec::new();
        self.skip_blanks();
        while !self.rest().starts_with(['{', '(']) {
            match self.parse_word()? {
                Some(word) => names.push(word),
                None => break,
            }
            self.skip_lines();
        }
        // `function f ((x))` has another name, which is a pattern: what is in it is expanded.
        let has_pattern = !names.is_empty() && self.rest().starts_with('(') && !self.rest().starts_with("()");
        self.take("()");
        if names.is_empty() || has_pattern {
            if names.is_empty() {
                names.push(BashWord::literal(format!("(anonymous {})", self.index)));
            }
            let mut call = SimpleCommand { words: names.iter().take(1).cloned().collect(), ..SimpleCommand::default() };
            let function = self.parse_function(names)?;
            loop {
                self.skip_blanks();
                if let Some(redirect) = self.parse_redirect()? {
                    call.redirects.push(redirect);
                    continue;
                }
                let Some(word) = self.parse_argument(&call.words)? else { break };
                call.words.push(word);
            }
            let commands = [function, BashCommand::Simple(call)].map(|command| BashPipeline::new(vec![command]));
            return Ok(BashCommand::Group(commands.into(), false, Vec::new()));
        }
        self.parse_function(names)
    }

    /// The body of a loop or a branch without `do` or `then`: commands in braces, or those of one line.
    pub(super) fn parse_short_body(&mut self) -> ParseResult<Vec<BashPipeline>> {
        if self.rest().starts_with('{') {
            return self.parse_braces();
        }
        let mut body = Vec::new();
        self.nested(|parser| parser.parse_sublist(&mut body))?;
        Ok(body)
    }

    /// Whether another branch follows one in braces, maybe on the next line.
    pub(super) fn take_branch(&mut self, word: &str) -> bool {
        let before = self.index;
        self.skip_lines();
        let is_next = self.take_reserved(word);
        if !is_next {
            self.index = before;
        }
        is_next
    }

    /// Parses an argument behind these words. In zsh it may begin with a group of a pattern.
    pub(super) fn parse_argument(&mut self, before: &[BashWord]) -> ParseResult<Option<BashWord>> {
        if !self.is_zsh() {
            let word = self.parse_word()?;
            let first = if before.is_empty() { word.as_ref().and_then(BashWord::as_literal) } else { None };
            let is_other = |text: &str| text.len() > 1 && text.starts_with('{') || ZSH_WORDS.contains(&text);
            let last = word.as_ref().and_then(|word| word.pieces.last());
            let closes = matches!(last, Some(WordPiece::Literal(text)) if text.ends_with('}') && !text.contains('{'));
            self.is_other_in_zsh |= closes && self.open_braces > 0 || first.is_some_and(is_other);
            return Ok(word);
        }
        if before.is_empty() { self.parse_word() } else { self.parse_target() }
    }

    /// Parses a word that may begin with a group of a pattern in zsh.
    pub(super) fn parse_target(&mut self) -> ParseResult<Option<BashWord>> {
        if !self.is_zsh() || !self.rest().starts_with('(') || self.rest().starts_with("()") {
            return self.parse_word();
        }
        let mut built = WordBuilder::default();
        self.parse_group(&mut built)?;
        self.parse_word_into(built)
    }

    /// What a word begins with: `=(COMMAND)` and `=PROGRAM`.
    pub(super) fn begin_word(&mut self, built: &mut WordBuilder) -> ParseResult<()> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_./$'\"`\\({-".contains(&byte);
        if self.byte_at(0) != Some(b'=') || !self.byte_at(1).is_some_and(is_name) {
            return Ok(());
        }
        self.is_other_in_zsh = true;
        if self.is_zsh() && !self.take_file_substitution(built)? {
            self.index += 1;
            "/usr/bin/".chars().for_each(|letter| built.literal(letter));
        }
        Ok(())
    }

    /// `=(COMMAND)`, which is a file with what the command prints.
    pub(super) fn take_file_substitution(&mut self, built: &mut WordBuilder) -> ParseResult<bool> {
        let is_next = self.rest().starts_with("=(");
        self.is_other_in_zsh |= is_next;
        if is_next && self.is_zsh() {
            self.index += 2;
            let script = self.parse_substitution()?;
            built.push(WordPiece::Process(script, false));
        }
        Ok(is_next && self.is_zsh())
    }

    /// Whether a pattern of numbers is next, as `<1-20>`. bash reads it as two redirections.
    pub(super) fn is_number_pattern(&mut self) -> bool {
        let Some(inner) = self.rest().strip_prefix('<') else { return false };
        let end = inner.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or_default();
        let is_pattern = end > 0 && inner.get(end..).is_some_and(|rest| rest.starts_with('>'));
        self.is_other_in_zsh |= is_pattern;
        is_pattern && self.is_zsh()
    }

    /// Letters that mean something in a word of zsh; `false` if this one does not.
    pub(super) fn parse_zsh_letter(&mut self, built: &mut WordBuilder, open_braces: &mut usize) -> ParseResult<bool> {
        let last = match built.word.pieces.last() {
            Some(WordPiece::Literal(text)) => text.chars().last(),
            _ => None,
        };
        let is_begun = !built.word.pieces.is_empty();
        match self.peek() {
            Some('(') if is_begun && !self.rest().starts_with("()") => self.parse_group(built)?,
            // `export NAME==(COMMAND)`, `NAME=([=(COMMAND)]=VALUE)`.
            Some('=') if matches!(last, Some('=' | '[')) => return self.take_file_substitution(built),
            Some('<') if self.is_number_pattern() => {
                self.index += self.rest().find('>').map_or(0, |end| end + 1);
                built.literal('*');
            }
            // `^NAME`: everything else.
            Some('^') if !is_begun || last == Some('/') => {
                self.index += 1;
                built.literal('*');
            }
            Some('{') => {
                self.index += 1;
                *open_braces += 1;
                built.literal('{');
            }
            Some('}') if *open_braces > 0 => {
                self.index += 1;
                *open_braces -= 1;
                built.literal('}');
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `(a|b)` or `(QUALIFIERS)`. Alternatives are those of braces, and code that qualifiers run is a piece of its own.
    fn parse_group(&mut self, built: &mut WordBuilder) -> ParseResult<()> {
        self.index += 1;
        let mut inner = WordBuilder::default();
        let mut has_alternatives = false;
        loop {
            match self.peek().ok_or("a pattern is incomplete")? {
                ')' => break,
                '(' => self.nested(|parser| parser.parse_group(&mut inner))?,
                '|' => {
                    self.index += 1;
                    has_alternatives = true;
                    inner.literal(',');
                }
                _ => self.parse_piece(&mut inner)?,
            }
        }
        self.index += 1;
        if has_alternatives {
            built.literal('{');
            inner.word.pieces.into_iter().for_each(|piece| built.push(piece));
            built.literal('}');
            return Ok(());
        }
        let is_last = self.peek().is_none_or(|letter| letter.is_whitespace() || ";|&()<>}".contains(letter));
        if !is_last {
            inner.word.pieces.into_iter().for_each(|piece| built.push(piece));
            return Ok(());
        }
        let mut text = String::new();
        for piece in &inner.word.pieces {
            match piece {
                WordPiece::Literal(piece) | WordPiece::Quoted(piece) => text.push_str(piece),
                // It may be any qualifier.
                piece => {
                    text.push_str("+\0");
                    let word = BashWord { pieces: vec![piece.clone()] };
                    let pipelines = vec![BashPipeline::new(vec![BashCommand::Test(vec![word], Vec::new())])];
                    let script = ShellScript { pipelines, ..ShellScript::default() };
                    built.push(WordPiece::Selection(Rc::new(script)));
                }
            }
        }
        let (codes, modifiers) = qualifier_code(&text);
        for code in codes {
            let script = if code.contains('\0') {
                let fault = Some("which code a pattern runs is not known");
                ShellScript { fault, ..ShellScript::default() }
            } else {
                self.spend(1)?;
                super::parse_counted(&code, self.grammar, self.depth, self.spent).0
            };
            built.push(WordPiece::Selection(Rc::new(script)));
        }
        if !modifiers.is_empty() {
            // `FILE(:h)` is as `${FILE:h}`.
            let (inner, operand) = (Some(std::mem::take(&mut built.word)), BashWord::literal(modifiers));
            let operator = String::from(":");
            let expansion = VariableExpansion { inner, operator, operand, ..VariableExpansion::default() };
            built.push(WordPiece::Variable(Box::new(expansion)));
        }
        Ok(())
    }

    /// `!` and `|` behind a redirection. Returns whether they make it one to a file.
    pub(super) fn skip_clobber(&mut self, token: &str) -> bool {
        let suffixes: &[&str] = match token {
            ">>" => &["&!", "&|", "&", "!", "|"],
            ">" | ">&" | "&>" | "&>>" => &["!", "|"],
            _ => &[],
        };
        let suffix = suffixes.iter().find(|suffix| self.rest().starts_with(**suffix));
        self.is_other_in_zsh |= suffix.is_some();
        match suffix {
            Some(suffix) if self.is_zsh() => {
                self.index += suffix.len();
                true
            }
            _ => false,
        }
    }

    /// Redirections of one descriptor, and the pipe, which all get or give the text.
    pub(super) fn share_streams(&mut self, command: &mut BashCommand, is_piped_in: bool, is_piped_out: bool) {
        let redirects = match command {
            BashCommand::Simple(simple) => &mut simple.redirects,
            BashCommand::Group(_, _, redirects)
            | BashCommand::While(_, _, redirects)
            | BashCommand::Branches(_, _, redirects)
            | BashCommand::For(_, _, _, redirects)
            | BashCommand::Test(_, redirects) => redirects,
            BashCommand::Function(..) => return,
        };
        if redirects.len() + usize::from(is_piped_in) + usize::from(is_piped_out) < 2 {
            return;
        }
        let mut share = |kinds: &[RedirectKind], descriptor: &str, is_piped: bool| {
            let is_one = |redirect: &&mut BashRedirect| {
                kinds.contains(&redirect.kind) && (redirect.descriptor.is_empty() || redirect.descriptor == descriptor)
            };
            let mut streams: Vec<&mut BashRedirect> = redirects.iter_mut().filter(is_one).collect();
            let is_shared = !streams.is_empty() && streams.len() + usize::from(is_piped) > 1;
            streams.iter_mut().for_each(|redirect| redirect.is_shared = is_shared);
            is_shared
        };
        use RedirectKind::{Append, Duplicate, DuplicateInput, Input, Output, ReadWrite, Text};
        let is_shared = share(&[Output, Append, Duplicate], "1", is_piped_out)
            | share(&[Input, Text, ReadWrite, DuplicateInput], "0", is_piped_in);
        if self.is_zsh() {
            return;
        }
        redirects.iter_mut().for_each(|redirect| redirect.is_shared = false);
        self.is_other_in_zsh |= is_shared;
    }

    /// Redirections alone: zsh runs a program with them.
    pub(super) fn read_bare_redirects(&mut self, command: &mut SimpleCommand) {
        let reads = |redirect: &BashRedirect| matches!(redirect.kind, RedirectKind::Input | RedirectKind::Text);
        if !command.words.is_empty() || !command.assignments.is_empty() || !command.redirects.iter().any(reads) {
            return;
        }
        self.is_other_in_zsh = true;
        if self.is_zsh() {
            let program = |name: &str, operand| VariableExpansion {
                name: name.to_owned(),
                operator: String::from(":-"),
                operand,
                quoted: true,
                ..VariableExpansion::default()
            };
            let word = |expansion| BashWord { pieces: vec![WordPiece::Variable(Box::new(expansion))] };
            let usual = word(program("NULLCMD", BashWord::literal("cat")));
            command.words.push(word(program("READNULLCMD", usual)));
        }
    }

    /// `$=NAME`, `$~NAME`: flags without braces, behind the `$`.
    pub(super) fn take_bare_flags(&mut self) -> String {
        let rest = self.rest();
        let end = rest.len() - rest.trim_start_matches(['=', '~', '^', '+']).len();
        let is_name = |letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '{' | '(' | '@' | '*');
        if end == 0 || !rest.get(end..).is_some_and(|name| name.starts_with(is_name)) {
            return String::new();
        }
        self.is_other_in_zsh = true;
        if !self.is_zsh() {
            return String::new();
        }
        self.index += end;
        rest.get(..end).unwrap_or_default().to_owned()
    }

    /// `[KEY]` and `:h` behind a name without braces.
    pub(super) fn parse_bare_suffix(&mut self, expansion: &mut VariableExpansion) -> ParseResult<()> {
        let has_key = self.byte_at(0) == Some(b'[') && self.rest().bytes().take(MAX_FLAGS).any(|byte| byte == b']');
        let has_modifier = self.byte_at(0) == Some(b':') && self.rest().get(1..).is_some_and(is_modifier);
        self.is_other_in_zsh |= has_key || has_modifier;
        if !self.is_zsh() {
            return Ok(());
        }
        if has_key {
            expansion.subscript = self.parse_subscript()?;
        } else if has_modifier {
            let is_end = |letter: char| !(letter.is_ascii_alphabetic() || letter == ':');
            let modifiers = self.rest().split(is_end).next().unwrap_or_default().to_owned();
            self.index += modifiers.len();
            expansion.operator = String::from(":");
            expansion.operand = BashWord::literal(modifiers.get(1..).unwrap_or_default());
        }
        Ok(())
    }

    /// The flags behind `${`.
    pub(super) fn take_flags(&mut self) -> ParseResult<String> {
        let begin = self.index;
        loop {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_{($@*:".contains(&byte);
            match self.byte_at(0) {
                Some(b'(') => {
                    self.index += 1;
                    let _flags = self.parse_expression(&[")"])?;
                }
                Some(b'=' | b'~' | b'^') => self.index += 1,
                Some(b'+') if self.byte_at(1).is_some_and(is_name) => self.index += 1,
                _ => break,
            }
        }
        let flags = self.text.get(begin..self.index).unwrap_or_default().to_owned();
        if flags.is_empty() {
            return Ok(flags);
        }
        self.is_other_in_zsh = true;
        if self.is_zsh() {
            return Ok(flags);
        }
        self.index = begin;
        Ok(String::new())
    }

    /// What `${` has where a name would be: another expansion, a text in quotes, or nothing.
    pub(super) fn parse_inner(&mut self, quoted: bool) -> ParseResult<Option<BashWord>> {
        let is_inner = match self.byte_at(0) {
            Some(b'"' | b':' | b'`') => true,
            Some(b'$') => self.byte_at(1).is_some_and(|byte| b"{(".contains(&byte)),
            _ => false,
        };
        if !is_inner {
            return Ok(None);
        }
        self.is_other_in_zsh = true;
        if !self.is_zsh() {
            return Ok(None);
        }
        let mut built = WordBuilder::default();
        match self.byte_at(0) {
            Some(b'"') => {
                self.index += 1;
                self.nested(|parser| parser.parse_double_quotes(&mut built))?;
            }
            Some(b'$' | b'`') => self.parse_dollar(&mut built, quoted)?,
            _ => {}
        }
        Ok(Some(built.word))
    }
}

/// The code in the qualifiers of a pattern: `e:CODE:`, `+FUNCTION`, and the same behind `o` and `O`. Also the modifiers
/// behind them.
fn qualifier_code(text: &str) -> (Vec<String>, &str) {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches("#q");
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            'e' | 'u' | 'g' | 'f' | 'P' => {
                let Some(open) = rest.chars().next().filter(|open| letter == 'e' || !open.is_ascii_alphanumeric())
                else {
                    continue;
                };
                let close = match open {
                    '{' => '}',
                    '[' => ']',
                    '<' => '>',
                    open => open,
                };
                let inner = rest.get(open.len_utf8()..).unwrap_or_default();
                let (code, after) = inner.split_once(close).unwrap_or((inner, ""));
                match letter {
                    'e' => found.push(code.to_owned()),
                    // It puts words in front of the names.
                    'P' => found.push(String::from("\0")),
                    _ => {}
                }
                rest = after;
            }
            '+' => {
                let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '\0' | '-'));
                let name = rest.split(is_end).next().unwrap_or_default();
                if !name.starts_with(|letter: char| letter.is_ascii_digit()) {
                    found.push(name.to_owned());
                }
                rest = rest.get(name.len()..).unwrap_or_default();
            }
            // Numbers.
            '[' => rest = rest.split_once(']').map_or("", |(_, after)| after),
            ':' => return (found, rest),
            _ => {}
        }
    }
    (found, "")
}

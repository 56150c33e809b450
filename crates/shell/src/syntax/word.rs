//! The parser of words: quotes, variables and substitutions.

use std::rc::Rc;

use super::parser::{BashParser, ParseResult};
use super::zsh::is_modifier;
use super::{BashPipeline, BashWord, ShellScript, VariableExpansion, WordPiece};

/// Letters that end an unquoted word.
const ENDS: [char; 10] = [' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '<'];

/// Pieces of a word, with adjacent text joined.
#[derive(Debug, Default)]
pub(super) struct WordBuilder {
    pub(super) word: BashWord,
}

impl WordBuilder {
    pub(super) fn literal(&mut self, letter: char) {
        self.literal_text(letter.encode_utf8(&mut [0; 4]));
    }

    pub(super) fn literal_text(&mut self, added: &str) {
        match self.word.pieces.last_mut() {
            Some(WordPiece::Literal(text)) => text.push_str(added),
            _ => self.word.pieces.push(WordPiece::Literal(added.to_owned())),
        }
    }

    pub(super) fn quoted(&mut self, added: &str) {
        match self.word.pieces.last_mut() {
            Some(WordPiece::Quoted(text)) => text.push_str(added),
            _ => self.word.pieces.push(WordPiece::Quoted(added.to_owned())),
        }
    }

    pub(super) fn push(&mut self, piece: WordPiece) {
        self.word.pieces.push(piece);
    }

    pub(super) fn finish(self) -> BashWord {
        self.word
    }
}

impl BashParser<'_> {
    /// Parses a word; `None` if an operator or the end is next.
    pub(super) fn parse_word(&mut self) -> ParseResult<Option<BashWord>> {
        let mut built = WordBuilder { word: BashWord { pieces: Vec::with_capacity(1) } };
        self.begin_word(&mut built)?;
        self.parse_word_into(built)
    }

    /// The same behind what a word begins with.
    pub(super) fn parse_word_into(&mut self, mut built: WordBuilder) -> ParseResult<Option<BashWord>> {
        // Braces that are open in the word: another one that closes ends it in zsh.
        let mut open_braces = 0_usize;
        while let Some(letter) = self.peek() {
            let is_process = matches!(letter, '<' | '>') && self.byte_at(1) == Some(b'(');
            // An extended pattern: `!(a)`, `@(a|b)`.
            let is_group = letter == '(' && !self.is_zsh() && built.word.pieces.last().is_some_and(is_pattern_prefix);
            if self.is_zsh()
                && matches!(letter, '(' | '<' | '{' | '}' | '^' | '=')
                && self.parse_zsh_letter(&mut built, &mut open_braces)?
            {
                continue;
            }
            if is_group {
                self.is_other_in_zsh = true;
                self.nested(|parser| parser.parse_extended_pattern(&mut built))?;
            } else if !is_process && (letter == '>' || ENDS.contains(&letter))
                || letter == '}' && self.is_zsh() && open_braces == 0
            {
                break;
            } else {
                self.parse_piece(&mut built)?;
            }
        }
        if built.word.pieces.is_empty() {
            return Ok(None);
        }
        self.spend(1)?;
        Ok(Some(built.word))
    }

    /// Parses what is next in an unquoted word, whatever it is.
    pub(super) fn parse_piece(&mut self, built: &mut WordBuilder) -> ParseResult<()> {
        match self.peek() {
            Some(letter @ ('<' | '>')) if self.byte_at(1) == Some(b'(') => {
                self.index += 2;
                let script = self.parse_substitution()?;
                built.push(WordPiece::Process(script, letter == '>'));
            }
            Some('\\') => {
                self.index += 1;
                match self.bump() {
                    Some('\n') => {}
                    Some(letter) => built.quoted(letter.encode_utf8(&mut [0; 4])),
                    None => built.literal('\\'),
                }
            }
            Some('\'') => self.parse_single_quotes(built)?,
            Some('"') => {
                self.index += 1;
                self.parse_double_quotes(built)?;
            }
            Some('$' | '`') => self.parse_dollar(built, false)?,
            Some(_) => {
                // Most of a word means nothing but itself, and so does any first letter that comes here.
                let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
                let first = self.peek().map_or(0, char::len_utf8);
                let more = self.rest().bytes().skip(first).take_while(|byte| is_plain(byte)).count();
                built.literal_text(self.rest().get(..first + more).unwrap_or_default());
                self.index += first + more;
            }
            None => {}
        }
        Ok(())
    }

    /// The parentheses of an extended pattern.
    fn parse_extended_pattern(&mut self, built: &mut WordBuilder) -> ParseResult<()> {
        let mut open = 0_usize;
        loop {
            match self.peek().ok_or("a pattern is incomplete")? {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            self.parse_piece(built)?;
            if open == 0 {
                return Ok(());
            }
        }
    }

    pub(super) fn parse_single_quotes(&mut self, built: &mut WordBuilder) -> ParseResult<()> {
        self.index += 1;
        let end = self.rest().find('\'').ok_or("a quote is not closed")?;
        built.quoted(self.rest().get(..end).unwrap_or_default());
        self.index += end + 1;
        Ok(())
    }

    pub(super) fn parse_double_quotes(&mut self, built: &mut WordBuilder) -> ParseResult<()> {
        self.parse_quoted_text(built, &['"', '\\', '$', '`'])
    }

    /// The text of a here-document with an unquoted delimiter.
    pub(super) fn parse_document_text(&mut self) -> BashWord {
        let mut built = WordBuilder::default();
        if let Err(fault) = self.parse_quoted_text(&mut built, &['\\', '$', '`']) {
            let script = ShellScript { fault: Some(fault), ..ShellScript::default() };
            built.push(WordPiece::Substitution(Rc::new(script), true));
        }
        built.word
    }

    /// A text in which these letters have a meaning, up to its closing quote if that is one of them.
    fn parse_quoted_text(&mut self, built: &mut WordBuilder, special: &[char]) -> ParseResult<()> {
        built.quoted("");
        loop {
            let run = self.rest().find(special).unwrap_or(self.rest().len());
            built.quoted(self.rest().get(..run).unwrap_or_default());
            self.index += run;
            match self.peek() {
                None if special.contains(&'"') => return Err("a quote is not closed"),
                None => return Ok(()),
                Some('"') => {
                    self.index += 1;
                    return Ok(());
                }
                Some('\\') => {
                    self.index += 1;
                    let letter = self.bump();
                    if !letter.is_some_and(|letter| letter == '\n' || special.contains(&letter)) {
                        built.quoted("\\");
                    }
                    if let Some(letter) = letter.filter(|letter| *letter != '\n') {
                        built.quoted(letter.encode_utf8(&mut [0; 4]));
                    }
                }
                _ => self.parse_dollar(built, true)?,
            }
        }
    }

    pub(super) fn parse_dollar(&mut self, built: &mut WordBuilder, quoted: bool) -> ParseResult<()> {
        self.spend(1)?;
        if self.take("`") {
            let mut inner = String::new();
            loop {
                match self.bump().ok_or("a backtick is not closed")? {
                    '`' => break,
                    '\\' => match self.bump() {
                        Some(letter @ ('`' | '\\' | '$')) => inner.push(letter),
                        Some('"') if quoted => inner.push('"'),
                        Some(letter) => inner.extend(['\\', letter]),
                        None => return Err("a backtick is not closed"),
                    },
                    letter => inner.push(letter),
                }
            }
            let script = self.nested(|parser| {
                let (script, spent) = super::parse_counted(&inner, parser.grammar, parser.depth, parser.spent);
                parser.spent = spent;
                parser.is_other_in_zsh |= script.is_other_in_zsh;
                Ok(script)
            })?;
            built.push(WordPiece::Substitution(Rc::new(script), quoted));
            return Ok(());
        }
        if self.take("$((") {
            if let Some(end) = self.find_arithmetic_end() {
                built.push(WordPiece::Arithmetic(self.parse_arithmetic(end)?));
                return Ok(());
            }
            self.index -= 3;
        }
        if self.take("$(") {
            let script = self.parse_substitution()?;
            built.push(WordPiece::Substitution(script, quoted));
            return Ok(());
        }
        // `${ COMMAND; }` and `${| COMMAND; }` are substitutions in the shell itself.
        if self.rest().starts_with("${") && matches!(self.byte_at(2), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.index += 3;
            let pipelines = self.nested(|parser| {
                let body = parser.parse_body(&["}"])?;
                if !parser.take("}") {
                    return Err("a substitution is not closed");
                }
                Ok(body)
            })?;
            built.push(WordPiece::Substitution(Rc::new(ShellScript { pipelines, ..ShellScript::default() }), quoted));
            return Ok(());
        }
        if self.take("${") {
            let expansion = self.nested(|parser| parser.parse_braced(quoted))?;
            built.push(WordPiece::Variable(Box::new(expansion)));
            return Ok(());
        }
        if !quoted && self.take("$'") {
            let text = self.parse_ansi_text()?;
            built.quoted(&text);
            return Ok(());
        }
        if !quoted && self.take("$\"") {
            return self.parse_double_quotes(built);
        }
        if self.take("$[") {
            built.push(WordPiece::Arithmetic(self.parse_expression(&["]"])?.0));
            return Ok(());
        }
        self.index += 1;
        let flags = self.take_bare_flags();
        let rest = self.rest();
        let name_end = match rest.chars().next() {
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(rest.len())
            }
            Some(letter) if letter.is_ascii_digit() || "@*#?-$!".contains(letter) => 1,
            _ => 0,
        };
        if name_end == 0 {
            if quoted {
                built.quoted("$")
            } else {
                built.literal('$')
            }
            return Ok(());
        }
        let name = rest.get(..name_end).unwrap_or_default().to_owned();
        self.index += name_end;
        let mut expansion = VariableExpansion { name, quoted, flags, ..VariableExpansion::default() };
        self.parse_bare_suffix(&mut expansion)?;
        built.push(WordPiece::Variable(Box::new(expansion)));
        Ok(())
    }

    /// `${NAME…}` behind its `${`.
    fn parse_braced(&mut self, quoted: bool) -> ParseResult<VariableExpansion> {
        let mut indirect = self.rest().starts_with('!')
            && self.byte_at(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_@*#".contains(&byte));
        if indirect {
            self.index += 1;
        }
        let flags = self.take_flags()?;
        // `${#NAME}` is a number.
        let is_length = !indirect
            && self.rest().starts_with('#')
            && self.byte_at(1).is_some_and(|byte| !b"}:#%/^,=+".contains(&byte))
            && !(matches!(self.byte_at(1), Some(b'-' | b'?')) && self.byte_at(2) != Some(b'}'));
        if is_length {
            self.index += 1;
        }
        let rest = self.rest();
        let name_end = rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len())
            .max(usize::from(rest.starts_with(['@', '*', '#', '?', '-', '$', '!'])));
        let inner = self.parse_inner(quoted)?;
        let name_end = if inner.is_some() { 0 } else { name_end };
        let name = rest.get(..name_end).unwrap_or_default().to_owned();
        self.index += name_end;
        let begin = self.index;
        let subscript = self.parse_subscript()?;
        let written = self.text.get(begin + 1..self.index.saturating_sub(1)).unwrap_or_default();
        self.is_other_in_zsh |= subscript.is_some() && !matches!(written, "@" | "*");
        let operator_end = match (self.byte_at(0), self.byte_at(1)) {
            (Some(b':'), Some(b'-' | b'=' | b'?' | b'+')) | (Some(b'/'), Some(b'/' | b'#' | b'%')) => 2,
            (Some(first @ (b'#' | b'%' | b'^' | b',')), Some(second)) if first == second => 2,
            (Some(first), _) if b":-=+?#%/^,@".contains(&first) => 1,
            // `${!PREFIX*}`.
            (Some(b'*'), Some(b'}')) if indirect => 1,
            _ => 0,
        };
        let mut operator = self.rest().get(..operator_end).unwrap_or_default().to_owned();
        self.index += operator_end;
        if operator.is_empty() && self.peek() != Some('}') {
            // bash does not know it. What it has of commands may run in another shell.
            operator = String::from("other");
        }
        if is_length {
            operator = String::from("length");
        } else if indirect
            && (subscript.as_ref().is_some_and(BashWord::is_all)
                || operator == "*"
                || operator == "@" && self.peek() == Some('}'))
        {
            // `${!NAME[@]}` are the indices.
            indirect = false;
            operator = String::from("indices");
        }
        // A pattern has quotes of its own, but not in zsh.
        let is_plain = quoted && (self.is_zsh() || !operator.starts_with(['#', '%', '/', '^', ',']));
        let mut built = WordBuilder::default();
        if !quoted && operator.ends_with(['-', '=', '+']) {
            self.begin_word(&mut built)?;
        }
        loop {
            match self.peek().ok_or("a variable is not closed")? {
                '}' => {
                    self.index += 1;
                    let operand = built.word;
                    self.is_other_in_zsh |= operator == ":" && is_modifier(operand.as_literal().unwrap_or_default());
                    let expansion =
                        VariableExpansion { name, operator, operand, quoted, subscript, indirect, flags, inner };
                    return Ok(expansion);
                }
                '"' => {
                    self.index += 1;
                    self.nested(|parser| parser.parse_double_quotes(&mut built))?;
                }
                '$' | '`' => self.parse_dollar(&mut built, is_plain)?,
                '\'' if quoted && !is_plain => {
                    self.is_other_in_zsh = true;
                    self.parse_single_quotes(&mut built)?;
                }
                // In double quotes, others stand for themselves, and so does what quotes only some letters.
                letter @ ('\'' | '\\') if is_plain && (letter == '\'' || !self.quotes_next()) => {
                    self.index += 1;
                    built.literal(letter);
                }
                '=' if !quoted && self.take_file_substitution(&mut built)? => {}
                _ => self.parse_piece(&mut built)?,
            }
        }
    }

    /// Whether a backslash in double quotes quotes the letter behind it.
    fn quotes_next(&self) -> bool {
        self.byte_at(1).is_some_and(|byte| b"$`\"\\}\n".contains(&byte))
    }

    /// The commands of a substitution, behind its opening parenthesis.
    pub(super) fn parse_substitution(&mut self) -> ParseResult<Rc<ShellScript>> {
        let pipelines = self.nested(|parser| {
            let mut inner = BashParser::new(parser.text, parser.depth);
            (inner.grammar, inner.index, inner.spent) = (parser.grammar, parser.index, parser.spent);
            let mut pipelines: Vec<BashPipeline> = Vec::new();
            let parsed = inner.parse_list(&mut pipelines, &[")"]);
            parser.is_other_in_zsh |= inner.is_other_in_zsh;
            parsed?;
            if !inner.take(")") {
                return Err("a substitution is not closed");
            }
            let end = inner.index;
            parser.spent = inner.spent;
            inner.fill_documents(&mut pipelines);
            parser.index = end;
            Ok(pipelines)
        })?;
        Ok(Rc::new(ShellScript { pipelines, ..ShellScript::default() }))
    }
}

fn is_pattern_prefix(piece: &WordPiece) -> bool {
    matches!(piece, WordPiece::Literal(text) if text.ends_with(['!', '@', '?', '*', '+']))
}

//! The parser of redirections and here-documents.

use std::rc::Rc;

use super::parser::{BashParser, ParseResult};
use super::{BashCommand, BashPipeline, BashRedirect, BashWord, RedirectKind, WordPiece};

/// A here-document whose text follows at the end of the line.
#[derive(Debug)]
pub(super) struct PendingDocument {
    delimiter: String,
    is_literal: bool,
    strips_tabs: bool,
    /// Its number among the documents of the parser.
    number: usize,
}

impl BashParser<'_> {
    pub(super) fn parse_redirects(&mut self) -> ParseResult<Vec<BashRedirect>> {
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            match self.parse_redirect()? {
                Some(redirect) => all.push(redirect),
                None => return Ok(all),
            }
        }
    }

    pub(super) fn parse_redirect(&mut self) -> ParseResult<Option<BashRedirect>> {
        let may_begin = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'{' | b'<' | b'>' | b'&');
        if !self.byte_at(0).is_some_and(may_begin) {
            return Ok(None);
        }
        let before = self.index;
        let rest = self.rest();
        if self.is_number_pattern() {
            return Ok(None);
        }
        let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = rest.strip_prefix('{').map(|inner| (inner, inner.trim_start_matches(is_name)));
        let named =
            name.filter(|(_, after)| after.starts_with('}')).map_or(0, |(inner, after)| inner.len() - after.len() + 2);
        let skip =
            digits.max(if rest.get(named..).is_some_and(|after| after.starts_with(['<', '>'])) { named } else { 0 });
        let descriptor = rest.get(..skip).unwrap_or_default();
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
            ("<&", RedirectKind::DuplicateInput),
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
        let is_forced = self.skip_clobber(token);
        self.skip_blanks();
        if matches!(token, "<<" | "<<-") {
            let document = self.begin_document(token == "<<-")?;
            return Ok(Some(BashRedirect { descriptor: descriptor.to_owned(), ..document }));
        }
        let target = self.parse_target()?.ok_or("a redirection has no target")?;
        let is_descriptor = |text: &str| text.trim_end_matches('-').chars().all(|letter| letter.is_ascii_digit());
        let kind = match kind {
            // `>&file` writes to a file.
            RedirectKind::Duplicate if is_forced => RedirectKind::Output,
            RedirectKind::Duplicate if token == ">&" && !target.as_literal().is_some_and(is_descriptor) => {
                RedirectKind::Output
            }
            kind => kind,
        };
        Ok(Some(BashRedirect { kind, descriptor: descriptor.to_owned(), target, is_shared: false }))
    }

    pub(super) fn begin_document(&mut self, strips_tabs: bool) -> ParseResult<BashRedirect> {
        let begin = self.index;
        let word = self.parse_word()?.ok_or("a here-document has no delimiter")?;
        let is_literal = word.as_literal().is_none();
        let texts = word.pieces.iter().map(|piece| match piece {
            WordPiece::Literal(text) | WordPiece::Quoted(text) => Some(text.as_str()),
            _ => None,
        });
        let written = self.text.get(begin..self.index).unwrap_or_default();
        // What would be expanded elsewhere stands for itself.
        let delimiter = texts.collect::<Option<String>>().unwrap_or_else(|| written.to_owned());
        let is_literal = is_literal && (delimiter != written || written.contains(['\'', '"', '\\']));
        let number = self.documents.len();
        self.documents.push(BashWord::default());
        self.pending.push_back(PendingDocument { delimiter, is_literal, strips_tabs, number });
        // The text is not read yet: its number is its place.
        Ok(BashRedirect {
            kind: RedirectKind::Text,
            descriptor: String::new(),
            target: BashWord { pieces: vec![WordPiece::Literal(format!("\0{number}"))] },
            is_shared: false,
        })
    }

    /// Reads the texts of the here-documents that begin on the next line.
    pub(super) fn read_documents(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            let mut body = String::new();
            while !self.rest().is_empty() {
                let mut line = String::new();
                // A line that is continued is one with the next one, even in the quotes of a command.
                loop {
                    let (part, rest) = self.rest().split_once('\n').unwrap_or((self.rest(), ""));
                    self.index = self.text.len() - rest.len();
                    let slashes = part.len() - part.trim_end_matches('\\').len();
                    if pending.is_literal || slashes % 2 == 0 || rest.is_empty() {
                        line.push_str(part);
                        break;
                    }
                    line.push_str(part.strip_suffix('\\').unwrap_or_default());
                }
                let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { &line };
                if line.trim_end_matches('\r') == pending.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let word = if pending.is_literal {
                BashWord { pieces: vec![WordPiece::Quoted(body)] }
            } else {
                let mut inner = BashParser { grammar: self.grammar, ..BashParser::new(&body, self.depth + 1) };
                inner.spent = self.spent;
                let word = inner.parse_document_text();
                (self.spent, self.is_other_in_zsh) = (inner.spent, self.is_other_in_zsh | inner.is_other_in_zsh);
                word
            };
            if let Some(place) = self.documents.get_mut(pending.number) {
                *place = word;
            }
        }
    }

    /// Puts the texts of here-documents into the redirections that announced them.
    pub(super) fn fill_documents(&mut self, pipelines: &mut [BashPipeline]) {
        self.read_documents();
        if !self.documents.is_empty() {
            let documents = std::mem::take(&mut self.documents);
            for command in pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.commands) {
                fill_command(command, &documents);
            }
        }
    }
}

fn fill_command(command: &mut BashCommand, documents: &[BashWord]) {
    let fill = |redirects: &mut Vec<BashRedirect>| {
        for redirect in redirects {
            let number = redirect.target.as_literal().and_then(|text| text.strip_prefix('\0')?.parse::<usize>().ok());
            if let Some(text) = number.and_then(|number| documents.get(number)) {
                redirect.target = text.clone();
            }
        }
    };
    let fill_all = |pipelines: &mut Vec<BashPipeline>| {
        for command in pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.commands) {
            fill_command(command, documents);
        }
    };
    match command {
        BashCommand::Simple(simple) => fill(&mut simple.redirects),
        BashCommand::Group(body, _, redirects) | BashCommand::For(_, _, body, redirects) => {
            fill_all(body);
            fill(redirects);
        }
        BashCommand::While(condition, body, redirects) => {
            fill_all(condition);
            fill_all(body);
            fill(redirects);
        }
        BashCommand::Branches(branches, _, redirects) => {
            for branch in branches {
                fill_all(&mut branch.condition);
                fill_all(&mut branch.body);
            }
            fill(redirects);
        }
        BashCommand::Function(_, body) => {
            if let Some(body) = Rc::get_mut(body) {
                fill_command(body, documents);
            }
        }
        BashCommand::Test(_, redirects) => fill(redirects),
    }
}

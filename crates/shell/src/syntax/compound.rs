//! The parser of loops, conditions and functions.

use std::rc::Rc;

use super::parser::{BashParser, ParseResult};
use super::{BashCommand, BashPipeline};

impl BashParser<'_> {
    pub(super) fn parse_body(&mut self, ends: &[&str]) -> ParseResult<Vec<BashPipeline>> {
        let mut body = Vec::new();
        self.parse_list(&mut body, ends)?;
        Ok(body)
    }

    pub(super) fn parse_do(&mut self) -> ParseResult<Vec<BashPipeline>> {
        self.expect_reserved("do")?;
        let body = self.parse_body(&["done"])?;
        self.expect_reserved("done")?;
        Ok(body)
    }

    pub(super) fn parse_if(&mut self) -> ParseResult<BashCommand> {
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
                return Ok(BashCommand::Branches(branches, self.parse_redirects()?));
            }
        }
    }

    pub(super) fn parse_for(&mut self) -> ParseResult<BashCommand> {
        self.skip_blanks();
        if self.take("((") {
            self.skip_arithmetic("))").ok_or("a loop is incomplete")?;
            self.skip_lines();
            self.take(";");
            let body = self.parse_do()?;
            return Ok(BashCommand::Branches(vec![body], self.parse_redirects()?));
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
        Ok(BashCommand::For(name, values, body, self.parse_redirects()?))
    }

    pub(super) fn parse_braces(&mut self) -> ParseResult<Vec<BashPipeline>> {
        self.take("{");
        let body = self.parse_body(&["}"])?;
        self.expect_reserved("}")?;
        Ok(body)
    }

    pub(super) fn parse_case(&mut self) -> ParseResult<BashCommand> {
        self.skip_blanks();
        let word = self.parse_word()?.ok_or("a `case` has no word")?;
        self.expect_reserved("in")?;
        let mut branches = vec![vec![BashPipeline { commands: vec![BashCommand::Test(vec![word])] }]];
        loop {
            self.skip_lines();
            if self.take_reserved("esac") {
                return Ok(BashCommand::Branches(branches, self.parse_redirects()?));
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

    pub(super) fn parse_test(&mut self) -> ParseResult<BashCommand> {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.take_reserved("]]") {
                let _redirects = self.parse_redirects()?;
                return Ok(BashCommand::Test(words));
            }
            match self.parse_word()? {
                Some(word) => words.push(word),
                // Operators, and the letters of regular expressions.
                None => drop(self.bump().ok_or("a `[[` is incomplete")?),
            }
        }
    }

    pub(super) fn parse_function(&mut self, name: String) -> ParseResult<BashCommand> {
        self.skip_lines();
        let body = self.nested(Self::parse_command)?;
        Ok(BashCommand::Function(name, Rc::new(body)))
    }
}

//! The parser of loops, conditions and functions.

use std::rc::Rc;

use super::parser::{BashParser, ParseResult};
use super::{BashBranch, BashCommand, BashPipeline, BashWord};

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
        let mut branches = Vec::new();
        let mut has_else = false;
        // Whether the branches are in braces, as zsh allows.
        let mut is_short = false;
        loop {
            let mut branch = BashBranch::default();
            if !has_else {
                branch.condition = self.parse_body(&["then"])?;
            }
            is_short = self.is_zsh() && if has_else { is_short } else { !self.is_reserved("then") };
            if is_short {
                branch.body = self.parse_short_body()?;
                branches.push(branch);
                if !has_else && self.take_branch("elif") {
                    continue;
                }
                if has_else || !self.take_branch("else") {
                    return Ok(BashCommand::Branches(branches, has_else, self.parse_redirects()?));
                }
                has_else = true;
                continue;
            }
            if !has_else {
                self.expect_reserved("then")?;
            }
            branch.body = self.parse_body(&["elif", "else", "fi"])?;
            branches.push(branch);
            self.skip_lines();
            if self.take_reserved("elif") {
                continue;
            }
            if has_else || !self.take_reserved("else") {
                self.expect_reserved("fi")?;
                return Ok(BashCommand::Branches(branches, has_else, self.parse_redirects()?));
            }
            has_else = true;
        }
    }

    pub(super) fn parse_for(&mut self) -> ParseResult<BashCommand> {
        self.skip_blanks();
        if self.take("((") {
            return self.parse_counting();
        }
        let name =
            self.parse_word()?.and_then(|word| word.as_literal().map(str::to_owned)).ok_or("a loop has no name")?;
        self.skip_lines();
        let values = if self.take_reserved("in") { Some(self.parse_words(Self::skip_blanks)?) } else { None };
        let body = self.parse_loop_body()?;
        Ok(BashCommand::For(name, values, body, self.parse_redirects()?))
    }

    /// The words that a loop goes through.
    pub(super) fn parse_words(&mut self, skip: fn(&mut Self)) -> ParseResult<Vec<BashWord>> {
        let mut words = Vec::new();
        loop {
            skip(self);
            let Some(word) = self.parse_word()? else { return Ok(words) };
            words.push(word);
        }
    }

    /// The body of a loop: `do … done`, `{ … }`, or in zsh a command.
    pub(super) fn parse_loop_body(&mut self) -> ParseResult<Vec<BashPipeline>> {
        self.skip_blanks();
        self.take(";");
        self.skip_lines();
        if self.is_reserved("{") || self.is_zsh() && !self.is_reserved("do") {
            return self.parse_short_body();
        }
        self.parse_do()
    }

    /// `for ((FIRST; CONDITION; NEXT))` behind its parentheses.
    fn parse_counting(&mut self) -> ParseResult<BashCommand> {
        let mut parts = Vec::new();
        loop {
            let (expression, end) = self.parse_expression(&[";", "))"])?;
            parts.push(BashPipeline::new(vec![expression.into_test(Vec::new())]));
            if end == "))" {
                break;
            }
        }
        let mut body = self.parse_loop_body()?;
        let redirects = self.parse_redirects()?;
        let mut parts = parts.into_iter();
        let first = parts.next();
        let condition = parts.next().into_iter().collect();
        body.extend(parts);
        let whole = BashPipeline::new(vec![BashCommand::While(condition, body, Vec::new())]);
        Ok(BashCommand::Group(first.into_iter().chain([whole]).collect(), false, redirects))
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
        self.skip_lines();
        let end = if self.is_zsh() && self.take_reserved("{") { "}" } else { "esac" };
        if end == "esac" {
            self.expect_reserved("in")?;
        }
        // The word, and the patterns of the next branch, are expanded before it is known whether its body runs.
        let mut tested = vec![word];
        let mut branches = Vec::new();
        // Whether the last pattern matches everything.
        let mut has_else = false;
        loop {
            self.skip_lines();
            if self.take_reserved(end) {
                if branches.is_empty() {
                    branches.push(BashBranch { condition: test_of(tested), ..BashBranch::default() });
                }
                return Ok(BashCommand::Branches(branches, has_else, self.parse_redirects()?));
            }
            self.take("(");
            let mut is_any = false;
            loop {
                self.skip_blanks();
                let pattern = self.parse_word()?.ok_or("a `case` is incomplete")?;
                is_any |= pattern.as_literal() == Some("*");
                if pattern.as_literal().is_none() {
                    tested.push(pattern);
                }
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            if !self.take(")") {
                return Err("a `case` is incomplete");
            }
            let body = self.parse_body(&[";;", end, ";&", ";|"])?;
            self.skip_lines();
            // Behind `;;&` and `;|`, the next branch may match as well.
            let falls_through = [";;&", ";|", ";&"].iter().any(|link| self.take(link));
            if !falls_through && !self.take(";;") && !self.is_reserved(end) {
                return Err("a `case` is incomplete");
            }
            has_else = is_any;
            branches.push(BashBranch { condition: test_of(std::mem::take(&mut tested)), body, falls_through });
        }
    }

    pub(super) fn parse_test(&mut self) -> ParseResult<BashCommand> {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.take_reserved("]]") {
                return Ok(BashCommand::Test(words, self.parse_redirects()?));
            }
            match self.parse_word()? {
                Some(word) => words.push(word),
                // Operators, and the letters of regular expressions.
                None => drop(self.bump().ok_or("a `[[` is incomplete")?),
            }
        }
    }

    pub(super) fn parse_function(&mut self, names: Vec<BashWord>) -> ParseResult<BashCommand> {
        self.skip_lines();
        let body = self.nested(Self::parse_command)?;
        // bash wants a compound command.
        self.is_other_in_zsh |= matches!(body, BashCommand::Simple(_));
        let texts = names.iter().map(|name| name.as_literal().unwrap_or_default().to_owned()).collect();
        let function = BashCommand::Function(texts, Rc::new(body));
        if names.iter().all(|name| name.as_literal().is_some()) {
            return Ok(function);
        }
        // zsh expands them.
        self.is_other_in_zsh = true;
        let mut list = test_of(names);
        list.push(BashPipeline::new(vec![function]));
        Ok(BashCommand::Group(list, false, Vec::new()))
    }
}

/// What expands words, if there are any.
fn test_of(words: Vec<BashWord>) -> Vec<BashPipeline> {
    if words.is_empty() { Vec::new() } else { vec![BashPipeline::new(vec![BashCommand::Test(words, Vec::new())])] }
}

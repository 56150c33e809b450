//! Members of values: methods, properties and items.

use super::cursor::PowerCursor;
use super::{quoted, simple, value_of, words_of};
use crate::syntax::ast::{BashCommand, BashWord, WordPiece};

impl PowerCursor<'_> {
    /// `.name`, `.name(…)`, `::name(…)` and `[…]`, one after another.
    pub(super) fn parse_members(&mut self, mut commands: Vec<BashCommand>) -> Vec<BashWord> {
        loop {
            let is_optional = self.rest().starts_with("?.") || self.rest().starts_with("?[");
            if is_optional {
                self.bump();
            }
            let starts_member = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '(' | '$' | '"' | '\'');
            if self.peek() == Some('.') && self.peek_second().is_some_and(starts_member)
                || self.rest().starts_with("::")
            {
                let name = if self.eat("::") { "&::" } else { "&." };
                if name == "&." {
                    self.bump();
                }
                let (mut member, args) = self.parse_member();
                if name == "&::" {
                    member.pieces.insert(0, WordPiece::Quoted(String::from("::")));
                }
                commands.push(simple(name, std::iter::once(member).chain(args)));
            } else if self.peek() == Some('[') {
                self.bump();
                self.skip_blank();
                let index = self.parse_expression();
                self.skip_blank();
                if !self.eat("]") {
                    self.fail("a bracket is not closed");
                }
                commands.push(simple("&#", index));
            } else {
                let _ = self.eat("++") || self.eat("--");
                break;
            }
        }
        vec![value_of(commands)]
    }

    /// The name of a member, with `(` if it is called, and its arguments.
    pub(super) fn parse_member(&mut self) -> (BashWord, Vec<BashWord>) {
        let mut member = match self.peek() {
            Some('"' | '\'') => BashWord { pieces: self.parse_quoted() },
            Some('$') => BashWord { pieces: self.parse_variable() },
            Some('(') => {
                self.bump();
                let pieces = words_of(self.parse_list(Some(')'))).into_iter().flat_map(|word| word.pieces).collect();
                BashWord { pieces }
            }
            _ => quoted(self.take_while(|letter| letter.is_alphanumeric() || letter == '_').to_ascii_lowercase()),
        };
        let mut args = Vec::new();
        if self.eat("(") {
            member.pieces.push(WordPiece::Quoted(String::from("(")));
            args = self.parse_call_arguments();
        } else if self.peek() == Some('{') && member_takes_block(&member) {
            member.pieces.push(WordPiece::Quoted(String::from("(")));
            args.push(self.parse_block_text());
        }
        (member, args)
    }

    fn parse_call_arguments(&mut self) -> Vec<BashWord> {
        let mut args = Vec::new();
        while let Some(letter) = self.next_inside(')') {
            let before = self.at;
            if letter == ',' {
                self.bump();
            } else {
                args.extend(self.parse_expression());
            }
            self.expect_progress(before);
        }
        args
    }
}

/// `.ForEach{ … }` and `.Where{ … }`.
fn member_takes_block(member: &BashWord) -> bool {
    matches!(member.pieces.as_slice(), [WordPiece::Quoted(name)] if matches!(name.as_str(), "foreach" | "where"))
}

//! Words into a tree.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::fault::Fault;
use super::lex::{Token, Word};
use super::pipeline::pipeline;
use super::tree::{Branch, Node};

/// How deep actions and parentheses may nest.
pub(super) const MOST_DEPTH: usize = 64;

/// Parses a whole template.
pub(super) fn nodes(tokens: Vec<Token<'_>>) -> Result<Vec<Node>, Fault> {
    let end = tokens.last().map_or(0, |token| token.at);
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        variables: vec![String::new()],
        depth: 0,
        loops: 0,
        at: 0,
        end,
    };
    let (nodes, stop) = parser.list()?;
    match stop {
        Stop::Input => Ok(nodes),
        Stop::Else => Err(Fault::new(parser.at, "`else` without `if`, `range` or `with`")),
        Stop::End => Err(Fault::new(parser.at, "`end` without `if`, `range` or `with`")),
    }
}

pub(super) struct Parser<'t> {
    pub(super) tokens: Peekable<IntoIter<Token<'t>>>,
    /// The variables that are known here; the first is the whole input.
    pub(super) variables: Vec<String>,
    pub(super) depth: usize,
    loops: usize,
    /// Where the action that is read begins.
    pub(super) at: usize,
    pub(super) end: usize,
}

/// What ended a list of nodes.
#[derive(PartialEq)]
enum Stop {
    Input,
    /// `{{ else`; what stands before `}}` is not read yet.
    Else,
    End,
}

/// The actions that hold others.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    If,
    With,
    Range,
}

impl<'t> Parser<'t> {
    /// Nodes up to the end of the input, an `else` or an `end`.
    fn list(&mut self) -> Result<(Vec<Node>, Stop), Fault> {
        let mut nodes = Vec::new();
        while let Some(Token { at, word, .. }) = self.tokens.next() {
            if let Word::Text(text) = word {
                nodes.push(Node::Text(text.to_owned()));
                continue;
            }
            self.at = at;
            let keyword = match self.tokens.peek().map(|token| &token.word) {
                Some(Word::Name(name)) => *name,
                _ => "",
            };
            let is_keyword = ["if", "with", "range", "else", "end", "break", "continue"].contains(&keyword);
            if is_keyword {
                self.tokens.next();
            }
            match keyword {
                "if" => nodes.push(self.branch(Kind::If)?),
                "with" => nodes.push(self.branch(Kind::With)?),
                "range" => nodes.push(self.branch(Kind::Range)?),
                "else" => return Ok((nodes, Stop::Else)),
                "end" => {
                    self.close()?;
                    return Ok((nodes, Stop::End));
                }
                "break" | "continue" if self.loops == 0 => {
                    return Err(Fault::new(at, format!("`{keyword}` outside of a `range`")));
                }
                "break" | "continue" => {
                    self.close()?;
                    nodes.push(if keyword == "break" { Node::Break } else { Node::Continue });
                }
                "define" | "template" | "block" => {
                    return Err(Fault::new(at, format!("`{keyword}` is not supported; write the text in place")));
                }
                _ => {
                    nodes.push(Node::Print(pipeline(self, false)?));
                    self.close()?;
                }
            }
        }
        Ok((nodes, Stop::Input))
    }

    fn branch(&mut self, kind: Kind) -> Result<Node, Fault> {
        let opened = self.at;
        self.deeper(opened)?;
        let scope = self.variables.len();
        let condition = pipeline(self, kind == Kind::Range)?;
        self.close()?;
        self.loops += usize::from(kind == Kind::Range);
        let (then, stop) = self.list()?;
        self.loops -= usize::from(kind == Kind::Range);
        self.variables.truncate(scope);
        let unclosed = || Fault::new(opened, "the action has no `{{ end }}`");
        let otherwise = match stop {
            Stop::End => Vec::new(),
            Stop::Input => return Err(unclosed()),
            Stop::Else => self.otherwise(kind, &unclosed)?,
        };
        self.variables.truncate(scope);
        self.depth -= 1;
        let branch = Branch { condition, then, otherwise };
        Ok(match kind {
            Kind::If => Node::If(branch),
            Kind::With => Node::With(branch),
            Kind::Range => Node::Range(branch),
        })
    }

    /// What follows `else`: its own nodes, or the same kind of action again, which shares the `end`.
    fn otherwise(&mut self, kind: Kind, unclosed: &dyn Fn() -> Fault) -> Result<Vec<Node>, Fault> {
        let again = match (kind, self.tokens.peek().map(|token| &token.word)) {
            (Kind::If, Some(Word::Name("if"))) | (Kind::With, Some(Word::Name("with"))) => true,
            (_, Some(Word::Close)) => false,
            _ => return Err(Fault::new(self.at, "unexpected word after `else`")),
        };
        self.tokens.next();
        if again {
            return Ok(vec![self.branch(kind)?]);
        }
        let (nodes, stop) = self.list()?;
        match stop {
            Stop::End => Ok(nodes),
            Stop::Else => Err(Fault::new(self.at, "a second `else`")),
            Stop::Input => Err(unclosed()),
        }
    }

    /// Counts one level of nesting.
    pub(super) fn deeper(&mut self, at: usize) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Fault::new(at, format!("nested deeper than {MOST_DEPTH} levels")));
        }
        Ok(())
    }

    /// Reads `}}`.
    fn close(&mut self) -> Result<(), Fault> {
        match self.tokens.next() {
            Some(Token { word: Word::Close, .. }) => Ok(()),
            Some(token) => Err(Fault::new(token.at, "unexpected word; close the action with `}}`")),
            None => Err(Fault::new(self.end, "the action is not closed; add `}}`")),
        }
    }
}

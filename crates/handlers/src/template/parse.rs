//! Parses tokens into a syntax tree.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::ast::{ConditionalNode, TemplateNode};
use super::error::TemplateErrorAt;
use super::lex::{TemplateToken, TokenKind};
use super::pipeline::parse_pipeline;

/// The deepest nesting of actions and parentheses.
pub(super) const MOST_DEPTH: usize = 64;

/// Parses a whole template.
pub(super) fn parse_nodes(tokens: Vec<TemplateToken<'_>>) -> Result<Vec<TemplateNode>, TemplateErrorAt> {
    let end = tokens.last().map_or(0, |token| token.offset);
    let mut parser = TemplateParser {
        tokens: tokens.into_iter().peekable(),
        variables: vec![String::new()],
        nesting_depth: 0,
        loop_depth: 0,
        action_offset: 0,
        end_offset: end,
    };
    let (nodes, stop) = parser.parse_list()?;
    match stop {
        BlockEnd::Input => Ok(nodes),
        BlockEnd::Else => Err(TemplateErrorAt::new(parser.action_offset, "`else` without `if`, `range` or `with`")),
        BlockEnd::End => Err(TemplateErrorAt::new(parser.action_offset, "`end` without `if`, `range` or `with`")),
    }
}

pub(super) struct TemplateParser<'t> {
    pub(super) tokens: Peekable<IntoIter<TemplateToken<'t>>>,
    /// The variables in scope; the first is the whole input.
    pub(super) variables: Vec<String>,
    pub(super) nesting_depth: usize,
    loop_depth: usize,
    /// The offset of the current action.
    pub(super) action_offset: usize,
    pub(super) end_offset: usize,
}

/// The end of a list of nodes.
#[derive(PartialEq)]
enum BlockEnd {
    Input,
    /// `{{ else`; the tokens up to `}}` are not read yet.
    Else,
    End,
}

/// The actions that contain other nodes.
#[derive(Clone, Copy, PartialEq)]
enum BlockKind {
    If,
    With,
    Range,
}

impl<'t> TemplateParser<'t> {
    /// Parses nodes up to the end of the input, an `else` or an `end`.
    fn parse_list(&mut self) -> Result<(Vec<TemplateNode>, BlockEnd), TemplateErrorAt> {
        let mut nodes = Vec::new();
        while let Some(TemplateToken { offset: index, kind: word, .. }) = self.tokens.next() {
            if let TokenKind::Text(text) = word {
                nodes.push(TemplateNode::Text(text.to_owned()));
                continue;
            }
            self.action_offset = index;
            let keyword = match self.tokens.peek().map(|token| &token.kind) {
                Some(TokenKind::Name(name)) => *name,
                _ => "",
            };
            let is_keyword = ["if", "with", "range", "else", "end", "break", "continue"].contains(&keyword);
            if is_keyword {
                self.tokens.next();
            }
            match keyword {
                "if" => nodes.push(self.parse_branch(BlockKind::If)?),
                "with" => nodes.push(self.parse_branch(BlockKind::With)?),
                "range" => nodes.push(self.parse_branch(BlockKind::Range)?),
                "else" => return Ok((nodes, BlockEnd::Else)),
                "end" => {
                    self.expect_close()?;
                    return Ok((nodes, BlockEnd::End));
                }
                "break" | "continue" if self.loop_depth == 0 => {
                    return Err(TemplateErrorAt::new(index, format!("`{keyword}` outside of a `range`")));
                }
                "break" | "continue" => {
                    self.expect_close()?;
                    nodes.push(if keyword == "break" { TemplateNode::Break } else { TemplateNode::Continue });
                }
                "define" | "template" | "block" => {
                    return Err(TemplateErrorAt::new(
                        index,
                        format!("`{keyword}` is not supported; write the text in place"),
                    ));
                }
                _ => {
                    nodes.push(TemplateNode::Print(parse_pipeline(self, false)?));
                    self.expect_close()?;
                }
            }
        }
        Ok((nodes, BlockEnd::Input))
    }

    fn parse_branch(&mut self, kind: BlockKind) -> Result<TemplateNode, TemplateErrorAt> {
        let opened = self.action_offset;
        self.enter_level(opened)?;
        let scope = self.variables.len();
        let condition = parse_pipeline(self, kind == BlockKind::Range)?;
        self.expect_close()?;
        self.loop_depth += usize::from(kind == BlockKind::Range);
        let (then, stop) = self.parse_list()?;
        self.loop_depth -= usize::from(kind == BlockKind::Range);
        self.variables.truncate(scope);
        let unclosed = || TemplateErrorAt::new(opened, "the action has no `{{ end }}`");
        let otherwise = match stop {
            BlockEnd::End => Vec::new(),
            BlockEnd::Input => return Err(unclosed()),
            BlockEnd::Else => self.parse_else(kind, &unclosed)?,
        };
        self.variables.truncate(scope);
        self.nesting_depth -= 1;
        let branch = ConditionalNode { condition, then_nodes: then, else_nodes: otherwise };
        Ok(match kind {
            BlockKind::If => TemplateNode::If(branch),
            BlockKind::With => TemplateNode::With(branch),
            BlockKind::Range => TemplateNode::Range(branch),
        })
    }

    /// Parses the part after `else`: its own nodes, or the same kind of action again, which shares the `end`.
    fn parse_else(
        &mut self,
        kind: BlockKind,
        unclosed: &dyn Fn() -> TemplateErrorAt,
    ) -> Result<Vec<TemplateNode>, TemplateErrorAt> {
        let again = match (kind, self.tokens.peek().map(|token| &token.kind)) {
            (BlockKind::If, Some(TokenKind::Name("if"))) | (BlockKind::With, Some(TokenKind::Name("with"))) => true,
            (_, Some(TokenKind::Close)) => false,
            _ => return Err(TemplateErrorAt::new(self.action_offset, "unexpected word after `else`")),
        };
        self.tokens.next();
        if again {
            return Ok(vec![self.parse_branch(kind)?]);
        }
        let (nodes, stop) = self.parse_list()?;
        match stop {
            BlockEnd::End => Ok(nodes),
            BlockEnd::Else => Err(TemplateErrorAt::new(self.action_offset, "a second `else`")),
            BlockEnd::Input => Err(unclosed()),
        }
    }

    /// Enters one level of nesting.
    pub(super) fn enter_level(&mut self, index: usize) -> Result<(), TemplateErrorAt> {
        self.nesting_depth += 1;
        if self.nesting_depth > MOST_DEPTH {
            return Err(TemplateErrorAt::new(index, format!("nested deeper than {MOST_DEPTH} levels")));
        }
        Ok(())
    }

    /// Reads `}}`.
    fn expect_close(&mut self) -> Result<(), TemplateErrorAt> {
        match self.tokens.next() {
            Some(TemplateToken { kind: TokenKind::Close, .. }) => Ok(()),
            Some(token) => Err(TemplateErrorAt::new(token.offset, "unexpected word; close the action with `}}`")),
            None => Err(TemplateErrorAt::new(self.end_offset, "the action is not closed; add `}}`")),
        }
    }
}

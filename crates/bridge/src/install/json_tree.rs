//! Edits the text of a JSON file without changing anything else.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseResult, parse_to_ast};
use pintle_host::dialects::document::SETTINGS_JSON;
use serde_json::Value;

/// A step from a container to one of its entries.
#[derive(Debug, Clone, Copy)]
pub(super) enum JsonPathStep<'a> {
    /// A field of an object.
    Key(&'a str),
    /// An element of a list.
    Index(usize),
}

/// A parsed file.
pub(super) struct JsonTree<'a> {
    text: &'a str,
    root: Option<Node<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> JsonTree<'a> {
    /// Reads JSON with comments and trailing commas, but no other extensions.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let ParseResult { value, tokens, .. } = parse_to_ast(text, &collect, &SETTINGS_JSON).map_err(|error| {
            let what = error.kind().to_string().to_lowercase();
            format!("line {} is not valid JSON: {what}; fix it first", error.line_display())
        })?;
        Ok(Self { text, root: value, tokens: tokens.unwrap_or_default() })
    }

    /// The node at a path.
    pub(super) fn node_at(&self, steps: &[JsonPathStep<'_>]) -> Option<&Node<'a>> {
        steps.iter().try_fold(self.root.as_ref()?, |node, step| match (step, node) {
            (JsonPathStep::Key(key), Node::Object(object)) => {
                object.properties.iter().find(|field| field.name.as_str() == *key).map(|field| &field.value)
            }
            (JsonPathStep::Index(index), Node::Array(array)) => array.elements.get(*index),
            _ => None,
        })
    }

    /// The fields of the object at a path; `None` if it is not an object.
    pub(super) fn fields_at(&self, steps: &[JsonPathStep<'_>]) -> Option<&[ObjectProp<'a>]> {
        self.node_at(steps)?.as_object().map(|object| object.properties.as_slice())
    }

    /// Whether the entry at a path contains comments.
    pub(super) fn has_comments_in(&self, steps: &[JsonPathStep<'_>]) -> bool {
        self.entry_range(steps).is_some_and(|place| self.comments().any(|comment| place.contains(&comment)))
    }

    /// The range of an entry, including the name of a field.
    fn entry_range(&self, steps: &[JsonPathStep<'_>]) -> Option<Range<usize>> {
        match steps.split_last() {
            Some((JsonPathStep::Key(key), above)) => {
                let field = self.fields_at(above)?.iter().find(|field| field.name.as_str() == *key)?;
                Some(field.range.start..field.range.end)
            }
            _ => self.node_at(steps).map(node_range),
        }
    }

    /// Whether there are comments before or after the root value.
    pub(super) fn has_comments_outside(&self) -> bool {
        let Some(place) = self.node_at(&[]).map(node_range) else { return self.comments().next().is_some() };
        self.comments().any(|comment| !place.contains(&comment))
    }

    fn comments(&self) -> impl Iterator<Item = usize> {
        self.tokens.iter().filter(|token| is_comment(&token.token)).map(|token| token.range.start)
    }

    /// The text with another value at a path.
    pub(super) fn replace(&self, steps: &[JsonPathStep<'_>], value: &Value) -> Option<String> {
        Some(self.replace_ranges(&[(node_range(self.node_at(steps)?), value.to_string())]))
    }

    /// The text with another entry at the end of a container: a field with this name, or an element of a list.
    pub(super) fn insert(&self, steps: &[JsonPathStep<'_>], name: Option<&str>, value: &Value) -> Option<String> {
        let container = self.node_at(steps)?;
        let (whole, children) = (node_range(container), entry_ranges(container));
        let label = name.map(|name| format!("{}: ", Value::from(name))).unwrap_or_default();
        let inside = self.text.get(whole.clone())?;
        if let (Some(last), false) = (children.last(), inside.contains('\n')) {
            // A container on one line stays on one line.
            return Some(self.replace_ranges(&[(last.end..last.end, format!(", {label}{value}"))]));
        }
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let (unit, outer) = (self.indent_unit(), self.line_indent(whole.start));
        let inner = format!("{outer}{unit}");
        let body = to_pretty_json(value, unit).replace('\n', &format!("{newline}{inner}"));
        let Some(last) = children.last() else {
            let anchor = self.end_of_comments(whole.start + 1, whole.end, /*same_line*/ false);
            let rest = self.text.get(anchor..whole.end)?;
            let close = if rest.contains('\n') { String::new() } else { format!("{newline}{outer}") };
            return Some(self.replace_ranges(&[(anchor..anchor, format!("{newline}{inner}{label}{body}{close}"))]));
        };
        let trailing = self.comma_after(last.end).map(|comma| comma.end);
        let anchor = self.end_of_comments(trailing.unwrap_or(last.end), whole.end, /*same_line*/ true);
        let rest = self.text.get(anchor..whole.end)?;
        let comma = if trailing.is_some() { "," } else { "" };
        let close = if rest.contains('\n') { String::new() } else { format!("{newline}{outer}") };
        let own = format!("{newline}{inner}{label}{body}{comma}{close}");
        Some(match trailing {
            Some(_) => self.replace_ranges(&[(anchor..anchor, own)]),
            None => self.replace_ranges(&[(last.end..last.end, String::from(",")), (anchor..anchor, own)]),
        })
    }

    /// The text without the entry at a path: the entry, its comma, and the whitespace before it.
    pub(super) fn remove(&self, container: &[JsonPathStep<'_>], index: usize) -> Option<String> {
        let entry = entry_ranges(self.node_at(container)?).get(index)?.clone();
        let start = self.blanks_start_before(&entry)?;
        if let Some(comma) = self.comma_after(entry.end) {
            let between = self.text.get(entry.end..comma.start)?.to_owned();
            return Some(self.replace_ranges(&[(start..comma.end, between)]));
        }
        let comma = self.comma_before(entry.start).map(|comma| (comma, String::new()));
        let cuts: Vec<(Range<usize>, String)> = comma.into_iter().chain([(start..entry.end, String::new())]).collect();
        // The comma may be the last token before the entry.
        match cuts.as_slice() {
            [(comma, _), (entry, _)] if comma.end > entry.start => {
                Some(self.replace_ranges(&[(comma.start..entry.end, String::new())]))
            }
            _ => Some(self.replace_ranges(&cuts)),
        }
    }

    /// The start of the whitespace before an entry. It stays if the next token would otherwise become part of a
    /// comment.
    fn blanks_start_before(&self, entry: &Range<usize>) -> Option<usize> {
        let previous = self.tokens.iter().rev().find(|token| token.range.end <= entry.start);
        let commented = previous.is_some_and(|token| matches!(token.token, Token::CommentLine(_)));
        Some(if commented { entry.start } else { self.text.get(..entry.start)?.trim_end().len() })
    }

    /// The text with ranges replaced, in order.
    fn replace_ranges(&self, pieces: &[(Range<usize>, String)]) -> String {
        let mut text = self.text.to_owned();
        for (range, piece) in pieces.iter().rev() {
            text.replace_range(range.clone(), piece);
        }
        text
    }

    /// The comma after a position, with only comments in between.
    fn comma_after(&self, position: usize) -> Option<Range<usize>> {
        let mut after = self.tokens.iter().filter(|token| token.range.start >= position);
        let next = after.find(|token| !is_comment(&token.token))?;
        (next.token == Token::Comma).then_some(next.range.start..next.range.end)
    }

    /// The comma before a position, with only comments in between.
    fn comma_before(&self, position: usize) -> Option<Range<usize>> {
        let mut before = self.tokens.iter().rev().filter(|token| token.range.end <= position);
        let next = before.find(|token| !is_comment(&token.token))?;
        (next.token == Token::Comma).then_some(next.range.start..next.range.end)
    }

    /// The end of the comments after a position: all of them, or those on the same line.
    fn end_of_comments(&self, position: usize, end: usize, same_line: bool) -> usize {
        let following = self.tokens.iter().filter(|token| token.range.start >= position && token.range.start < end);
        following.take_while(|token| is_comment(&token.token)).fold(position, |anchor, token| {
            let apart = self.text.get(anchor..token.range.end).is_some_and(|text| text.contains('\n'));
            if same_line && apart { anchor } else { token.range.end }
        })
    }

    /// The indentation of a line.
    fn line_indent(&self, position: usize) -> &'a str {
        let start = self.text.get(..position).and_then(|before| before.rfind('\n')).map_or(0, |index| index + 1);
        let line = self.text.get(start..).unwrap_or_default();
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..blanks).unwrap_or_default()
    }

    /// The indentation of one level, taken from the first indented line.
    fn indent_unit(&self) -> &'a str {
        let blanks = self.text.lines().find_map(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            (rest.len() < line.len() && !rest.is_empty()).then(|| line.get(..line.len() - rest.len()))
        });
        blanks.flatten().unwrap_or("  ")
    }
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn node_range(node: &Node<'_>) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}

/// The ranges of a container's entries.
fn entry_ranges(container: &Node<'_>) -> Vec<Range<usize>> {
    match container {
        Node::Object(object) => object.properties.iter().map(|field| field.range.start..field.range.end).collect(),
        Node::Array(array) => array.elements.iter().map(node_range).collect(),
        _ => Vec::new(),
    }
}

/// A value on several lines, each level indented by one unit.
fn to_pretty_json(value: &Value, unit: &str) -> String {
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    match serde::Serialize::serialize(value, &mut serializer) {
        Ok(()) => String::from_utf8(bytes).unwrap_or_else(|_| value.to_string()),
        Err(_) => value.to_string(),
    }
}

//! YAML text as a tree of [`Node`]s. The only use of the YAML parser.

use std::collections::HashMap;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, options};
use pintle_contract::ByteSpan;

use super::{Entry, Kind, Node, Report, Scalar, Style};

/// How deep values may nest.
const MAX_DEPTH: usize = 64;
/// How many values a document may have once its aliases are followed.
const MAX_NODES: usize = 100_000;

/// The report holds why the text could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// The key that puts the fields of another mapping into this one (YAML, merge key).
const MERGE: &str = "<<";

/// Reads a part of the report's file as one YAML document, a mapping.
///
/// `None` is an empty document. Duplicate keys and tags are reported and reading goes on; the first of two equal keys
/// stays. The fields that a merge key brings (`<<: *base`) are among the others; a key that is written out outranks them.
///
/// # Errors
/// When the text is no YAML, or no mapping, or too deep or too large; the report then says so.
pub fn parse(report: &Report, part: ByteSpan) -> Result<Option<Node>, Unreadable> {
    let root = Builder::new(report, part).document()?;
    match root {
        Some(node) if node.is_null() => Ok(None),
        Some(node) if !matches!(node.kind, Kind::Map(_)) => {
            let message = format!("the document must be a mapping of fields, not {}", node.describe());
            report.value_error("wrong_type", &message, node.span, Some(String::from("write `field: value` lines")));
            Err(Unreadable)
        }
        root => Ok(root),
    }
}

/// Reads as much of a part as it can, for somebody who wants to know what the document is and not what is wrong with it:
/// the whole document, or the keys of its outermost mapping up to the fault.
///
/// # Errors
/// When the text is no YAML, or too deep or too large, with the keys up to there.
pub fn outline(report: &Report, part: ByteSpan) -> Result<Option<Node>, Vec<String>> {
    let mut builder = Builder::new(report, part);
    builder.document().map_err(|Unreadable| builder.outermost)
}

struct Builder<'a> {
    report: &'a Report,
    /// Where the text starts in the file.
    base: usize,
    /// The line of the file at which the text starts.
    first_line: usize,
    /// Whether carriage returns stand alone: they end a line of YAML and none of a file.
    has_bare_returns: bool,
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    anchors: HashMap<usize, (Node, Extent)>,
    nodes: usize,
    /// The keys of the outermost mapping, as far as it was read.
    outermost: Vec<String>,
}

/// What a key and its value add to a mapping.
enum Field {
    /// The key itself.
    Own(Entry),
    /// The fields of another mapping.
    Merged(Vec<Entry>),
}

/// How large a value is.
#[derive(Debug, Clone, Copy)]
struct Extent {
    nodes: usize,
    height: usize,
}

type Step<'a> = (Event<'a>, granit_parser::Span);

impl<'a> Builder<'a> {
    fn new(report: &'a Report, part: ByteSpan) -> Self {
        let text = report.file().text.get(part.start..part.end).unwrap_or_default();
        let (first_line, _) = report.file().line_column(part.start);
        let mut limits: Options = options! { flow_nesting_limit: MAX_DEPTH, block_nesting_limit: MAX_DEPTH };
        limits.set_emit_comments(false);
        Self {
            report,
            base: part.start,
            first_line,
            has_bare_returns: has_bare_returns(text),
            parser: Parser::new_from_str_with_options(text, limits),
            anchors: HashMap::new(),
            nodes: 0,
            outermost: Vec::new(),
        }
    }

    fn document(&mut self) -> Result<Option<Node>, Unreadable> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(root),
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) if root.is_none() => {}
                Event::DocumentStart(..) => {
                    let message = "a second YAML document begins here";
                    self.report.value_error(
                        "yaml_syntax",
                        message,
                        self.span(&span),
                        Some(String::from("keep all fields in one")),
                    );
                    return Err(Unreadable);
                }
                event => root = Some(self.node((event, span), 1)?),
            }
        }
    }

    fn next(&mut self) -> Result<Step<'a>, Unreadable> {
        match self.parser.next_event() {
            Some(Ok(step)) => Ok(step),
            Some(Err(fault)) => Err(self.syntax(&fault)),
            None => Ok((Event::StreamEnd, granit_parser::Span::default())),
        }
    }

    fn syntax(&self, fault: &ScanError) -> Unreadable {
        let start = self.byte(fault.marker());
        let width = self.report.file().text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let help = advice(&fault.info(), self.report.file().text.as_str(), start);
        self.report.value_error(
            "yaml_syntax",
            &fault.info().replace('\n', " "),
            ByteSpan { start, end: start + width },
            help,
        );
        Unreadable
    }

    fn node(&mut self, (event, span): Step<'a>, depth: usize) -> Result<Node, Unreadable> {
        let place = self.span(&span);
        self.bound(Extent { nodes: 1, height: 1 }, depth, place)?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tagged_text = tag.as_ref().and_then(|tag| tag.core_suffix()) == Some("str");
                self.refuse_tag(tag.as_deref(), place);
                let scalar = self.scalar(text.into_owned(), style, tagged_text, &span);
                // The parser writes nothing as `~`.
                let scalar = if place.start == place.end && scalar.style == Style::Plain {
                    Scalar { text: String::new(), ..scalar }
                } else {
                    scalar
                };
                let trimmed = self.trim(place);
                Ok(self.keep(anchor, Node { span: trimmed, kind: Kind::Scalar(scalar) }))
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), place);
                let mut items = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::SequenceEnd, end) => break self.span(&end).end,
                        step => items.push(self.node(step, depth + 1)?),
                    }
                };
                let span = self.trim(ByteSpan { start: place.start, end });
                Ok(self.keep(anchor, Node { span, kind: Kind::List(items) }))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), place);
                let mut entries = Vec::new();
                let mut known = HashMap::new();
                let mut merged = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::MappingEnd, end) => break self.span(&end).end,
                        step => match self.entry(step, depth + 1, &mut known)? {
                            Some(Field::Own(entry)) => entries.push(entry),
                            Some(Field::Merged(more)) => merged.extend(more),
                            None => {}
                        },
                    }
                };
                for entry in merged {
                    if known.insert(entry.key.clone(), entry.key_span).is_none() {
                        entries.push(entry);
                    }
                }
                let span = self.trim(ByteSpan { start: place.start, end });
                Ok(self.keep(anchor, Node { span, kind: Kind::Map(entries) }))
            }
            Event::Alias(anchor) => {
                let Some((known, extent)) = self.anchors.get(&anchor).cloned() else {
                    self.report.value_error("yaml_syntax", "the alias refers to the value it stands in", place, None);
                    return Err(Unreadable);
                };
                self.bound(extent, depth, place)?;
                Ok(Node { span: place, ..known })
            }
            _ => {
                self.report.value_error("yaml_syntax", "a value is missing here", place, None);
                Err(Unreadable)
            }
        }
    }

    /// Reads a key and its value; `None` when the key cannot be used, which is reported.
    fn entry(
        &mut self,
        key: Step<'a>,
        depth: usize,
        known: &mut HashMap<String, ByteSpan>,
    ) -> Result<Option<Field>, Unreadable> {
        let key = self.node(key, depth)?;
        if let (2, Kind::Scalar(scalar)) = (depth, &key.kind) {
            self.outermost.push(scalar.text.clone());
        }
        let step = self.next()?;
        let value = self.node(step, depth)?;
        let Kind::Scalar(Scalar { text, style, .. }) = key.kind else {
            let message = format!("a key must be text, not {}", key.describe());
            self.report.value_error("wrong_type", &message, key.span, None);
            return Ok(None);
        };
        if text == MERGE && style == Style::Plain {
            return Ok(self.merged(value).map(Field::Merged));
        }
        if let Some(first) = known.get(&text) {
            let (line, _) = self.report.file().line_column(first.start);
            let message = format!("key `{text}` is already set at line {line}");
            self.report.value_error("duplicate_key", &message, key.span, Some(String::from("keep one of the two")));
            return Ok(None);
        }
        known.insert(text.clone(), key.span);
        Ok(Some(Field::Own(Entry { key: text, key_span: key.span, value })))
    }

    /// The fields of what stands behind a merge key: a mapping, or a list of some, of which the first outranks the later.
    fn merged(&self, value: Node) -> Option<Vec<Entry>> {
        let place = value.span;
        let whole = match value.kind {
            Kind::Map(entries) => Some(entries),
            Kind::List(items) => {
                let maps = items.into_iter().map(|item| match item.kind {
                    Kind::Map(entries) => Some(entries),
                    _ => None,
                });
                maps.collect::<Option<Vec<_>>>().map(|maps| maps.into_iter().flatten().collect())
            }
            Kind::Scalar(_) => None,
        };
        if whole.is_none() {
            let help = Some(String::from("write `<<: *NAME`, where `&NAME` stands before a mapping"));
            self.report.value_error("wrong_type", "`<<` takes a mapping, or a list of mappings", place, help);
        }
        whole
    }

    fn scalar(&self, text: String, style: ScalarStyle, tagged_text: bool, span: &granit_parser::Span) -> Scalar {
        let line = match self.has_bare_returns {
            true => self.report.file().line_column(self.byte(&span.start)).0,
            false => span.start.line() + self.first_line - 1,
        };
        let indent = span.start.col();
        match style {
            // A block's place begins at its first line that is not blank; blank ones before it are part of the text.
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let blank = text.bytes().take_while(|byte| *byte == b'\n').count();
                Scalar { first_line: line.saturating_sub(blank), indent, style: Style::Block, text }
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                Scalar { text, style: Style::Quoted, first_line: line, indent: indent + 1 }
            }
            ScalarStyle::Plain => {
                let style = if tagged_text { Style::Quoted } else { Style::Plain };
                Scalar { text, style, first_line: line, indent }
            }
        }
    }

    fn keep(&mut self, anchor: usize, node: Node) -> Node {
        if anchor != 0 {
            let extent = extent(&node);
            self.anchors.insert(anchor, (node.clone(), extent));
        }
        node
    }

    /// Counts values and depth, aliases followed, and stops at the limits.
    fn bound(&mut self, more: Extent, depth: usize, place: ByteSpan) -> Result<(), Unreadable> {
        self.nodes += more.nodes;
        if self.nodes > MAX_NODES {
            let message = format!("the document has more than {MAX_NODES} values");
            self.report.value_error("too_large", &message, place, Some(String::from("use fewer aliases")));
            return Err(Unreadable);
        }
        if depth + more.height > MAX_DEPTH + 1 {
            let message = format!("values are nested deeper than {MAX_DEPTH} levels");
            self.report.value_error("too_large", &message, place, Some(String::from("make it flatter")));
            return Err(Unreadable);
        }
        Ok(())
    }

    fn refuse_tag(&self, tag: Option<&granit_parser::Tag>, place: ByteSpan) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix().is_none()) {
            let message = format!("the tag `{}` has no meaning here", tag.original());
            self.report.value_error("yaml_syntax", &message, place, Some(String::from("remove the tag")));
        }
    }

    fn byte(&self, marker: &Marker) -> usize {
        self.base + marker.byte_offset().unwrap_or(0)
    }

    fn span(&self, span: &granit_parser::Span) -> ByteSpan {
        ByteSpan { start: self.byte(&span.start), end: self.byte(&span.end) }
    }

    /// The same place without line ends and blanks behind it.
    fn trim(&self, span: ByteSpan) -> ByteSpan {
        let text = self.report.file().text.get(span.start..span.end).unwrap_or_default();
        ByteSpan { start: span.start, end: span.start + text.trim_end().len() }
    }
}

fn has_bare_returns(text: &str) -> bool {
    text.bytes().zip(text.bytes().skip(1).chain([0])).any(|(byte, next)| byte == b'\r' && next != b'\n')
}

fn extent(node: &Node) -> Extent {
    let children: Vec<Extent> = match &node.kind {
        Kind::Scalar(_) => Vec::new(),
        Kind::List(items) => items.iter().map(extent).collect(),
        Kind::Map(entries) => entries.iter().map(|entry| extent(&entry.value)).collect(),
    };
    Extent {
        nodes: 1 + children.iter().map(|child| child.nodes + 1).sum::<usize>(),
        height: 1 + children.iter().map(|child| child.height).max().unwrap_or(0),
    }
}

/// What most often lies behind a syntax error.
fn advice(message: &str, text: &str, at: usize) -> Option<String> {
    let line_start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if message.contains("tab") || line.trim_start_matches(' ').starts_with('\t') {
        return Some(String::from("indent with spaces; YAML does not allow tabs"));
    }
    if message.contains("mapping values") {
        return Some(String::from("put a value that contains `: ` in quotes, or write it as a block with `|`"));
    }
    None
}

#[cfg(test)]
mod tests;

//! Parses YAML into a tree of [`DocNode`]s. The only use of the YAML parser.

use std::collections::HashMap;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, options};
use pintle_contract::ByteSpan;

use super::{DocNode, FileReport, MapEntry, NodeKind, ScalarNode, ScalarNotation};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 64;
/// The maximum number of values in a document with its aliases expanded.
const MAX_NODES: usize = 100_000;

/// The text cannot be parsed; the report says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YamlUnreadable;

/// The key that merges the fields of another mapping into this one.
const MERGE: &str = "<<";

/// Parses a part of the report's file as one YAML document, a mapping.
///
/// `None` is an empty document. Duplicate keys and tags are reported and parsing continues; of two equal keys the first
/// is kept. The fields of a merge key (`<<: *base`) are included; explicit keys take precedence over them.
///
/// # Errors
/// If the text is not YAML, not a mapping, too deep or too large; the report then says so.
pub fn parse(report: &FileReport, span: ByteSpan) -> Result<Option<DocNode>, YamlUnreadable> {
    let root = YamlTreeBuilder::new(report, span).parse_document()?;
    match root {
        Some(node) if node.is_null() => Ok(None),
        Some(node) if !matches!(node.kind, NodeKind::Map(_)) => {
            report.wrong_type("the document", "a mapping of fields", &node, "write lines such as `field: value`");
            Err(YamlUnreadable)
        }
        root => Ok(root),
    }
}

/// Parses the report's file as one YAML document, a list; an empty document is an empty list. Duplicate keys and the like
/// are as in [`parse`].
///
/// # Errors
/// If the text is not YAML, not a list, too deep or too large; the report then says so.
pub fn parse_list(report: &FileReport, span: ByteSpan) -> Result<Vec<DocNode>, YamlUnreadable> {
    match YamlTreeBuilder::new(report, span).parse_document()? {
        Some(DocNode { kind: NodeKind::List(items), .. }) => Ok(items),
        Some(node) if !node.is_null() => {
            report.wrong_type("the document", "a list", &node, "write each item after `- `");
            Err(YamlUnreadable)
        }
        _ => Ok(Vec::new()),
    }
}

/// Parses as much of a part as possible, to recognize the document rather than to report its errors: the whole
/// document, or the keys of its top-level mapping up to the error.
///
/// # Errors
/// If the text is not YAML, too deep or too large, with the keys up to there.
pub fn outline(report: &FileReport, span: ByteSpan) -> Result<Option<DocNode>, Vec<String>> {
    let mut builder = YamlTreeBuilder::new(report, span);
    builder.parse_document().map_err(|YamlUnreadable| builder.outermost)
}

struct YamlTreeBuilder<'a> {
    report: &'a FileReport,
    /// The offset in the file at which the text starts.
    base: usize,
    /// The line of the file at which the text starts.
    first_line: usize,
    /// Whether there are carriage returns without a line feed: they end a line in YAML but not in the file.
    has_bare_returns: bool,
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    anchors: HashMap<usize, (DocNode, NodeExtent)>,
    nodes: usize,
    /// The keys of the top-level mapping that were parsed so far.
    outermost: Vec<String>,
}

/// The items that one key and its value add to a mapping.
enum YamlMappingItem {
    Own(MapEntry),
    Merged(Vec<MapEntry>),
}

/// The depth and number of values in a node.
#[derive(Debug, Clone, Copy)]
struct NodeExtent {
    nodes: usize,
    height: usize,
}

type YamlStep<'a> = (Event<'a>, granit_parser::Span);

impl<'a> YamlTreeBuilder<'a> {
    fn new(report: &'a FileReport, span: ByteSpan) -> Self {
        let text = report.file().text.get(span.start..span.end).unwrap_or_default();
        let first_line = report.line(span.start);
        let mut limits: Options = options! { flow_nesting_limit: MAX_DEPTH, block_nesting_limit: MAX_DEPTH };
        limits.set_emit_comments(false);
        Self {
            report,
            base: span.start,
            first_line,
            has_bare_returns: has_bare_returns(text),
            parser: Parser::new_from_str_with_options(text, limits),
            anchors: HashMap::new(),
            nodes: 0,
            outermost: Vec::new(),
        }
    }

    fn parse_document(&mut self) -> Result<Option<DocNode>, YamlUnreadable> {
        let mut root = None;
        loop {
            let (event, span) = self.next_event()?;
            match event {
                Event::StreamEnd => return Ok(root),
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) if root.is_none() => {}
                Event::DocumentStart(..) => {
                    let message = "a second YAML document starts here";
                    self.report.value_error(
                        "yaml_syntax",
                        message,
                        self.to_span(&span),
                        "keep all fields in one document",
                    );
                    return Err(YamlUnreadable);
                }
                event => root = Some(self.parse_node((event, span), 1)?),
            }
        }
    }

    fn next_event(&mut self) -> Result<YamlStep<'a>, YamlUnreadable> {
        match self.parser.next_event() {
            Some(Ok(step)) => Ok(step),
            Some(Err(error)) => Err(self.report_syntax_error(&error)),
            None => Ok((Event::StreamEnd, granit_parser::Span::default())),
        }
    }

    fn report_syntax_error(&self, error: &ScanError) -> YamlUnreadable {
        let start = self.byte_offset(error.marker());
        let width = self.report.file().text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let help = help_for_syntax_error(&error.info(), self.report.file().text.as_str(), start);
        self.report.value_error(
            "yaml_syntax",
            error.info().replace('\n', " "),
            ByteSpan { start, end: start + width },
            help,
        );
        YamlUnreadable
    }

    fn parse_node(&mut self, (event, span): YamlStep<'a>, depth: usize) -> Result<DocNode, YamlUnreadable> {
        let place = self.to_span(&span);
        self.check_limits(NodeExtent { nodes: 1, height: 1 }, depth, place)?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tagged_text = tag.as_ref().and_then(|tag| tag.core_suffix()) == Some("str");
                self.refuse_tag(tag.as_deref(), place);
                let scalar = self.build_scalar(text.into_owned(), style, tagged_text, &span);
                // The parser represents an empty value as `~`.
                let scalar = if place.start == place.end && scalar.style == ScalarNotation::Plain {
                    ScalarNode { text: String::new(), ..scalar }
                } else {
                    scalar
                };
                let trimmed = self.trim_span(place);
                Ok(self.store_anchor(anchor, DocNode { span: trimmed, kind: NodeKind::Scalar(scalar) }))
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), place);
                let mut items = Vec::new();
                let end = loop {
                    match self.next_event()? {
                        (Event::SequenceEnd, end) => break self.to_span(&end).end,
                        step => items.push(self.parse_node(step, depth + 1)?),
                    }
                };
                let span = self.trim_span(ByteSpan { start: place.start, end });
                Ok(self.store_anchor(anchor, DocNode { span, kind: NodeKind::List(items) }))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), place);
                let mut entries = Vec::new();
                let mut known = HashMap::new();
                let mut merged = Vec::new();
                let end = loop {
                    match self.next_event()? {
                        (Event::MappingEnd, end) => break self.to_span(&end).end,
                        step => match self.parse_entry(step, depth + 1, &mut known)? {
                            Some(YamlMappingItem::Own(entry)) => entries.push(entry),
                            Some(YamlMappingItem::Merged(more)) => merged.extend(more),
                            None => {}
                        },
                    }
                };
                for entry in merged {
                    if known.insert(entry.key.clone(), entry.key_span).is_none() {
                        entries.push(entry);
                    }
                }
                let span = self.trim_span(ByteSpan { start: place.start, end });
                Ok(self.store_anchor(anchor, DocNode { span, kind: NodeKind::Map(entries) }))
            }
            Event::Alias(anchor) => {
                let Some((known, extent)) = self.anchors.get(&anchor).cloned() else {
                    self.report.value_error(
                        "yaml_syntax",
                        "the alias refers to the value that contains it",
                        place,
                        None,
                    );
                    return Err(YamlUnreadable);
                };
                self.check_limits(extent, depth, place)?;
                Ok(DocNode { span: place, ..known })
            }
            _ => {
                self.report.value_error("yaml_syntax", "a value is missing here", place, None);
                Err(YamlUnreadable)
            }
        }
    }

    /// Parses a key and its value; `None` if the key is invalid, which is reported.
    fn parse_entry(
        &mut self,
        key: YamlStep<'a>,
        depth: usize,
        known: &mut HashMap<String, ByteSpan>,
    ) -> Result<Option<YamlMappingItem>, YamlUnreadable> {
        let key = self.parse_node(key, depth)?;
        if let (2, NodeKind::Scalar(scalar)) = (depth, &key.kind) {
            self.outermost.push(scalar.text.clone());
        }
        let step = self.next_event()?;
        let value = self.parse_node(step, depth)?;
        let NodeKind::Scalar(ScalarNode { text, style, .. }) = key.kind else {
            self.report.wrong_type("a key", "text", &key, None);
            return Ok(None);
        };
        if text == MERGE && style == ScalarNotation::Plain {
            return Ok(self.merged_entries(value).map(YamlMappingItem::Merged));
        }
        if let Some(first) = known.get(&text) {
            let line = self.report.line(first.start);
            let message = format!("key `{text}` is already set at line {line}");
            self.report.value_error("duplicate_key", message, key.span, "keep one of the two");
            return Ok(None);
        }
        known.insert(text.clone(), key.span);
        Ok(Some(YamlMappingItem::Own(MapEntry { key: text, key_span: key.span, value })))
    }

    /// The fields of a merge key's value: a mapping, or a list of mappings, of which earlier ones take precedence.
    fn merged_entries(&self, value: DocNode) -> Option<Vec<MapEntry>> {
        let place = value.span;
        let whole = match value.kind {
            NodeKind::Map(entries) => Some(entries),
            NodeKind::List(items) => {
                let maps = items.into_iter().map(|item| match item.kind {
                    NodeKind::Map(entries) => Some(entries),
                    _ => None,
                });
                maps.collect::<Option<Vec<_>>>().map(|maps| maps.into_iter().flatten().collect())
            }
            NodeKind::Scalar(_) => None,
        };
        if whole.is_none() {
            let help = "write `<<: *NAME`, where `&NAME` anchors a mapping";
            self.report.value_error("wrong_type", "`<<` takes a mapping, or a list of mappings", place, help);
        }
        whole
    }

    fn build_scalar(
        &self,
        text: String,
        style: ScalarStyle,
        tagged_text: bool,
        span: &granit_parser::Span,
    ) -> ScalarNode {
        let line = match self.has_bare_returns {
            true => self.report.line(self.byte_offset(&span.start)),
            false => span.start.line() + self.first_line - 1,
        };
        let indent = span.start.col();
        match style {
            // A block's location starts at its first line that is not blank; blank lines before it are part of the
            // text.
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let blank = text.bytes().take_while(|byte| *byte == b'\n').count();
                ScalarNode { first_line: line.saturating_sub(blank), indent, style: ScalarNotation::Block, text }
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                ScalarNode { text, style: ScalarNotation::Quoted, first_line: line, indent: indent + 1 }
            }
            ScalarStyle::Plain => {
                let style = if tagged_text { ScalarNotation::Quoted } else { ScalarNotation::Plain };
                ScalarNode { text, style, first_line: line, indent }
            }
        }
    }

    fn store_anchor(&mut self, anchor: usize, node: DocNode) -> DocNode {
        if anchor != 0 {
            let extent = measure_extent(&node);
            self.anchors.insert(anchor, (node.clone(), extent));
        }
        node
    }

    /// Counts values and depth, with aliases expanded, and stops at the limits.
    fn check_limits(&mut self, more: NodeExtent, depth: usize, span: ByteSpan) -> Result<(), YamlUnreadable> {
        self.nodes += more.nodes;
        if self.nodes > MAX_NODES {
            let message = format!("the document has more than {MAX_NODES} values");
            self.report.value_error("too_large", message, span, "use fewer aliases");
            return Err(YamlUnreadable);
        }
        if depth + more.height > MAX_DEPTH + 1 {
            let message = format!("values are nested deeper than {MAX_DEPTH} levels");
            self.report.value_error("too_large", message, span, "flatten them");
            return Err(YamlUnreadable);
        }
        Ok(())
    }

    fn refuse_tag(&self, tag: Option<&granit_parser::Tag>, span: ByteSpan) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix().is_none()) {
            let message = format!("the tag `{}` is not supported", tag.original());
            self.report.value_error("yaml_syntax", message, span, "remove the tag");
        }
    }

    fn byte_offset(&self, marker: &Marker) -> usize {
        self.base + marker.byte_offset().unwrap_or(0)
    }

    fn to_span(&self, span: &granit_parser::Span) -> ByteSpan {
        ByteSpan { start: self.byte_offset(&span.start), end: self.byte_offset(&span.end) }
    }

    /// The same span without trailing line endings and spaces.
    fn trim_span(&self, span: ByteSpan) -> ByteSpan {
        let text = self.report.file().text.get(span.start..span.end).unwrap_or_default();
        ByteSpan { start: span.start, end: span.start + text.trim_end().len() }
    }
}

fn has_bare_returns(text: &str) -> bool {
    text.bytes().zip(text.bytes().skip(1).chain([0])).any(|(byte, next)| byte == b'\r' && next != b'\n')
}

fn measure_extent(node: &DocNode) -> NodeExtent {
    let children: Vec<NodeExtent> = match &node.kind {
        NodeKind::Scalar(_) => Vec::new(),
        NodeKind::List(items) => items.iter().map(measure_extent).collect(),
        NodeKind::Map(entries) => entries.iter().map(|entry| measure_extent(&entry.value)).collect(),
    };
    NodeExtent {
        nodes: 1 + children.iter().map(|child| child.nodes + 1).sum::<usize>(),
        height: 1 + children.iter().map(|child| child.height).max().unwrap_or(0),
    }
}

/// The most likely cause of a syntax error.
fn help_for_syntax_error(message: &str, text: &str, index: usize) -> Option<String> {
    let line_start = text.get(..index).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
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

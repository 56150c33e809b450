//! Reads JSON into the same tree as YAML: strict JSON, and also the comments and trailing commas that are common in
//! settings files.

use std::collections::HashMap;

use jsonc_parser::ast::{ObjectProp, Value as AstNode};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseStringErrorKind, parse_to_ast};
use pintle_contract::ByteSpan;

use super::{DocNode, FileReport, MapEntry, NodeKind, ScalarNode, ScalarNotation};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

const OPEN_STRING: &str = "the string has no closing quote on its line";

/// JSON with comments and trailing commas, and no other extension: what agents accept in their settings.
pub const SETTINGS_JSON: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses the whole file as one JSON value. `None` if it is invalid, which is reported, or empty.
///
/// Of two equal keys the first is kept and the second is reported.
#[must_use]
pub fn parse_json(report: &FileReport) -> Option<DocNode> {
    let start = super::skip_byte_order_mark(report);
    let text = report.file().text.get(start..).unwrap_or_default();
    let builder = TreeBuilder { text, start, report };
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let parsed = match find_foreign_space(text) {
        Some((start, letter)) => Err(builder.error_at(start, cannot_start_value(letter))),
        None => parse_to_ast(text, &collect, &SETTINGS_JSON).map_err(|error| builder.describe(&error)),
    };
    let built = parsed.and_then(|parsed| parsed.value.map(|root| builder.build(&root, 1)).transpose());
    built.unwrap_or_else(|JsoncError { message, span }| {
        report.value_error("json", message, span, None);
        None
    })
}

/// Builds the tree of a file from that of the parser.
struct TreeBuilder<'a> {
    text: &'a str,
    /// Where `text` starts in the file.
    start: usize,
    report: &'a FileReport,
}

struct JsoncError {
    message: String,
    span: ByteSpan,
}

impl<'a> TreeBuilder<'a> {
    fn span(&self, range: Range) -> ByteSpan {
        ByteSpan { start: self.start + range.start, end: self.start + range.end }
    }

    fn written(&self, range: Range) -> &'a str {
        self.text.get(range.start..range.end).unwrap_or_default()
    }

    fn build(&self, value: &AstNode<'_>, depth: usize) -> Result<DocNode, JsoncError> {
        let range = value.range();
        let span = self.span(range);
        if depth > MAX_DEPTH {
            return Err(self.error_at(range.start, nested_too_deep()));
        }
        let kind = match value {
            AstNode::Object(object) => NodeKind::Map(self.build_entries(&object.properties, depth)?),
            AstNode::Array(array) => {
                NodeKind::List(array.elements.iter().map(|item| self.build(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            AstNode::StringLit(_) => self.build_scalar(span, self.read_string(range)?, ScalarNotation::Quoted),
            AstNode::NumberLit(number) if serde_json::from_str::<serde_json::Number>(number.value).is_err() => {
                return Err(JsoncError { message: not_a_value(number.value), span });
            }
            AstNode::NumberLit(_) | AstNode::BooleanLit(_) | AstNode::NullKeyword(_) => {
                self.build_scalar(span, self.written(range).to_owned(), ScalarNotation::Plain)
            }
        };
        Ok(DocNode { span, kind })
    }

    fn build_scalar(&self, span: ByteSpan, text: String, style: ScalarNotation) -> NodeKind {
        NodeKind::Scalar(ScalarNode { text, style, first_line: self.report.line(span.start), indent: 0 })
    }

    fn build_entries(&self, properties: &[ObjectProp<'_>], depth: usize) -> Result<Vec<MapEntry>, JsoncError> {
        let mut entries: Vec<MapEntry> = Vec::new();
        let mut places: HashMap<String, ByteSpan> = HashMap::new();
        for property in properties {
            let name = property.name.range();
            let (key, key_span) = (self.read_string(name)?, self.span(name));
            let value = self.build(&property.value, depth + 1)?;
            let first = *places.entry(key.clone()).or_insert(key_span);
            if first == key_span {
                entries.push(MapEntry { key, key_span, value });
                continue;
            }
            let line = self.report.line(first.start);
            let message = format!("key `{key}` is already set at line {line}");
            self.report.value_error("duplicate_key", message, key_span, "keep one of the two");
        }
        Ok(entries)
    }

    /// Reads a string by the rules of JSON, which are stricter than those of the parser.
    fn read_string(&self, range: Range) -> Result<String, JsoncError> {
        let written = self.written(range);
        if written.contains('\n') {
            return Err(self.error_at(range.start, OPEN_STRING));
        }
        serde_json::from_str(written).map_err(|error| {
            // The message without its own location.
            let message = error.to_string();
            let message = format!("invalid string: {}", message.split(" at line ").next().unwrap_or_default());
            JsoncError { message, span: self.span(range) }
        })
    }

    /// An error at the first byte of what is wrong.
    fn error_at(&self, start: usize, message: impl Into<String>) -> JsoncError {
        JsoncError { message: message.into(), span: self.span(Range { start, end: start + 1 }) }
    }

    fn describe(&self, error: &ParseError) -> JsoncError {
        let range = error.range();
        let message = match error.kind() {
            ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
                return self.error_at(range.start, OPEN_STRING);
            }
            ParseErrorKind::NestingDepthExceeded => return self.error_at(range.start, nested_too_deep()),
            ParseErrorKind::UnterminatedArray => {
                return self.error_at(range.start, "the list is not closed; write `]`");
            }
            ParseErrorKind::UnterminatedObject => {
                return self.error_at(range.start, "the object is not closed; write `}`");
            }
            ParseErrorKind::UnterminatedCommentBlock => "the comment is not closed; write `*/`",
            ParseErrorKind::MultipleRootJsonValues => "unexpected text after the value; keep one object",
            ParseErrorKind::ExpectedStringObjectProperty | ParseErrorKind::UnexpectedTokenInObject => {
                "a key in double quotes is missing here"
            }
            ParseErrorKind::ExpectedColonAfterObjectKey => "`:` is missing here",
            ParseErrorKind::ExpectedComma => "`,` is missing here",
            ParseErrorKind::ExpectedObjectValue => "a value is missing here; the text ends too early",
            ParseErrorKind::String(kind) => &format!("invalid string: {}", kind.to_string().to_lowercase()),
            _ => match (self.word_at(range.start), self.written(range).chars().next()) {
                ("", Some(letter)) => &cannot_start_value(letter),
                (word, _) => &not_a_value(word),
            },
        };
        JsoncError { message: message.to_owned(), span: self.span(range) }
    }

    /// The word or number at a position of the text.
    fn word_at(&self, start: usize) -> &'a str {
        let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '+' | '.' | '_');
        let rest = self.text.get(start..).unwrap_or_default();
        rest.split(|letter| !part(letter)).next().unwrap_or_default()
    }
}

/// The first white space between values that JSON does not have. The parser takes it, and agents refuse the file.
fn find_foreign_space(text: &str) -> Option<(usize, char)> {
    let mut rest = text;
    while let Some(next) = rest.find(|letter: char| matches!(letter, '"' | '/') || is_foreign_space(letter)) {
        let found = rest.get(next..)?;
        let end = match found.as_bytes() {
            [b'"', ..] => find_closing_quote(found.get(1..)?)? + 2,
            [b'/', b'/', ..] => found.find('\n')?,
            [b'/', b'*', ..] => found.find("*/")? + 2,
            [b'/', ..] => 1,
            _ => return found.chars().next().map(|letter| (text.len() - found.len(), letter)),
        };
        rest = found.get(end..)?;
    }
    None
}

/// Where a string ends that has begun.
fn find_closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

fn is_foreign_space(letter: char) -> bool {
    letter.is_whitespace() && !matches!(letter, ' ' | '\t' | '\n' | '\r')
}

fn cannot_start_value(letter: char) -> String {
    format!("a value cannot start with `{}`", letter.escape_debug())
}

fn nested_too_deep() -> String {
    format!("values are nested deeper than {MAX_DEPTH} levels; flatten them")
}

fn not_a_value(word: &str) -> String {
    format!("`{word}` is not a JSON value; put text in double quotes")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pintle_contract::SourceFile;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::to_json;
    use super::*;

    fn read(text: &str) -> (Option<Value>, Vec<String>) {
        let file = Arc::new(SourceFile { path: PathBuf::from("a.json"), text: text.to_owned() });
        let report = FileReport::new(file, "").with_format("json");
        let node = parse_json(&report);
        let value = node.as_ref().map(|node| to_json(node).unwrap());
        (value, report.into_diagnostics().into_iter().map(|diagnostic| diagnostic.to_string()).collect())
    }

    #[test]
    fn json_is_read_with_comments_and_last_commas() {
        let text = "// why\n{\"a\": [1, -2.5, true, null,], /* x */ \"b\": {\"c\": \"\\u00e9\\\"\\n\"},}\n";
        let wanted = json!({"a": [1, -2.5, true, null], "b": {"c": "é\"\n"}});
        assert_eq!(read(text), (Some(wanted), Vec::new()));
        assert_eq!(read(" \n// nothing\n"), (None, Vec::new()));
        let marked = "a.json:1:1: warning: the file begins with a byte order mark";
        assert_eq!(read("\u{FEFF}[]"), (Some(json!([])), vec![marked.to_owned()]));
    }

    #[test]
    fn a_value_knows_its_line_in_a_large_file() {
        let text = format!("[{}]", "1,\n".repeat(300_000));
        let file = Arc::new(SourceFile { path: PathBuf::from("a.json"), text });
        let node = parse_json(&FileReport::new(file, "").with_format("json")).unwrap();
        let NodeKind::Scalar(last) = &node.items().unwrap().last().unwrap().kind else { panic!("not a scalar") };
        assert_eq!(last.first_line, 300_000);
    }

    #[test]
    fn a_fault_names_its_place_and_the_next_step() {
        for (text, wanted) in [
            ("{\"a\": yes}", "a.json:1:7: error: json: line 1: `yes` is not a JSON value; put text in double quotes"),
            ("{\"a\": 1\n\"b\": 2}", "a.json:1:8: error: json: line 1: `,` is missing here"),
            ("{a: 1}", "a.json:1:2: error: json: line 1: a key in double quotes is missing here"),
            ("[1, 2", "a.json:1:1: error: json: line 1: the list is not closed; write `]`"),
            ("{\"a\"", "a.json:1:5: error: json: line 1: `:` is missing here"),
            ("[\"a\nb\"]", "a.json:1:2: error: json: line 1: the string has no closing quote on its line"),
            ("{} {}", "a.json:1:4: error: json: line 1: unexpected text after the value; keep one object"),
            ("{\"a\": [1}", "a.json:1:9: error: json: line 1: a value cannot start with `}`"),
            ("[1.]", "a.json:1:2: error: json: line 1: `1.` is not a JSON value; put text in double quotes"),
            (
                "[\"\t\"]",
                "a.json:1:2: error: json: line 1: invalid string: control character (\\u0000-\\u001F) found while parsing a string",
            ),
            (
                "[\"\\ud800\"]",
                "a.json:1:3: error: json: line 1: invalid string: invalid unicode escape sequence. 'd800 (unpaired high surrogate)' is not a valid utf8 character",
            ),
            ("{\u{a0}\"a\": 1}", "a.json:1:2: error: json: line 1: a value cannot start with `\\u{a0}`"),
            ("[1,\u{c}2]", "a.json:1:4: error: json: line 1: a value cannot start with `\\u{c}`"),
            ("[\"\\\\\",\u{2028}2]", "a.json:1:7: error: json: line 1: a value cannot start with `\\u{2028}`"),
            ("/* x", "a.json:1:1: error: json: line 1: the comment is not closed; write `*/`"),
        ] {
            assert_eq!(read(text), (None, vec![wanted.to_owned()]), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let too_deep = "error: json: line 1: values are nested deeper than 64 levels; flatten them";
        assert_eq!(read(&deep), (None, vec![format!("a.json:1:513: {too_deep}")]));
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        assert_eq!(read(&deep), (None, vec![format!("a.json:1:65: {too_deep}")]));
        assert!(read(deep.get(1..129).unwrap()).0.is_some());
        let spaced = "// \u{a0}\n[\"\\\"\u{a0}\", /* \u{2028} */ 1]";
        assert_eq!(read(spaced), (Some(json!(["\"\u{a0}", 1])), vec![]));
        let (value, findings) = read("{\"a\": 1, \"a\": 2}");
        assert_eq!(value, Some(json!({"a": 1})));
        assert_eq!(findings, ["a.json:1:10: error: json: line 1: key `a` is already set at line 1"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_text_is_read_or_reported(text in "(\\PC|[\\[\\]{}:,\"/\\*\\\\ \n])*") {
            let (value, findings) = read(&text);
            let strict = serde_json::from_str::<Value>(&text).ok();
            prop_assert!(strict.is_none() || value == strict || !findings.is_empty(), "{text}");
        }
    }
}

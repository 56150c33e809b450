//! Parses JSON into the same tree as YAML: strict JSON, and also the comments and trailing commas that are common in
//! settings files.

use pintle_contract::ByteSpan;

use super::{DocNode, FileReport, MapEntry, NodeKind, ScalarNode, ScalarNotation};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

/// Parses the whole file as one JSON value. `None` if it is invalid, which is reported, or empty.
///
/// Of two equal keys the first is kept and the second is reported.
#[must_use]
pub fn parse_json(report: &FileReport) -> Option<DocNode> {
    let start = super::skip_byte_order_mark(report);
    let text = report.file().text.as_str();
    let mut reader = JsoncParser { text, offset: start, report };
    match reader.parse_document() {
        Ok(node) => node,
        Err(JsoncError { message, span }) => {
            report.value_error("json", &message, span, None);
            None
        }
    }
}

struct JsoncParser<'a> {
    text: &'a str,
    offset: usize,
    report: &'a FileReport,
}

struct JsoncError {
    message: String,
    span: ByteSpan,
}

impl<'a> JsoncParser<'a> {
    fn parse_document(&mut self) -> Result<Option<DocNode>, JsoncError> {
        self.skip_blanks()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let node = self.parse_value(1)?;
        self.skip_blanks()?;
        match self.peek() {
            None => Ok(Some(node)),
            Some(_) => Err(self.error_here("unexpected text after the value; keep one object")),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.offset..)?.chars().next()
    }

    fn next_char(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.offset += letter.len_utf8();
        Some(letter)
    }

    fn consume(&mut self, word: &str) -> bool {
        let found = self.text.get(self.offset..).is_some_and(|rest| rest.starts_with(word));
        if found {
            self.offset += word.len();
        }
        found
    }

    /// An error at the next character.
    fn error_here(&self, message: impl Into<String>) -> JsoncError {
        let width = self.peek().map_or(0, char::len_utf8);
        JsoncError { message: message.into(), span: ByteSpan { start: self.offset, end: self.offset + width } }
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), JsoncError> {
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            self.offset += blank;
            if self.consume("//") {
                let rest = self.text.get(self.offset..).unwrap_or_default();
                self.offset += rest.find('\n').unwrap_or(rest.len());
            } else if self.text.get(self.offset..).is_some_and(|rest| rest.starts_with("/*")) {
                let rest = self.text.get(self.offset..).unwrap_or_default();
                let Some(end) = rest.find("*/") else {
                    return Err(self.error_here("the comment is not closed; write `*/`"));
                };
                self.offset += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn parse_value(&mut self, depth: usize) -> Result<DocNode, JsoncError> {
        if depth > MAX_DEPTH {
            return Err(self.error_here(format!("values are nested deeper than {MAX_DEPTH} levels; flatten them")));
        }
        let start = self.offset;
        let kind = match self.peek() {
            Some('{') => self.parse_object(depth)?,
            Some('[') => self.parse_list(depth)?,
            Some('"') => {
                let text = self.parse_string()?;
                self.build_scalar(start, text, ScalarNotation::Quoted)
            }
            Some(letter) if letter == '-' || letter.is_ascii_alphanumeric() => self.parse_word(start)?,
            Some(letter) => {
                return Err(self.error_here(format!("a value cannot start with `{}`", letter.escape_debug())));
            }
            None => return Err(self.error_here("a value is missing here; the text ends too early")),
        };
        Ok(DocNode { span: ByteSpan { start, end: self.offset }, kind })
    }

    fn build_scalar(&self, start: usize, text: String, style: ScalarNotation) -> NodeKind {
        let (first_line, _) = self.report.file().line_column(start);
        NodeKind::Scalar(ScalarNode { text, style, first_line, indent: 0 })
    }

    /// Parses a number or a literal.
    fn parse_word(&mut self, start: usize) -> Result<NodeKind, JsoncError> {
        let rest = self.text.get(start..).unwrap_or_default();
        let part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '+' | '.');
        let word = rest.split(|letter| !part(letter)).next().unwrap_or_default();
        if !matches!(word, "true" | "false" | "null") && serde_json::from_str::<serde_json::Number>(word).is_err() {
            let span = ByteSpan { start, end: start + word.len() };
            return Err(JsoncError {
                message: format!("`{word}` is not a JSON value; put text in double quotes"),
                span,
            });
        }
        self.offset += word.len();
        Ok(self.build_scalar(start, word.to_owned(), ScalarNotation::Plain))
    }

    fn parse_list(&mut self, depth: usize) -> Result<NodeKind, JsoncError> {
        self.next_char();
        let mut items = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.consume("]") {
                return Ok(NodeKind::List(items));
            }
            items.push(self.parse_value(depth + 1)?);
            self.skip_blanks()?;
            if !self.consume(",") && self.peek() != Some(']') {
                return Err(self.error_here("`,` or `]` is missing here"));
            }
        }
    }

    fn parse_object(&mut self, depth: usize) -> Result<NodeKind, JsoncError> {
        self.next_char();
        let mut entries: Vec<MapEntry> = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.consume("}") {
                return Ok(NodeKind::Map(entries));
            }
            let start = self.offset;
            if self.peek() != Some('"') {
                return Err(self.error_here("a key in double quotes is missing here"));
            }
            let key = self.parse_string()?;
            let key_span = ByteSpan { start, end: self.offset };
            self.skip_blanks()?;
            if !self.consume(":") {
                return Err(self.error_here("`:` is missing here"));
            }
            self.skip_blanks()?;
            let value = self.parse_value(depth + 1)?;
            match entries.iter().find(|entry| entry.key == key) {
                None => entries.push(MapEntry { key, key_span, value }),
                Some(first) => {
                    let (line, _) = self.report.file().line_column(first.key_span.start);
                    let message = format!("key `{key}` is already set at line {line}");
                    let help = Some(String::from("keep one of the two"));
                    self.report.value_error("duplicate_key", &message, key_span, help);
                }
            }
            self.skip_blanks()?;
            if !self.consume(",") && self.peek() != Some('}') {
                return Err(self.error_here("`,` or `}` is missing here"));
            }
        }
    }

    fn parse_string(&mut self) -> Result<String, JsoncError> {
        let start = self.offset;
        self.next_char();
        loop {
            match self.next_char() {
                Some('"') => break,
                Some('\\') => drop(self.next_char()),
                Some('\n') | None => {
                    let span = ByteSpan { start, end: start + 1 };
                    return Err(JsoncError {
                        message: String::from("the string has no closing quote on its line"),
                        span,
                    });
                }
                Some(_) => {}
            }
        }
        let span = ByteSpan { start, end: self.offset };
        let written = self.text.get(start..self.offset).unwrap_or_default();
        serde_json::from_str(written)
            .map_err(|error| JsoncError { message: format!("invalid string: {}", error_text(&error)), span })
    }
}

/// The message of an error, without its own location.
fn error_text(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
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
    fn a_fault_names_its_place_and_the_next_step() {
        for (text, wanted) in [
            ("{\"a\": yes}", "a.json:1:7: error: json: line 1: `yes` is not a JSON value; put text in double quotes"),
            ("{\"a\": 1\n\"b\": 2}", "a.json:2:1: error: json: line 2: `,` or `}` is missing here"),
            ("{a: 1}", "a.json:1:2: error: json: line 1: a key in double quotes is missing here"),
            ("[1, 2", "a.json:1:6: error: json: line 1: `,` or `]` is missing here"),
            ("{\"a\"", "a.json:1:5: error: json: line 1: `:` is missing here"),
            ("[\"a\nb\"]", "a.json:1:2: error: json: line 1: the string has no closing quote on its line"),
            ("{} {}", "a.json:1:4: error: json: line 1: unexpected text after the value; keep one object"),
            ("/* x", "a.json:1:1: error: json: line 1: the comment is not closed; write `*/`"),
        ] {
            assert_eq!(read(text), (None, vec![wanted.to_owned()]), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&deep).0.is_none());
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

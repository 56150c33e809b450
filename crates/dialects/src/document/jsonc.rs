//! JSON text into the same tree as YAML: strict JSON, and what people put into settings files besides, which are comments
//! and a comma after the last item.

use pintle_contract::ByteSpan;

use super::{Entry, Kind, Node, Report, Scalar, Style};

/// How deep values may nest.
const MAX_DEPTH: usize = 64;

/// Reads the whole file as one JSON value. `None` when it cannot be read, which is in the report, or when there is nothing
/// in it.
///
/// Of two equal keys the first stays, and the second is reported.
#[must_use]
pub fn parse_json(report: &Report) -> Option<Node> {
    let start = super::after_byte_order_mark(report);
    let text = report.file().text.as_str();
    let mut reader = Reader { text, at: start, report };
    match reader.document() {
        Ok(node) => node,
        Err(Fault { message, span }) => {
            report.value_error("json", &message, span, None);
            None
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    report: &'a Report,
}

struct Fault {
    message: String,
    span: ByteSpan,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Option<Node>, Fault> {
        self.blanks()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let node = self.value(1)?;
        self.blanks()?;
        match self.peek() {
            None => Ok(Some(node)),
            Some(_) => Err(self.fault("something stands behind the value; keep one object")),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn eats(&mut self, word: &str) -> bool {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        if found {
            self.at += word.len();
        }
        found
    }

    /// A fault at the next letter.
    fn fault(&self, message: impl Into<String>) -> Fault {
        let width = self.peek().map_or(0, char::len_utf8);
        Fault { message: message.into(), span: ByteSpan { start: self.at, end: self.at + width } }
    }

    /// Passes over white space and comments.
    fn blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            self.at += blank;
            if self.eats("//") {
                let rest = self.text.get(self.at..).unwrap_or_default();
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if self.text.get(self.at..).is_some_and(|rest| rest.starts_with("/*")) {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let Some(end) = rest.find("*/") else { return Err(self.fault("the comment has no end; write `*/`")) };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault(format!("values are nested deeper than {MAX_DEPTH} levels; make it flatter")));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some('{') => self.object(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => {
                let text = self.string()?;
                self.scalar(start, text, Style::Quoted)
            }
            Some(letter) if letter == '-' || letter.is_ascii_alphanumeric() => self.word(start)?,
            Some(letter) => return Err(self.fault(format!("a value cannot begin with `{}`", letter.escape_debug()))),
            None => return Err(self.fault("a value is missing here; the text ends too early")),
        };
        Ok(Node { span: ByteSpan { start, end: self.at }, kind })
    }

    fn scalar(&self, start: usize, text: String, style: Style) -> Kind {
        let (first_line, _) = self.report.file().line_column(start);
        Kind::Scalar(Scalar { text, style, first_line, indent: 0 })
    }

    /// A number or one of the three words.
    fn word(&mut self, start: usize) -> Result<Kind, Fault> {
        let rest = self.text.get(start..).unwrap_or_default();
        let part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '+' | '.');
        let word = rest.split(|letter| !part(letter)).next().unwrap_or_default();
        if !matches!(word, "true" | "false" | "null") && serde_json::from_str::<serde_json::Number>(word).is_err() {
            let span = ByteSpan { start, end: start + word.len() };
            return Err(Fault { message: format!("`{word}` is no value; put text in double quotes"), span });
        }
        self.at += word.len();
        Ok(self.scalar(start, word.to_owned(), Style::Plain))
    }

    fn list(&mut self, depth: usize) -> Result<Kind, Fault> {
        self.take();
        let mut items = Vec::new();
        loop {
            self.blanks()?;
            if self.eats("]") {
                return Ok(Kind::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.blanks()?;
            if !self.eats(",") && self.peek() != Some(']') {
                return Err(self.fault("`,` or `]` is missing here"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Fault> {
        self.take();
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            self.blanks()?;
            if self.eats("}") {
                return Ok(Kind::Map(entries));
            }
            let start = self.at;
            if self.peek() != Some('"') {
                return Err(self.fault("a key in double quotes is missing here"));
            }
            let key = self.string()?;
            let key_span = ByteSpan { start, end: self.at };
            self.blanks()?;
            if !self.eats(":") {
                return Err(self.fault("`:` is missing here"));
            }
            self.blanks()?;
            let value = self.value(depth + 1)?;
            match entries.iter().find(|entry| entry.key == key) {
                None => entries.push(Entry { key, key_span, value }),
                Some(first) => {
                    let (line, _) = self.report.file().line_column(first.key_span.start);
                    let message = format!("key `{key}` is already set at line {line}");
                    let help = Some(String::from("keep one of the two"));
                    self.report.value_error("duplicate_key", &message, key_span, help);
                }
            }
            self.blanks()?;
            if !self.eats(",") && self.peek() != Some('}') {
                return Err(self.fault("`,` or `}` is missing here"));
            }
        }
    }

    /// A string, from quote to quote.
    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.take();
        loop {
            match self.take() {
                Some('"') => break,
                Some('\\') => drop(self.take()),
                Some('\n') | None => {
                    let span = ByteSpan { start, end: start + 1 };
                    return Err(Fault { message: String::from("the string has no closing quote on its line"), span });
                }
                Some(_) => {}
            }
        }
        let span = ByteSpan { start, end: self.at };
        let written = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(written)
            .map_err(|fault| Fault { message: format!("the string cannot be read: {}", plain(&fault)), span })
    }
}

/// The words of a fault, without a place of its own.
fn plain(fault: &serde_json::Error) -> String {
    fault.to_string().split(" at line ").next().unwrap_or_default().to_owned()
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
        let report = Report::new(file, "").of_format("json");
        let node = parse_json(&report);
        let value = node.as_ref().map(|node| to_json(node).unwrap());
        (value, report.into_findings().into_iter().map(|finding| finding.to_string()).collect())
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
            ("{\"a\": yes}", "a.json:1:7: error: json: line 1: `yes` is no value; put text in double quotes"),
            ("{\"a\": 1\n\"b\": 2}", "a.json:2:1: error: json: line 2: `,` or `}` is missing here"),
            ("{a: 1}", "a.json:1:2: error: json: line 1: a key in double quotes is missing here"),
            ("[1, 2", "a.json:1:6: error: json: line 1: `,` or `]` is missing here"),
            ("{\"a\"", "a.json:1:5: error: json: line 1: `:` is missing here"),
            ("[\"a\nb\"]", "a.json:1:2: error: json: line 1: the string has no closing quote on its line"),
            ("{} {}", "a.json:1:4: error: json: line 1: something stands behind the value; keep one object"),
            ("/* x", "a.json:1:1: error: json: line 1: the comment has no end; write `*/`"),
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

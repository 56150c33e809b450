//! TOML text into the same tree as YAML.

use std::ops::Range;

use pintle_contract::ByteSpan;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Entry, Kind, Node, Report, Scalar, Style};

/// Reads the whole file as TOML. Every fault is in the report; what could be read is given all the same.
#[must_use]
pub fn parse_toml(report: &Report) -> Node {
    let file = report.file();
    let start = super::after_byte_order_mark(report);
    let text = file.text.get(start..).unwrap_or_default();
    let reader = Reader { start, report };
    let (table, faults) = DeTable::parse_recoverable(text);
    let mut told = Vec::new();
    for fault in faults {
        let span = reader.visible(fault.span().unwrap_or_default());
        // What else is said of one line follows from its first fault.
        let (line, _) = file.line_column(span.start);
        if told.contains(&line) {
            continue;
        }
        told.push(line);
        let message = fault.message().lines().collect::<Vec<_>>().join(" ");
        report.value_error("toml", &message, span, None);
    }
    let whole = ByteSpan { start, end: file.text.len() };
    reader.table(table.get_ref(), whole)
}

struct Reader<'a> {
    start: usize,
    report: &'a Report,
}

impl Reader<'_> {
    fn place(&self, range: Range<usize>) -> ByteSpan {
        ByteSpan { start: self.start + range.start, end: self.start + range.end }
    }

    /// The place of a fault, with something to underline: what is missing is shown at the character before it.
    fn visible(&self, range: Range<usize>) -> ByteSpan {
        let ByteSpan { start, end } = self.place(range);
        let before = self.report.file().text.get(..start).and_then(|text| text.chars().next_back());
        match before {
            Some(letter) if start == end => ByteSpan { start: start - letter.len_utf8(), end },
            _ => ByteSpan { start, end },
        }
    }

    fn table(&self, table: &DeTable<'_>, span: ByteSpan) -> Node {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                key_span: self.place(key.span()),
                value: self.node(value),
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        Node { span, kind: Kind::Map(entries) }
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let span = self.place(value.span());
        let (text, style) = match value.get_ref() {
            DeValue::Table(table) => return self.table(table, span),
            DeValue::Array(items) => {
                return Node { span, kind: Kind::List(items.iter().map(|item| self.node(item)).collect()) };
            }
            DeValue::String(text) => (text.to_string(), Style::Quoted),
            // A number that does not fit stays as it is written, and is a float to whoever asks.
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(value) => (value.to_string(), Style::Plain),
                Err(_) => (number.to_string(), Style::Plain),
            },
            DeValue::Float(number) => (float(number.as_str()), Style::Plain),
            DeValue::Boolean(value) => (value.to_string(), Style::Plain),
            DeValue::Datetime(time) => (time.to_string(), Style::Quoted),
        };
        let (first_line, _) = self.report.file().line_column(span.start);
        Node { span, kind: Kind::Scalar(Scalar { text, style, first_line, indent: 0 }) }
    }
}

/// The float as YAML spells it.
fn float(text: &str) -> String {
    match text {
        "inf" | "+inf" => String::from(".inf"),
        "-inf" => String::from("-.inf"),
        "nan" | "+nan" | "-nan" => String::from(".nan"),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pintle_contract::SourceFile;

    use super::super::{Fields, to_json};
    use super::*;

    fn report(text: &str) -> Report {
        let file = Arc::new(SourceFile { path: PathBuf::from("a.toml"), text: text.to_owned() });
        Report::new(file, "").of_format("toml")
    }

    #[test]
    fn values_keep_their_order_their_types_and_their_places() {
        let text = "z = 1\na = \"x\" # why\n[t]\nb = [true, 2.5, 0x10]\n[[l]]\nc = 'no'\n[[l]]\nc = 1979-05-27\n";
        let report = report(text);
        let node = parse_toml(&report);
        let wanted = serde_json::json!({
            "z": 1, "a": "x", "t": {"b": [true, 2.5, 16]}, "l": [{"c": "no"}, {"c": "1979-05-27"}],
        });
        assert_eq!(to_json(&node).unwrap().to_string(), wanted.to_string());
        let ByteSpan { start, end } = node.get("a").unwrap().span;
        assert_eq!(&text[start..end], "\"x\"");
        let mut fields = Fields::new(&report, "the file", Some(&node), node.span);
        assert_eq!(fields.text("a").as_deref(), Some("x"));
        assert_eq!(fields.integer::<u32>("z", 0..=9), Some(1));
        assert!(report.into_findings().is_empty());
    }

    #[test]
    fn every_fault_has_a_place_and_the_rest_is_read() {
        let report = report("a = \nb = 2\nc = = 3\n");
        let node = parse_toml(&report);
        assert!(node.get("b").is_some());
        let findings = report.into_findings();
        let mut lines: Vec<usize> = findings.iter().map(|finding| finding.location.line_column().unwrap().0).collect();
        lines.sort_unstable();
        assert_eq!(lines, [1, 3], "{findings:?}");
        assert!(findings.iter().any(|finding| finding.message.starts_with("toml: line 1: ")), "{findings:?}");
    }
}

//! Parses TOML into the same tree as YAML.

use std::ops::Range;

use pintle_contract::ByteSpan;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{DocNode, FileReport, MapEntry, NodeKind, ScalarNode, ScalarNotation};

/// Parses the whole file as TOML. Every error is reported; valid parts are returned.
#[must_use]
pub fn parse_toml(report: &FileReport) -> DocNode {
    let file = report.file();
    let start = super::skip_byte_order_mark(report);
    let text = file.text.get(start..).unwrap_or_default();
    let reader = TomlConverter { start, report };
    let (table, faults) = DeTable::parse_recoverable(text);
    let mut told = Vec::new();
    for error in faults {
        let span = reader.visible_span(error.span().unwrap_or_default());
        // Further errors on one line follow from the first.
        let line = report.line(span.start);
        if told.contains(&line) {
            continue;
        }
        told.push(line);
        report.value_error("toml", error.message().lines().collect::<Vec<_>>().join(" "), span, None);
    }
    let whole = ByteSpan { start, end: file.text.len() };
    reader.convert_table(table.get_ref(), whole)
}

struct TomlConverter<'a> {
    start: usize,
    report: &'a FileReport,
}

impl TomlConverter<'_> {
    fn to_span(&self, range: Range<usize>) -> ByteSpan {
        ByteSpan { start: self.start + range.start, end: self.start + range.end }
    }

    /// The location of an error, with something to underline: missing text is shown at the character before it.
    fn visible_span(&self, range: Range<usize>) -> ByteSpan {
        let ByteSpan { start, end } = self.to_span(range);
        let before = self.report.file().text.get(..start).and_then(|text| text.chars().next_back());
        match before {
            Some(letter) if start == end => ByteSpan { start: start - letter.len_utf8(), end },
            _ => ByteSpan { start, end },
        }
    }

    fn convert_table(&self, table: &DeTable<'_>, span: ByteSpan) -> DocNode {
        let mut entries: Vec<MapEntry> = table
            .iter()
            .map(|(key, value)| MapEntry {
                key: key.get_ref().to_string(),
                key_span: self.to_span(key.span()),
                value: self.convert_node(value),
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        DocNode { span, kind: NodeKind::Map(entries) }
    }

    fn convert_node(&self, value: &Spanned<DeValue<'_>>) -> DocNode {
        let span = self.to_span(value.span());
        let (text, style) = match value.get_ref() {
            DeValue::Table(table) => return self.convert_table(table, span),
            DeValue::Array(items) => {
                return DocNode {
                    span,
                    kind: NodeKind::List(items.iter().map(|item| self.convert_node(item)).collect()),
                };
            }
            DeValue::String(text) => (text.to_string(), ScalarNotation::Quoted),
            // An integer that is too large keeps its text and is read as a float.
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(value) => (value.to_string(), ScalarNotation::Plain),
                Err(_) => (number.to_string(), ScalarNotation::Plain),
            },
            DeValue::Float(number) => (float_text(number.as_str()), ScalarNotation::Plain),
            DeValue::Boolean(value) => (value.to_string(), ScalarNotation::Plain),
            DeValue::Datetime(time) => (time.to_string(), ScalarNotation::Quoted),
        };
        let first_line = self.report.line(span.start);
        DocNode { span, kind: NodeKind::Scalar(ScalarNode { text, style, first_line, indent: 0 }) }
    }
}

/// A float in YAML's notation.
fn float_text(text: &str) -> String {
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

    use super::super::{FieldReader, to_json};
    use super::*;

    fn report(text: &str) -> FileReport {
        let file = Arc::new(SourceFile { path: PathBuf::from("a.toml"), text: text.to_owned() });
        FileReport::new(file, "").with_format("toml")
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
        let mut fields = FieldReader::new(&report, "the file", Some(&node), node.span);
        assert_eq!(fields.text("a").as_deref(), Some("x"));
        assert_eq!(fields.integer::<u32>("z", 0..=9), Some(1));
        assert!(report.into_diagnostics().is_empty());
    }

    #[test]
    fn every_fault_has_a_place_and_the_rest_is_read() {
        let report = report("a = \nb = 2\nc = = 3\n");
        let node = parse_toml(&report);
        assert!(node.get("b").is_some());
        let findings = report.into_diagnostics();
        let mut lines: Vec<usize> =
            findings.iter().map(|diagnostic| diagnostic.location.line_column().unwrap().0).collect();
        lines.sort_unstable();
        assert_eq!(lines, [1, 3], "{findings:?}");
        assert!(findings.iter().any(|diagnostic| diagnostic.message.starts_with("toml: line 1: ")), "{findings:?}");
    }
}

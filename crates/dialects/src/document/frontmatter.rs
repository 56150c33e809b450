//! Splits a Markdown file into its frontmatter and its body.

use pintle_contract::ByteSpan;

use super::{DocNode, FileReport, parse};

/// A Markdown file, split and parsed.
#[derive(Debug)]
pub struct FrontmatterDocument<'a> {
    /// The frontmatter, a mapping; `None` if it is empty.
    pub matter: Option<DocNode>,
    /// The byte range of the frontmatter, without its delimiters.
    pub matter_span: ByteSpan,
    /// The text after the frontmatter, trimmed.
    pub body: &'a str,
}

/// Splits a file that consists of `---`, YAML, `---` and a body.
///
/// `None` without valid frontmatter; the report then has the reason. A byte order mark and blank lines before
/// the first delimiter are skipped with a warning; CRLF line endings are accepted.
#[must_use]
pub fn split(report: &FileReport) -> Option<FrontmatterDocument<'_>> {
    let text = report.file().text.as_str();
    let start = skip_byte_order_mark(report);
    let mut lines = SourceLines { text, offset: start };
    let mut opening = lines.next();
    while let Some(line) = opening.as_ref().filter(|line| line.text.trim().is_empty()) {
        let span = ByteSpan { start: line.start, end: line.start };
        opening = lines.next();
        if opening.as_ref().is_some_and(|next| next.text.trim_end() == "---") {
            report.warning(
                "blank_before_frontmatter",
                "blank lines before the frontmatter",
                span,
                "start the file with `---`",
            );
        }
    }
    let Some(opening) = opening.filter(|line| line.text.trim_end() == "---") else {
        let span = ByteSpan { start, end: start + first_line(text, start).len() };
        let help = "write `---` alone on the first line; move a file that is not an artifact to another directory";
        report.error("no_frontmatter", "markdown file must start with --- frontmatter delimiter", span, help);
        return None;
    };
    let matter_start = lines.offset;
    let opening_span = ByteSpan { start: opening.start, end: opening.start + 3 };
    if text.get(matter_start..).is_none_or(|rest| rest.trim().is_empty()) {
        let help = "write the fields, then `---` on a line of its own";
        report.error("unclosed_frontmatter", "no content after opening --- delimiter", opening_span, help);
        return None;
    }
    let Some(closing) = lines.find(|line| line.text.trim_end() == "---") else {
        let help = "end the frontmatter with `---` on a line of its own";
        report.error("unclosed_frontmatter", "no closing --- delimiter found for frontmatter", opening_span, help);
        return None;
    };
    let matter_span = ByteSpan { start: matter_start, end: closing.start };
    let matter = parse(report, matter_span).ok()?;
    let rest = text.get(lines.offset..).unwrap_or_default();
    Some(FrontmatterDocument { matter, matter_span, body: rest.trim() })
}

/// The offset at which the text starts: after a byte order mark, which is reported.
#[must_use]
pub fn skip_byte_order_mark(report: &FileReport) -> usize {
    let text = report.file().text.as_str();
    let Some(rest) = text.strip_prefix('\u{FEFF}') else {
        return 0;
    };
    let start = text.len() - rest.len();
    let help = "save it as UTF-8 without one";
    report.warning(
        "byte_order_mark",
        "the file begins with a byte order mark",
        ByteSpan { start: 0, end: start },
        help,
    );
    start
}

fn first_line(text: &str, start: usize) -> &str {
    text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default()
}

struct SourceLine<'a> {
    start: usize,
    text: &'a str,
}

/// The lines of a text with their offsets, without line endings.
struct SourceLines<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Iterator for SourceLines<'a> {
    type Item = SourceLine<'a>;

    fn next(&mut self) -> Option<SourceLine<'a>> {
        let rest = self.text.get(self.offset..).filter(|rest| !rest.is_empty())?;
        let start = self.offset;
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        self.offset += line.len();
        Some(SourceLine { start, text: line.trim_end_matches(['\n', '\r']) })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pintle_contract::SourceFile;

    use super::*;

    fn report(text: &str) -> FileReport {
        let file = SourceFile { path: PathBuf::from("a.md"), text: text.to_owned() };
        FileReport::new(Arc::new(file), "parse hook a.md: ")
    }

    #[test]
    fn the_frontmatter_ends_at_a_line_of_its_own() {
        for (text, matter, body) in [
            ("---\na: 1\n---\n\n# body\n", Some("a: 1\n"), "# body"),
            ("---\r\na: 1\r\n---\r\nbody\r\n", Some("a: 1\r\n"), "body"),
            ("---\na: |\n  ---\n  x\n---x: 1\n---\n", Some("a: |\n  ---\n  x\n---x: 1\n"), ""),
            ("---  \na: 1\n---\t\nbody", Some("a: 1\n"), "body"),
            ("---\na: 1\n---", Some("a: 1\n"), ""),
            ("---\n---\nbody\n---\n", Some(""), "body\n---"),
        ] {
            let report = report(text);
            let document = split(&report);
            assert_eq!(
                document.as_ref().map(|read| &text[read.matter_span.start..read.matter_span.end]),
                matter,
                "{text:?}"
            );
            assert_eq!(document.map_or("", |read| read.body), body, "{text:?}");
        }
    }

    #[test]
    fn a_file_without_frontmatter_is_refused_with_the_documented_words() {
        for (text, wanted) in [
            ("", "markdown file must start with --- frontmatter delimiter"),
            ("# hello\n", "markdown file must start with --- frontmatter delimiter"),
            ("---x\na: 1\n---\n", "markdown file must start with --- frontmatter delimiter"),
            ("---", "no content after opening --- delimiter"),
            ("---\n\n", "no content after opening --- delimiter"),
            ("---\na: 1\n", "no closing --- delimiter found for frontmatter"),
        ] {
            let report = report(text);
            assert!(split(&report).is_none(), "{text:?}");
            let findings = report.into_diagnostics();
            assert_eq!(findings.len(), 1, "{text:?}");
            assert_eq!(findings[0].message, format!("parse hook a.md: {wanted}"), "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_and_blank_lines_are_passed_over_with_a_warning() {
        let report = report("\u{FEFF}\n\n---\na: 1\n---\n");
        assert!(split(&report).is_some());
        let codes: Vec<_> = report.into_diagnostics().into_iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, ["byte_order_mark", "blank_before_frontmatter"]);
    }
}

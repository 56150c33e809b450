//! Diagnostics as text (message, source line, underline, next step) and as JSON.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use pintle_host::contract::{ByteSpan, SourceFile};
use pintle_host::tape::show::single_line;
use pintle_host::{Diagnostic, Severity};
use serde::Serialize;

use crate::terminal::screen_columns;

/// Most bytes shown on each side of a diagnostic's start, so that a file of one long line stays readable.
const SIDE_BYTES: usize = 400;
/// Most characters of a message.
const MESSAGE_CHARS: usize = 2_000;

/// Renders a diagnostic with its source line, in colours, on several lines.
pub(crate) fn render_diagnostic(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group =
        Group::with_title(level.primary_title(single_line(&diagnostic.message, MESSAGE_CHARS)).id(diagnostic.code));
    let path = diagnostic.location.path().map(super::path_text);
    if let Some((file, path)) = diagnostic.location.file.as_deref().zip(path) {
        let excerpt = SourceExcerpt::from_span(file, diagnostic.location.span);
        let snippet = Snippet::source(excerpt.text)
            .line_start(excerpt.first_line)
            .path(single_line(&path, MESSAGE_CHARS))
            .annotation(AnnotationKind::Primary.span(excerpt.underlined));
        group = group.element(snippet);
    }
    let renderer = screen_columns().map_or_else(Renderer::styled, |columns| Renderer::styled().term_width(columns));
    let help = diagnostic.help.as_deref().map(|help| single_line(help, MESSAGE_CHARS));
    match (help, &diagnostic.location.file) {
        (Some(help), Some(_)) => renderer.render(&[group.element(Level::HELP.message(help))]),
        (Some(help), None) => renderer.render(&[group, Group::with_title(Level::HELP.secondary_title(help))]),
        (None, _) => renderer.render(&[group]),
    }
}

/// A diagnostic as JSON. Lines and columns start at 1, columns count characters; they are `null` without a file.
#[derive(Debug, Serialize)]
pub(crate) struct JsonDiagnostic<'a> {
    severity: Severity,
    code: &'a str,
    message: &'a str,
    path: Option<String>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) end_line: Option<usize>,
    pub(crate) end_column: Option<usize>,
    help: Option<&'a str>,
}

impl<'a> From<&'a Diagnostic> for JsonDiagnostic<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        let place = &diagnostic.location;
        let start = place.line_column();
        let end = place.file.as_ref().map(|file| file.line_column(place.span.end.max(place.span.start)));
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            path: place.path().map(super::path_text),
            line: start.map(|(line, _)| line),
            column: start.map(|(_, column)| column),
            end_line: end.map(|(line, _)| line),
            end_column: end.map(|(_, column)| column),
            help: diagnostic.help.as_deref(),
        }
    }
}

/// The part of a file that is shown.
struct SourceExcerpt<'a> {
    text: &'a str,
    first_line: usize,
    /// The underlined range, in bytes of `text`.
    underlined: Range<usize>,
}

impl<'a> SourceExcerpt<'a> {
    /// Returns the line in which a span starts. A longer span is cut to this line, and one outside the text is clamped.
    fn from_span(file: &'a SourceFile, span: ByteSpan) -> Self {
        let whole = file.text.as_str();
        let start = whole.floor_char_boundary(span.start.min(whole.len()));
        let (above, below) = whole.split_at(start);
        let line_end = start + below.find('\n').unwrap_or(below.len());
        let end = whole.ceil_char_boundary(span.end.clamp(start, line_end));
        let line_start = above.rfind('\n').map_or(0, |index| index + 1);
        let from = line_start.max(whole.floor_char_boundary(start.saturating_sub(SIDE_BYTES)));
        let to = line_end.min(whole.ceil_char_boundary(start.saturating_add(SIDE_BYTES)));
        let text = whole.get(from..to).unwrap_or_default();
        let first_line = above.matches('\n').count() + 1;
        Self { text, first_line, underlined: start - from..end.min(to) - from }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pintle_host::contract::Location;

    use super::*;

    fn rendered_text(text: &str, start: usize, end: usize) -> String {
        let file = Arc::new(SourceFile { path: PathBuf::from("a.md"), text: text.to_owned() });
        let diagnostic =
            Diagnostic::error("bad", "what is wrong", Location::new(file, ByteSpan { start, end })).help("do so");
        anstream::adapter::strip_str(&super::render_diagnostic(&diagnostic)).to_string()
    }

    #[test]
    fn the_line_is_shown_and_the_place_underlined() {
        let text = "---\nevent: tool.pre\npriority: high\nscript: |\n  x\n---\n";
        let expected = "\
error[bad]: what is wrong
 --> a.md:3:11
  |
3 | priority: high
  |           ^^^^
  |
  = help: do so";
        assert_eq!(rendered_text(text, 30, 34), expected);
    }

    #[test]
    fn any_place_of_any_text_can_be_shown() {
        let long = "é".repeat(5_000);
        let texts = ["", "\n", "a", "\r\n\t\u{1b}[31m\r\n", "\u{feff}---\n", &long, "a\n\n\n\n\nb"];
        for text in texts {
            for start in [0, 1, 2, 3, 7, 5_001, 10_000, usize::MAX] {
                for end in [0, 1, 4, 9_999, usize::MAX] {
                    let shown = rendered_text(text, start, end);
                    assert!(shown.starts_with("error[bad]: what is wrong"), "{shown}");
                    assert!(shown.len() < 6_000 && !shown.contains('\u{1b}'), "{shown}");
                }
            }
        }
    }
}

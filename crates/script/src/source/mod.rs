//! Script source: prepared for the parser, checked before it, and mapped back to its file.

mod prepare;

use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{ByteSpan, Location, ScriptSource, SourceFile};

pub(crate) use prepare::ASSERT_ALIAS;

use crate::ScriptFinding;

/// A script's text for the parser, and its mapping to the file.
#[derive(Debug)]
pub(crate) struct PreparedSource {
    /// The name of the script's owner, for messages.
    pub(crate) name: Arc<str>,
    /// The text as written.
    origin: ScriptSource,
    /// The prepared text.
    pub(crate) text: String,
    /// Lines whose leading tabs were expanded: line index, characters before and after.
    widened: Vec<(usize, usize, usize)>,
    /// Whether it may be parsed and analysed on an ordinary stack.
    pub(crate) is_shallow: bool,
}

/// Whether a text may be parsed and analysed on an ordinary stack.
pub(crate) fn is_shallow(text: &str) -> bool {
    prepare::prepare(text).is_shallow
}

impl PreparedSource {
    /// Prepares a text. The finding, if any, is why it must not be parsed.
    pub(crate) fn new(name: &str, origin: &ScriptSource) -> (Self, Option<ScriptFinding>) {
        let prepared = prepare::prepare(&origin.text);
        let source = Self {
            name: Arc::from(name),
            origin: origin.clone(),
            text: prepared.text,
            widened: prepared.widened,
            is_shallow: prepared.is_shallow,
        };
        (source, prepared.limit_finding)
    }

    /// The text as its author wrote it.
    pub(crate) fn author_text(&self) -> &ScriptSource {
        &self.origin
    }

    /// Restores the author's names in a message of the parser.
    pub(crate) fn restore_names(&self, message: &str) -> String {
        message.replace(ASSERT_ALIAS, "assert")
    }

    /// The location in the file of a span of the prepared text.
    pub(crate) fn location(&self, span: Option<(usize, usize)>) -> Location {
        let Some(file) = self.origin.location.file.as_ref() else {
            return self.location_in_text(span);
        };
        let mapped = span.and_then(|(start, end)| {
            let start = self.to_file_byte(file, start)?;
            let end = self.to_file_byte(file, end).unwrap_or(start);
            Some(ByteSpan { start, end: end.max(start) })
        });
        Location::new(Arc::clone(file), mapped.unwrap_or(self.origin.location.span))
    }

    /// The location in a text without a file: the text itself is used as the file.
    fn location_in_text(&self, span: Option<(usize, usize)>) -> Location {
        let file = SourceFile { path: PathBuf::from(&*self.name), text: self.text.clone() };
        let (start, end) = span.unwrap_or((0, 0));
        Location::new(Arc::new(file), ByteSpan { start, end })
    }

    /// The offset in the file of an offset in the prepared text, if the line can be found there.
    fn to_file_byte(&self, file: &SourceFile, byte: usize) -> Option<usize> {
        let before = self.text.get(..byte.min(self.text.len()))?;
        let line = before.matches('\n').count();
        let line_text_start = before.rfind('\n').map_or(0, |index| index + 1);
        let column = self.author_column(line, before.get(line_text_start..)?.chars().count());
        let written = self.origin.text.trim_start_matches('\u{feff}').split('\n').nth(line)?;
        let written = written.trim_end_matches('\r');
        let start = file.line_start(self.origin.first_line + line);
        let in_file = file.text.get(start..)?.split('\n').next()?.trim_end_matches('\r');
        let indent = in_file.char_indices().nth(self.origin.indent).map_or(in_file.len(), |(index, _)| index);
        // A value that is not a literal block (folded, quoted) is not in the file line by line.
        let shown = written.trim_end();
        let index = match in_file.get(indent..) {
            Some(rest) if rest.starts_with(shown) => indent,
            _ => in_file.find(shown)?,
        };
        let offset = written.char_indices().nth(column).map_or(written.len(), |(index, _)| index);
        Some((start + index + offset).min(start + in_file.len()))
    }

    /// The column in the written text for a column of the prepared text.
    fn author_column(&self, line: usize, column: usize) -> usize {
        let Some((_, before, after)) = self.widened.iter().find(|(index, _, _)| *index == line) else {
            return column;
        };
        if column >= *after { column - after + before } else { column.min(*before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source_in_file(file: &str, script: &str, first_line: usize, indent: usize) -> PreparedSource {
        let file = Arc::new(SourceFile { path: PathBuf::from("a.md"), text: file.to_owned() });
        let origin = ScriptSource {
            text: Arc::from(script),
            location: Location::new(file, ByteSpan { start: 1, end: 2 }),
            first_line,
            indent,
        };
        PreparedSource::new("a", &origin).0
    }

    fn display_location(source: &PreparedSource, span: (usize, usize)) -> String {
        let location = source.location(Some(span));
        let file = location.file.unwrap();
        file.text[location.span.start..location.span.end].to_owned()
    }

    #[test]
    fn a_position_is_found_again_in_its_file() {
        let script = "def f():\n\treturn oops\n";
        let file = "---\nscript: |\n  def f():\n  \treturn oops\n---\n";
        let source = source_in_file(file, script, 3, 2);
        let index = source.text.find("oops").unwrap();
        assert_eq!(display_location(&source, (index, index + 4)), "oops");
        assert_eq!(source.location(Some((index, index + 4))).line_column(), Some((4, 11)));
    }

    #[test]
    fn crlf_and_a_byte_order_mark_move_nothing() {
        let script = "\u{feff}a = 1\r\nb = oops\r\n";
        let source = source_in_file("\u{feff}a = 1\r\nb = oops\r\n", script, 1, 0);
        let index = source.text.find("oops").unwrap();
        assert_eq!(display_location(&source, (index, index + 4)), "oops");
    }

    #[test]
    fn a_value_that_is_not_in_the_file_line_by_line_is_shown_whole() {
        let source = source_in_file("when: \"a\\n b\"\n", "a\n b", 1, 7);
        assert_eq!(source.location(Some((2, 3))).span, ByteSpan { start: 1, end: 2 });
    }

    #[test]
    fn a_text_without_a_file_is_its_own_file() {
        let (source, _) = PreparedSource::new("made up", &ScriptSource::without_file("x = 1\ny = oops"));
        let location = source.location(Some((10, 14)));
        assert_eq!(location.line_column(), Some((2, 5)));
        assert_eq!(location.path().unwrap().to_str(), Some("made up"));
    }
}

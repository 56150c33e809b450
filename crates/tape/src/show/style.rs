//! Lines of text with tones, which the caller prints as colours.

use std::fmt;

/// The tone of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Normal text.
    Plain,
    /// Less important text.
    Quiet,
    /// Good news.
    Good,
    /// A warning.
    Warn,
    /// A denial or a failure.
    Bad,
}

/// A line of pieces of text, each with its tone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine {
    /// The pieces, from left to right.
    pub pieces: Vec<(Tone, String)>,
}

impl StyledLine {
    /// Creates a line of one piece.
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { pieces: vec![(tone, text.into())] }
    }

    /// Adds a piece.
    pub fn push(&mut self, tone: Tone, text: impl Into<String>) {
        self.pieces.push((tone, text.into()));
    }

    /// Sets every piece to the tone `Quiet`.
    pub fn dim(&mut self) {
        self.pieces.iter_mut().for_each(|(tone, _)| *tone = Tone::Quiet);
    }

    /// Indents the line.
    #[must_use]
    pub fn with_indent(mut self, columns: usize) -> Self {
        self.pieces.insert(0, (Tone::Plain, " ".repeat(columns)));
        self
    }
}

/// The line without tones.
impl fmt::Display for StyledLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|(_, text)| f.write_str(text))
    }
}

/// Text that is safe on a terminal, in one line: control characters are escaped, and text longer than `most` characters
/// is truncated visibly.
#[must_use]
pub fn single_line(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most));
    for (index, character) in text.chars().enumerate() {
        if index == most {
            shown.push_str("...");
            break;
        }
        if character.is_control() || is_direction(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character changes the reading direction of a line, which can disguise text.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_reaches_the_terminal_as_a_command() {
        assert_eq!(single_line("a\x1b[31mb\r\n", 80), "a\\u{1b}[31mb\\r\\n");
        assert_eq!(single_line("x\u{202e}y", 80), "x\\u{202e}y");
        assert_eq!(single_line("grün und gut", 4), "grün...");
        assert_eq!(single_line("grün", 4), "grün");
    }
}

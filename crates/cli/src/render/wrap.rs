//! Text for a person: lines break between words, and are no longer than the screen.

use pintle_host::tape::show::{StyledLine, Tone};
use unicode_width::UnicodeWidthStr as _;

use crate::terminal::screen_columns;

/// The most columns of a text, on a wider screen, too. A longer word stays whole, so that it can be copied.
const COLUMNS: usize = 80;
/// The width of a label with the space around it.
const LABEL: usize = 11;
/// How much further the rest of a line is indented that was too long for the screen.
const HANGING: usize = 2;

/// Renders `label  text`, with further lines below the text.
pub(crate) fn render_labelled(label: &str, tone: Tone, text: &str) -> Vec<StyledLine> {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels.zip(wrap_text(text, text_columns() - LABEL)).map(|(label, part)| lay_out(label, tone, part)).collect()
}

/// Renders `label  text` in one line, for a text that is read by programs.
pub(crate) fn render_unwrapped(label: &str, text: &str) -> StyledLine {
    lay_out(label, Tone::Plain, text.to_owned())
}

fn lay_out(label: &str, tone: Tone, text: String) -> StyledLine {
    let mut line = StyledLine::new(Tone::Quiet, format!("  {label:<width$}", width = LABEL - 2));
    line.push(tone, text);
    line
}

/// Renders a text below an indent.
pub(crate) fn render_indented(indent: usize, tone: Tone, text: &str) -> Vec<StyledLine> {
    let lines = wrap_text(text, text_columns().saturating_sub(indent)).into_iter();
    lines.map(|line| StyledLine::new(tone, line).with_indent(indent)).collect()
}

/// The most columns of a text on this screen.
fn text_columns() -> usize {
    screen_columns().map_or(COLUMNS, |columns| columns.clamp(2 * LABEL, COLUMNS))
}

/// How many columns a text of one line takes on a terminal. Colours take none.
pub(crate) fn text_width(text: &str) -> usize {
    match text.contains('\u{1b}') {
        true => anstream::adapter::strip_str(text).to_string().width(),
        false => text.width(),
    }
}

/// Breaks a text between words, into lines of at most `most` columns.
pub(super) fn wrap_text(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let width = text_width(word);
        if used > 0 && used + 1 + width > most {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += width;
        }
    }
    lines
}

/// Breaks the lines of a finished text that are wider than the screen. What is aligned in them stays as it is; the rest
/// of a line is below its last aligned text, or indented further than its begin.
pub(crate) fn fit_lines(text: &str, columns: usize) -> String {
    text.split('\n').map(|line| fit_line(line, columns)).collect::<Vec<_>>().join("\n")
}

fn fit_line(line: &str, columns: usize) -> String {
    if text_width(line) <= columns {
        return line.to_owned();
    }
    let begin = line.trim_start_matches(' ');
    let lead = line.len() - begin.len();
    let mut indent = (lead + HANGING).min(columns / 2);
    let (mut fitted, mut used) = (" ".repeat(lead), lead);
    let (mut rest, mut gap, mut is_broken) = (begin, None, false);
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        let width = text_width(word);
        match gap {
            Some(gap) if used + gap + width > columns => {
                fitted.push('\n');
                fitted.push_str(&" ".repeat(indent));
                used = indent;
                is_broken = true;
            }
            gap => {
                let gap = gap.unwrap_or(0);
                fitted.push_str(&" ".repeat(gap));
                used += gap;
                if gap > 1 && used <= columns / 2 && !is_broken {
                    indent = used;
                }
            }
        }
        fitted.push_str(word);
        used += width;
        rest = after.trim_start_matches(' ');
        gap = Some(after.len() - rest.len());
    }
    fitted
}

/// The fewest spaces before a line of code in Markdown.
const CODE_INDENT: usize = 4;

/// Breaks a text that arrives in pieces between words. A word is held back until it is whole. Code and tables of Markdown
/// stay as they are.
#[derive(Debug, Default)]
pub(crate) struct StreamWrapper {
    /// The columns of the line so far.
    used: usize,
    /// The spaces before the word.
    gap: usize,
    word: String,
    is_in_code: bool,
    /// Whether the line is code, or a row of a table.
    is_verbatim: bool,
}

impl StreamWrapper {
    /// Takes the next piece. Returns what can be written, in lines of at most `columns`.
    pub(crate) fn push(&mut self, text: &str, columns: usize) -> String {
        let mut whole = String::new();
        for letter in text.chars() {
            match letter {
                '\n' => {
                    self.release(&mut whole, columns);
                    whole.push('\n');
                    (self.used, self.gap, self.is_verbatim) = (0, 0, false);
                }
                ' ' => {
                    self.release(&mut whole, columns);
                    self.gap += 1;
                }
                _ => self.word.push(letter),
            }
        }
        whole
    }

    /// Ends the text. Returns the last word.
    pub(crate) fn finish(&mut self, columns: usize) -> String {
        let mut whole = String::new();
        self.release(&mut whole, columns);
        *self = Self::default();
        whole
    }

    /// Whether a line is unfinished.
    pub(crate) fn is_open(&self) -> bool {
        self.used > 0 || !self.word.is_empty()
    }

    fn release(&mut self, whole: &mut String, columns: usize) {
        if self.word.is_empty() {
            return;
        }
        if self.used == 0 {
            self.is_in_code ^= self.word.starts_with("```");
            self.is_verbatim = self.is_in_code || self.gap >= CODE_INDENT || self.word.starts_with(['|', '`']);
        }
        let width = text_width(&self.word);
        if !self.is_verbatim && self.used > 0 && self.used + self.gap + width > columns {
            whole.push('\n');
            self.used = 0;
        } else {
            whole.push_str(&" ".repeat(self.gap));
            self.used += self.gap;
        }
        whole.push_str(&self.word);
        self.used += width;
        self.gap = 0;
        self.word.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_long_words_stay_whole() {
        let cases: [(&str, &[&str]); 6] = [
            ("", &[""]),
            ("a b c", &["a b c"]),
            ("aaaa bbbb cccc", &["aaaa bbbb", "cccc"]),
            ("a /very/long/path b", &["a", "/very/long/path", "b"]),
            ("grün grün grün", &["grün grün", "grün"]),
            ("日本 日本 日本", &["日本 日本", "日本"]),
        ];
        for (text, lines) in cases {
            assert_eq!(wrap_text(text, 10), lines, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_wider_than_the_screen_goes_on_below_its_begin() {
        let cases = [
            ("", ""),
            ("a  b   c", "a  b   c"),
            ("aaaa  bbbb  cccc", "aaaa  bbbb\n  cccc"),
            ("  a  bbbbbb cccc", "  a  bbbbbb\n     cccc"),
            ("/a/very/long/path b", "/a/very/long/path\n  b"),
            ("one\ntwo", "one\ntwo"),
            ("\u{1b}[31maaaa\u{1b}[0m bbbb cccc", "\u{1b}[31maaaa\u{1b}[0m bbbb\n  cccc"),
            ("               x", "               x"),
        ];
        for (text, fitted) in cases {
            assert_eq!(fit_lines(text, 11), fitted, "{text:?}");
        }
    }

    #[test]
    fn a_text_in_pieces_breaks_between_words_but_not_in_code() {
        let cases = [
            ("", ""),
            ("aaaa bbbb cccc", "aaaa bbbb\ncccc"),
            ("aaaa bbbb\ncccc dddd", "aaaa bbbb\ncccc dddd"),
            ("/a/very/long/path b", "/a/very/long/path\nb"),
            ("a  b\n\nc ", "a  b\n\nc"),
            ("日本 日本 日本", "日本 日本\n日本"),
            ("```sh\naaaa bbbb cccc\n```\naaaa bbbb cccc", "```sh\naaaa bbbb cccc\n```\naaaa bbbb\ncccc"),
            ("    aaaa bbbb cccc", "    aaaa bbbb cccc"),
            ("| aaaa | bbbb |\naaaa bbbb cccc", "| aaaa | bbbb |\naaaa bbbb\ncccc"),
        ];
        for (text, wrapped) in cases {
            for size in [1, 3, text.len().max(1)] {
                let mut wrapper = StreamWrapper::default();
                let letters: Vec<char> = text.chars().collect();
                let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
                let mut shown: String = pieces.map(|piece| wrapper.push(&piece, 10)).collect();
                shown.push_str(&wrapper.finish(10));
                assert_eq!(shown, wrapped, "{text:?} in pieces of {size}");
            }
        }
    }
}

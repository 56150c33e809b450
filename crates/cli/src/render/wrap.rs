//! Text for a person in lines of at most 80 characters.

use pintle_host::tape::show::{StyledLine, Tone};

/// The most characters of a line. A longer word stays whole, so that it can be copied.
const COLUMNS: usize = 80;
/// The width of a label with the space around it.
const LABEL: usize = 11;

/// Renders `label  text`, with further lines below the text.
pub(crate) fn render_labelled(label: &str, tone: Tone, text: &str) -> Vec<StyledLine> {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels.zip(wrap_text(text, COLUMNS - LABEL)).map(|(label, part)| lay_out(label, tone, part)).collect()
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
    let lines = wrap_text(text, COLUMNS.saturating_sub(indent)).into_iter();
    lines.map(|line| StyledLine::new(tone, line).with_indent(indent)).collect()
}

/// Breaks a text between words, into lines of at most `most` characters.
fn wrap_text(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_long_words_stay_whole() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[""]),
            ("a b c", &["a b c"]),
            ("aaaa bbbb cccc", &["aaaa bbbb", "cccc"]),
            ("a /very/long/path b", &["a", "/very/long/path", "b"]),
            ("grün grün grün", &["grün grün", "grün"]),
        ];
        for (text, lines) in cases {
            assert_eq!(wrap_text(text, 10), lines, "{text}");
        }
    }
}

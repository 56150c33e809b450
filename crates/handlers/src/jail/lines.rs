//! Splits a text into lines, counted from 1.

use pintle_contract::MAX_PAYLOAD_BYTES;

use super::JailError;

/// A text as lines.
#[derive(Debug, Clone, Copy)]
pub struct LineView<'a>(&'a str);

impl<'a> LineView<'a> {
    /// The lines of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The number of lines.
    #[must_use]
    pub fn count(self) -> usize {
        self.0.split_inclusive('\n').count()
    }

    /// Lines `first..=last` with their numbers, as the `read` tool shows them.
    ///
    /// # Errors
    /// When the numbered lines are longer than a result may be.
    pub fn numbered_range(self, first: usize, last: usize) -> Result<String, JailError> {
        let shown = self
            .0
            .split_inclusive('\n')
            .enumerate()
            .skip(first.saturating_sub(1))
            .take(last.saturating_add(1).saturating_sub(first.max(1)));
        let mut text = String::new();
        for (index, line) in shown {
            text.push_str(&format!("{:>6}\t{}\n", index + 1, line.trim_end_matches(['\n', '\r'])));
            if text.len() > MAX_PAYLOAD_BYTES {
                return Err(JailError::LinesTooLong);
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_lines_are_shown_with_their_numbers() {
        let lines = LineView::new("one\ntwo\r\nthree");
        assert_eq!(lines.count(), 3);
        let cases = [(2, 9, "     2\ttwo\n     3\tthree\n"), (0, 1, "     1\tone\n"), (4, 5, ""), (3, 2, "")];
        for (first, last, shown) in cases {
            assert_eq!(lines.numbered_range(first, last).unwrap(), shown, "{first}..={last}");
        }
    }

    #[test]
    fn numbers_do_not_make_a_text_larger_than_a_result_may_be() {
        let text = "\n".repeat(3 << 20);
        let error = LineView::new(&text).numbered_range(1, usize::MAX - 1).unwrap_err();
        assert_eq!(error.to_string(), "the numbered lines are longer than 16 MiB; request fewer lines");
        assert!(LineView::new(&text).numbered_range(1, 1_000_000).is_ok());
    }
}

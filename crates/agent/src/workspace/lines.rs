//! Texts by line, counted from 1.

/// A text as lines.
#[derive(Debug)]
pub(crate) struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text.split_inclusive('\n').collect())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Lines `first..=last` with their numbers, as the `read` tool shows them.
    pub(crate) fn numbered(&self, first: usize, last: usize) -> String {
        let shown = self
            .0
            .iter()
            .enumerate()
            .skip(first.saturating_sub(1))
            .take(last.saturating_add(1).saturating_sub(first.max(1)));
        let mut text = String::new();
        for (index, line) in shown {
            text.push_str(&format!("{:>6}\t{}\n", index + 1, line.trim_end_matches(['\n', '\r'])));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_lines_are_shown_with_their_numbers() {
        let lines = Lines::of("one\ntwo\r\nthree");
        assert_eq!(lines.count(), 3);
        let cases = [(2, 9, "     2\ttwo\n     3\tthree\n"), (0, 1, "     1\tone\n"), (4, 5, ""), (3, 2, "")];
        for (first, last, shown) in cases {
            assert_eq!(lines.numbered(first, last), shown, "{first}..={last}");
        }
    }
}

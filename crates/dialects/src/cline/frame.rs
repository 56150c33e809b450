//! What of an output is the answer.

use std::borrow::Cow;

/// How a line with the answer begins.
const CONTROL: &str = "HOOK_CONTROL\t";

/// The last line that says so itself, or else the whole output.
pub(super) fn control(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text.lines().rev().find_map(|line| line.strip_prefix(CONTROL)).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_control_stands_among_other_output() {
        for (text, wanted) in [
            ("{\"cancel\": true}", "{\"cancel\": true}"),
            ("checking\nHOOK_CONTROL\t{\"cancel\": true}\ndone\n", "{\"cancel\": true}"),
            ("HOOK_CONTROL\t{}\nHOOK_CONTROL\t{\"cancel\": true}", "{\"cancel\": true}"),
            ("", ""),
        ] {
            assert_eq!(control(text), wanted, "{text}");
        }
    }
}

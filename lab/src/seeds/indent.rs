//! Restores indentation that a web page lost.

/// Indents a function whose lines all start at the left margin.
///
/// A line that ends in `:` opens a block and `return` ends one; `else` and `elif` step back; the last line belongs to
/// the function itself. Lines within brackets are left unchanged. This works for guard clauses and short loops, which
/// are what documents show.
pub(super) fn restore_indentation(lines: &[&str]) -> Vec<String> {
    let mut margin = IndentMargin::default();
    let last = lines.len().saturating_sub(1);
    lines.iter().enumerate().map(|(index, line)| margin.indent(line.trim(), index == last)).collect()
}

/// The lines of the function that starts here: up to the `return` that belongs to the function itself.
pub(super) fn function_lines<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    let mut margin = IndentMargin::default();
    let ends = |line: &&str| margin.indent(line.trim(), false).starts_with("    return");
    let last = lines.iter().position(ends);
    last.and_then(|last| lines.get(..=last)).unwrap_or_default()
}

/// Computes the indentation of the next line.
#[derive(Default)]
struct IndentMargin {
    /// The number of open blocks.
    depth: usize,
    /// The number of open brackets.
    open: i32,
    /// Whether the current statement ends its block.
    ends_block: bool,
    /// Whether the last statement ended its block.
    block_ended: bool,
}

impl IndentMargin {
    fn indent(&mut self, line: &str, last: bool) -> String {
        if line.is_empty() {
            return String::new();
        }
        let code = strip_comment(line);
        let begins = self.open == 0;
        let starts = |words: &[&str]| words.iter().any(|word| code.starts_with(word));
        if begins {
            if starts(&["def "]) {
                self.depth = 0;
            } else if last && starts(&["return"]) {
                self.depth = self.depth.min(1);
            } else if starts(&["else:", "elif "]) && !self.block_ended {
                self.depth = self.depth.saturating_sub(1);
            }
            self.ends_block = starts(&["return", "continue", "break", "pass"]);
        }
        let indented = format!("{}{line}", "    ".repeat(self.depth));
        self.open += balance(line);
        if self.open == 0 {
            self.block_ended = self.ends_block;
            if self.ends_block {
                self.depth = self.depth.saturating_sub(1).max(1);
            } else if code.ends_with(':') {
                self.depth += 1;
            }
        }
        indented
    }
}

/// The number of opening minus closing brackets, outside of strings.
fn balance(line: &str) -> i32 {
    let code = strip_comment(line);
    let mut quote = None;
    let mut escaped = false;
    let mut open = 0;
    for character in code.chars() {
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(end), _) if character == end => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            _ => {}
        }
    }
    open
}

/// A line without its comment.
pub(super) fn strip_comment(line: &str) -> &str {
    let quotes_before = |index: usize| line.get(..index).unwrap_or_default().matches('"').count();
    let comment = line.match_indices('#').find(|(index, _)| quotes_before(*index) % 2 == 0);
    comment.and_then(|(index, _)| line.get(..index)).unwrap_or(line).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_again() {
        let whole = "\
def look(event, payload):
    name = payload[\"name\"]
    for word in [
    \"a:\",
    \"b\",
    ]:
        if word in name:
            log(word)
            return block(\"no: \" + word)
        else:
            log(\"fine\")
    return allow()";
        // Lost indentation within brackets does not matter, so it is not restored.
        let flat: Vec<&str> = whole.lines().map(str::trim).collect();
        let restored = restore_indentation(&flat);
        assert_eq!(restored.join("\n").replace("    \"a", "\"a"), whole.replace("    \"a", "\"a"));
    }

    #[test]
    fn guard_clauses_end_their_block() {
        let flat = ["def f(a):", "if a:", "return 1", "b = g(a)", "if b:", "return 2", "return 3"];
        let expected = [
            "def f(a):",
            "    if a:",
            "        return 1",
            "    b = g(a)",
            "    if b:",
            "        return 2",
            "    return 3",
        ];
        assert_eq!(restore_indentation(&flat), expected);
    }
}

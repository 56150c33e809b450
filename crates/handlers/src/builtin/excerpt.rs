//! Cuts long texts without splitting a character.

/// The first bytes of a text, up to a limit.
pub(super) fn first_bytes(text: &str, most_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(most_bytes)).unwrap_or_default()
}

/// The last bytes of a text, up to a limit.
pub(super) fn last_bytes(text: &str, most_bytes: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(most_bytes))..).unwrap_or_default()
}

/// The first lines of a text with their line ends, up to a limit.
pub(super) fn first_lines(text: &str, most: usize) -> &str {
    let end = text.match_indices('\n').nth(most.saturating_sub(1)).map_or(text.len(), |(index, _)| index + 1);
    text.get(..end).unwrap_or_default()
}

/// The last lines of a text, up to a limit. A newline at the end of the text does not start a line.
pub(super) fn last_lines(text: &str, most: usize) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start = body.rmatch_indices('\n').nth(most.saturating_sub(1)).map_or(0, |(index, _)| index + 1);
    text.get(start..).unwrap_or_default()
}

/// The number of lines of a text; text after the last newline counts as a line.
pub(super) fn line_count(text: &str) -> usize {
    text.matches('\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_keep_characters_and_lines_whole() {
        assert_eq!((first_bytes("aé", 2), first_bytes("aé", 3), first_bytes("", 5)), ("a", "aé", ""));
        assert_eq!((last_bytes("éa", 2), last_bytes("éa", 3), last_bytes("x", 0)), ("a", "éa", ""));
        assert_eq!((first_lines("a\nb\nc", 2), first_lines("a", 2)), ("a\nb\n", "a"));
        assert_eq!((last_lines("a\nb\nc\n", 2), last_lines("a\nb\nc", 2), last_lines("a", 2)), ("b\nc\n", "b\nc", "a"));
        assert_eq!(["", "a", "a\n", "a\nb"].map(line_count), [0, 1, 1, 2]);
    }
}

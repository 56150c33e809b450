//! Searching the pages for words.

use super::pages::{DocsPage, DocsPages};

/// The most lines shown of a page.
const MOST_LINES: usize = 4;
/// The most characters shown of a line, and those of them before the first word.
const MOST_CHARS: usize = 90;
const CHARS_BEFORE: usize = 30;

/// The lines of a page, each with its number.
type NumberedLines = Vec<(usize, String)>;

/// The pages that contain all words, those with most of them in one line first, and the lines with most of them.
pub(super) fn find_lines<'p>(pages: &'p DocsPages, words: &[String]) -> Vec<(DocsPage<'p>, NumberedLines)> {
    let words: Vec<String> = words.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
    let mut found: Vec<(usize, usize, DocsPage<'_>, NumberedLines)> = Vec::new();
    for page in pages.iter() {
        let text = page.text.to_lowercase();
        if words.is_empty() || !words.iter().all(|word| text.contains(word)) {
            continue;
        }
        let count_of = |line: &str| words.iter().filter(|word| line.contains(word.as_str())).count();
        let counts: Vec<usize> = text.lines().map(count_of).collect();
        let most = counts.iter().copied().max().unwrap_or_default();
        let lines = page.text.lines().enumerate().zip(&counts).filter(|(_, count)| **count == most);
        let lines: NumberedLines = lines.map(|((index, line), _)| (index + 1, crop(line.trim(), &words))).collect();
        found.push((most, lines.len(), page, lines.into_iter().take(MOST_LINES).collect()));
    }
    found.sort_by_key(|(most, lines, ..)| std::cmp::Reverse((*most, *lines)));
    found.into_iter().map(|(_, _, page, lines)| (page, lines)).collect()
}

/// The part of a long line around the first of the words.
fn crop(line: &str, words: &[String]) -> String {
    let length = line.chars().count();
    if length <= MOST_CHARS {
        return line.to_owned();
    }
    let lower = line.to_lowercase();
    let at = words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or_default();
    let before = lower.get(..at).map_or(0, |before| before.chars().count());
    let start = before.saturating_sub(CHARS_BEFORE).min(length - MOST_CHARS);
    let shown: String = line.chars().skip(start).take(MOST_CHARS).collect();
    let (first, last) = (if start > 0 { "…" } else { "" }, if start + MOST_CHARS < length { "…" } else { "" });
    format!("{first}{}{last}", shown.trim())
}

//! Lists of words in one text.

/// Whether a word is among those of a list, with blanks between.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

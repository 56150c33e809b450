//! Texts of sections that the crate is built with: what they name is in brackets, and the words for it below.
//!
//! ```text
//! # A comment.
//! [delete]
//! os.remove os.unlink
//! ```

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, Error};

/// A part of a text.
pub(crate) struct TextSection {
    /// What is in the brackets.
    pub(crate) head: &'static str,
    pub(crate) lines: Vec<&'static str>,
}

/// The sections of a text, in their order.
pub(crate) fn read_sections(text: &'static str) -> Vec<TextSection> {
    let mut sections: Vec<TextSection> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(head) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            sections.push(TextSection { head, lines: Vec::new() });
        } else if let Some(section) = sections.last_mut() {
            section.lines.push(line);
        }
    }
    sections
}

/// The value of an enum that has a name.
pub(crate) fn read_name<T: Deserialize<'static>>(name: &'static str) -> Option<T> {
    T::deserialize(BorrowedStrDeserializer::<Error>::new(name)).ok()
}

/// Words by what they mean, and the other way round.
pub(crate) struct WordLists<T> {
    lists: Vec<(T, Vec<&'static str>)>,
    by_word: HashMap<&'static str, Vec<usize>>,
}

impl<T> WordLists<T> {
    /// Reads the sections whose heads are known. A test of each text says that all of them are.
    pub(crate) fn read(text: &'static str, read_head: impl Fn(&'static str) -> Option<T>) -> Self {
        let mut all = Self { lists: Vec::new(), by_word: HashMap::new() };
        for section in read_sections(text) {
            let Some(meaning) = read_head(section.head) else { continue };
            let words: Vec<&str> = section.lines.iter().flat_map(|line| line.split_whitespace()).collect();
            for word in &words {
                all.by_word.entry(word).or_default().push(all.lists.len());
            }
            all.lists.push((meaning, words));
        }
        all
    }

    /// All lists, in the order of the text.
    pub(crate) fn lists(&self) -> &[(T, Vec<&'static str>)] {
        &self.lists
    }

    /// What a word means, in the order of the text.
    pub(crate) fn meanings(&self, word: &str) -> impl Iterator<Item = &T> {
        let numbers = self.by_word.get(word).into_iter().flatten();
        numbers.filter_map(|number| self.lists.get(*number)).map(|(meaning, _)| meaning)
    }
}

impl<T: PartialEq> WordLists<T> {
    pub(crate) fn has(&self, meaning: &T, word: &str) -> bool {
        self.meanings(word).any(|found| found == meaning)
    }

    /// The words of a meaning, in the order of the text.
    pub(crate) fn words(&self, meaning: &T) -> &[&'static str] {
        self.lists.iter().find(|(found, _)| found == meaning).map_or(&[], |(_, words)| words)
    }
}

/// Whether a word is among those of a list, with blanks between.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

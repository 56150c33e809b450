//! Words in the names of tools and of their arguments, which `words.txt` has.

use std::sync::LazyLock;

use serde::Deserialize;

use super::name::ToolVerb;
use crate::word_lists::{WordLists, read_name};

static TEXT: &str = include_str!("words.txt");

/// What a tool does, by the words for it.
pub(super) static VERBS: LazyLock<WordLists<ToolVerb>> =
    LazyLock::new(|| WordLists::read(TEXT, |head| read_name(head.strip_prefix("verb ")?)));

/// Interpreters by the words for them.
pub(super) static LANGUAGES: LazyLock<WordLists<&str>> =
    LazyLock::new(|| WordLists::read(TEXT, |head| head.strip_prefix("language ")));

static WORDS: LazyLock<WordLists<ToolWords>> = LazyLock::new(|| WordLists::read(TEXT, read_name));

/// What other words are, as the text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolWords {
    NoVerbs,
    Shells,
    Runners,
    CommandLines,
    Typists,
    Databases,
    Programs,
    Commands,
    ProgramArgs,
    CodeTexts,
    Patches,
    CommandOptions,
    Statements,
    Addresses,
    WorkingDirectories,
    VerbNames,
    LanguageNames,
    Texts,
    PathEnds,
    DirectoryEnds,
    Sources,
    Targets,
    Operands,
    SqlVerbs,
}

impl ToolWords {
    pub(super) fn has(self, word: &str) -> bool {
        WORDS.has(&self, word)
    }

    pub(super) fn all(self) -> &'static [&'static str] {
        WORDS.words(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_lists::read_sections;

    #[test]
    fn every_section_of_the_words_is_read() {
        let count = VERBS.lists().len() + LANGUAGES.lists().len() + WORDS.lists().len();
        assert_eq!(count, read_sections(TEXT).len());
    }
}

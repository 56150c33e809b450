//! Words of code, which `words.txt` has.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::word_lists::{WordLists, read_name};

/// What a word is, as the text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CodeWords {
    HarmlessMethods,
    Modules,
    Listers,
    Environment,
    EnvironmentMethods,
    ModuleFunctions,
    PlainWords,
    Conditions,
    Statements,
    CallOptions,
    SqlFunctions,
    Emptying,
    ShownCells,
    MeasuringMagics,
    ShellMagics,
    WritingMagics,
    ReadingMagics,
    SettingsMagics,
    LastingMagics,
    BareMagics,
}

static WORDS: LazyLock<WordLists<CodeWords>> = LazyLock::new(|| WordLists::read(include_str!("words.txt"), read_name));

impl CodeWords {
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
        assert_eq!(WORDS.lists().len(), read_sections(include_str!("words.txt")).len());
    }
}

//! The functions of interpreters that do something outside them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::words::CodeWords;
use crate::operation_def::is_named;
use crate::word_lists::{WordLists, read_name};

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CodeEffect {
    Delete,
    DeleteTree,
    /// Writes its first argument.
    Write,
    Move,
    Duplicate,
    Link,
    Permission,
    Read,
    /// Reads or writes, by its mode.
    Open,
    /// Runs a command line, or a program with arguments.
    Command,
    /// Evaluates a text as code.
    Code,
    /// Runs a cell of a notebook, or a magic with its arguments.
    Cell,
    /// Makes code or objects of what it gets, which matters if that comes from elsewhere.
    Unpack,
    /// Calls the system by a number.
    SystemCall,
    /// Finds a function by a name that is put together.
    Dynamic,
    Request,
    Transmit,
    /// Opens a connection.
    Socket,
    /// Makes a connection the input and output of a program.
    Redirect,
    Decode,
    Environment,
    Print,
    Kill,
    Privilege,
    /// Options of a request, for a function that otherwise reads.
    Options,
}
use CodeEffect::{Command, Dynamic};

pub(super) static TEXT: &str = include_str!("functions.txt");

/// Functions by the last part of their names.
static FUNCTION_INDEX: LazyLock<HashMap<&str, Vec<(CodeEffect, &str)>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<(CodeEffect, &str)>> = HashMap::new();
    for (effect, names) in WordLists::read(TEXT, read_name).lists() {
        for name in names {
            index.entry(name.rsplit('.').next().unwrap_or(name)).or_default().push((*effect, name));
        }
    }
    index
});

/// What a name means in some languages.
struct LanguageEffect {
    effect: Option<CodeEffect>,
    languages: Vec<&'static str>,
}

impl LanguageEffect {
    fn read(head: &'static str) -> Option<Self> {
        let (effect, languages) = head.split_once(" in ")?;
        let effect = if effect == "none" { None } else { Some(read_name(effect)?) };
        Some(Self { effect, languages: languages.split(' ').collect() })
    }
}

/// Names that mean something else in one language.
static LANGUAGE_EFFECTS: LazyLock<WordLists<LanguageEffect>> =
    LazyLock::new(|| WordLists::read(TEXT, LanguageEffect::read));

fn special_effect(language: &str, name: &str) -> Option<Option<CodeEffect>> {
    let is_meant = |def: &&LanguageEffect| def.languages.iter().any(|known| is_named(known, language));
    LANGUAGE_EFFECTS.meanings(name).find(is_meant).map(|def| def.effect)
}

/// What a function does; `None` if it does nothing outside the code that is known.
pub(super) fn effect_of(language: &str, name: &str) -> Option<CodeEffect> {
    let plain = if name.contains("->") { Cow::Owned(name.replace("->", ".")) } else { Cow::Borrowed(name) };
    let last = plain.rsplit('.').next().unwrap_or_default();
    if plain == ").execute" && language == "groovy" {
        return Some(Command);
    }
    if !plain.contains('.')
        && let Some(special) = special_effect(language, &plain)
    {
        return special;
    }
    let matches_name = |known: &str| {
        if known.contains(['.', ':']) {
            *plain == *known || plain.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
        } else {
            last == known
        }
    };
    let found = FUNCTION_INDEX.get(last)?.iter().filter(|(_, known)| matches_name(known));
    let (effect, known) = found.max_by_key(|(_, known)| known.len())?;
    let is_method = plain.contains('.') && known.len() == last.len();
    let module = plain.split('.').next().unwrap_or_default();
    if last == "send" && matches!(module, "File" | "FileUtils" | "Dir" | "IO" | "Kernel" | "Process") {
        return Some(Dynamic);
    }
    if is_method && CodeWords::HarmlessMethods.has(last) && !CodeWords::Modules.has(module) {
        // A method of something that the reader could not follow.
        let is_telling = matches!(last, "exec" | "system" | "run" | "call" | "open" | "eval" | "rename" | "touch");
        return (plain.starts_with(").") && is_telling).then_some(*effect);
    }
    Some(*effect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation_def::OperationDef;
    use crate::word_lists::read_sections;

    #[test]
    fn every_section_of_the_functions_is_read() {
        for section in read_sections(TEXT) {
            let is_effect = read_name::<CodeEffect>(section.head).is_some();
            let is_operation = OperationDef::read(section.head).is_some();
            assert!(is_effect || is_operation || LanguageEffect::read(section.head).is_some(), "{}", section.head);
        }
    }
}

//! What the name of a tool says about it.

use serde::Deserialize;

use super::words::ToolWords::{CommandLines, Databases, NoVerbs, Programs, Runners, Shells, Typists};
use super::words::{LANGUAGES, VERBS};
use crate::ShellLanguage;

/// What a tool does with the files that its arguments name; of several words the last one here counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolVerb {
    /// A word that says little, such as `get`: it reads if nothing else is said.
    Get,
    /// Shows names, not content.
    List,
    Search,
    Read,
    /// Reads everything in a directory, and mostly sends it somewhere.
    ReadTree,
    MakeDirectory,
    Write,
    Duplicate,
    Move,
    Delete,
}
use ToolVerb::{MakeDirectory, Read, Write};

/// The name of a tool in words: those of its server, and its own.
#[derive(Debug, Default)]
pub(super) struct ToolName {
    server: Vec<String>,
    pub(super) own: Vec<String>,
}

impl ToolName {
    /// Reads `mcp__server__tool`, `server/tool`, `server.tool`, `MCP:tool` and `server_tool`; the latter is one name.
    pub(super) fn new(name: &str) -> Self {
        let parts: Vec<&str> =
            name.split(['/', '.', ':']).flat_map(|part| part.split("__")).filter(|part| !part.is_empty()).collect();
        let (tool, server) = parts.split_last().unwrap_or((&name, &[]));
        Self { server: server.iter().flat_map(|part| split_words(part)).collect(), own: split_words(tool) }
    }

    fn has(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.server.iter().chain(&self.own).any(|word| is_meant(word))
    }

    pub(super) fn verb(&self) -> Option<ToolVerb> {
        verb_of(&self.own)
    }

    /// Whether texts that it gets are command lines.
    pub(super) fn is_shell(&self) -> bool {
        self.has(|word| Shells.has(word))
    }

    /// Whether it is named after what it does with a command line: `run_command`, `ssh_exec`, `send_keys`.
    pub(super) fn is_runner(&self) -> bool {
        let is_command = |word: &str| matches!(word, "exec" | "keys" | "keystrokes" | "stdin" | "process" | "input");
        self.own.iter().all(|word| [Shells, Runners, CommandLines].iter().any(|words| words.has(word)))
            && self.own.iter().any(|word| Shells.has(word) || is_command(word))
            && self.language() != Some("node")
    }

    /// Whether it types what it gets into a terminal or a program.
    pub(super) fn types(&self) -> bool {
        self.is_runner() && self.own.iter().any(|word| Typists.has(word))
    }

    /// Whether it applies patches.
    pub(super) fn is_patcher(&self) -> bool {
        self.own.iter().any(|word| matches!(word.as_str(), "patch" | "diff" | "apply"))
    }

    /// Whether it runs the code that it gets.
    pub(super) fn is_interpreter(&self) -> bool {
        let is_language = |word: &String| language_of(word).is_some();
        self.has(|word| matches!(word, "interpreter" | "repl" | "sandbox"))
            || self.own.iter().any(|word| Runners.has(word))
            || !self.own.is_empty() && self.own.iter().all(is_language)
    }

    pub(super) fn is_database(&self) -> bool {
        self.has(|word| Databases.has(word))
    }

    pub(super) fn language(&self) -> Option<&'static str> {
        self.own.iter().chain(&self.server).find_map(|word| language_of(word))
    }

    /// The shell whose command lines it gets.
    pub(super) fn shell(&self) -> ShellLanguage {
        if self.has(|word| matches!(word, "powershell" | "pwsh")) {
            ShellLanguage::PowerShell
        } else {
            ShellLanguage::Bash
        }
    }

    /// The program that it is named after, with the subcommand: `git push` for `git_push`.
    pub(super) fn program(&self) -> Option<(&str, &[String])> {
        let is_program = |word: &String| Programs.has(word);
        let (program, words) = match self.own.iter().position(is_program) {
            Some(index) => (self.own.get(index)?, self.own.get(index + 1..)?),
            None => (self.server.iter().find(|word| is_program(word))?, self.own.as_slice()),
        };
        Some((program, words))
    }
}

/// The interpreter that a word stands for.
pub(super) fn language_of(word: &str) -> Option<&'static str> {
    LANGUAGES.meanings(word).next().copied()
}

/// What words say is done with files.
pub(super) fn verb_of(words: &[String]) -> Option<ToolVerb> {
    let verb = words.iter().filter_map(|word| verb_of_word(word)).max()?;
    let is_directory =
        words.iter().any(|word| matches!(word.as_str(), "directory" | "directories" | "dir" | "folder" | "folders"));
    let makes = words.iter().any(|word| matches!(word.as_str(), "create" | "make" | "new"));
    Some(if verb == Write && is_directory && makes { MakeDirectory } else { verb })
}

fn verb_of_word(word: &str) -> Option<ToolVerb> {
    if NoVerbs.has(word) {
        return None;
    }
    let is_verb = |verb: &str| verb == word || verb.len() >= 4 && word.starts_with(verb);
    VERBS.lists().iter().filter(|(_, words)| words.iter().any(|verb| is_verb(verb))).map(|(verb, _)| *verb).max()
}

/// Whether a tool only reads, as far as its name says.
#[must_use]
pub fn is_reading_tool(name: &str) -> bool {
    ToolName::new(name).verb().is_some_and(|verb| verb <= Read)
}

/// The words of a name in lower case: `readFile`, `read_file` and `read-file` have the same.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut can_continue = false;
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            can_continue = false;
            continue;
        }
        let starts = !can_continue || was_lower && letter.is_uppercase();
        match words.last_mut() {
            Some(word) if !starts => word.extend(letter.to_lowercase()),
            _ => words.push(letter.to_lowercase().collect()),
        }
        can_continue = true;
        was_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words
}

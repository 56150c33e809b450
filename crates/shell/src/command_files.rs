//! Which files a command names, for a caller that binds commands to their files.
//!
//! The caller knows the disk: it resolves the words to files, reads the scripts among them, and asks for what they name.

use std::collections::{BTreeMap, BTreeSet};

use crate::ShellLanguage;

/// The directory of the project: where it is, the caller knows.
pub(crate) const PROJECT_DIR: &str = "/\u{fffb}";

/// The files that a command names.
#[derive(Debug, Clone, Default)]
pub struct CommandFiles {
    /// Every word that may name files.
    pub words: BTreeSet<FileWord>,
    /// Code that it runs, unless it is a command line.
    pub codes: BTreeSet<(ScriptLanguage, String)>,
    /// What it runs without naming the files.
    pub unnamed: BTreeSet<UnnamedFiles>,
    /// The values that it gives to variables.
    pub variables: BTreeMap<String, BTreeSet<String>>,
    /// Whether a limit cut it, or a part of it cannot be parsed.
    pub is_cut: bool,
}

/// A word that may name a file or a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileWord {
    /// What the command does with it.
    pub usage: FileUse,
    /// Where its path begins.
    pub start: PathStart,
    /// The path from there; `None` if it is not known.
    pub path: Option<String>,
    /// Whether the shell expands the patterns in it.
    pub is_pattern: bool,
    /// Whether what is not known of it is in a variable that the command sets, such as to the output of another one.
    pub is_printed: bool,
    /// The word for the user.
    pub shown: String,
    /// The command for the user.
    pub command: String,
}

/// What a command does with a file, in an order in which the directories come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileUse {
    /// Enters the directory.
    Directory,
    /// Its content is not used.
    Text,
    /// Writes it.
    Output,
    /// Reads it.
    Input,
    /// A program gets its name and may do anything with it.
    Argument,
    /// It is the program. `true`: what a program of this name does is known.
    Program(bool),
    /// Runs it as code; `None` if the language is not known.
    Script(Option<ScriptLanguage>),
}

/// The language of a script, as far as it says how other files are named in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScriptLanguage {
    /// That of a shell.
    Shell(ShellLanguage),
    /// Python.
    Python,
    /// awk.
    Awk,
    /// Any other one.
    Other,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStart {
    /// As it is written: in the working directory, or absolute.
    Written,
    /// In the directory of the project.
    Project,
    /// In a directory that is not known.
    Unknown,
}

/// Files that a command runs without naming them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnnamedFiles {
    /// Why they are not named.
    pub reason: UnnamedReason,
    /// The command for the user.
    pub command: String,
}

/// Why a command does not name the files that it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnnamedReason {
    /// Other files say what the program runs.
    ByProgram,
    /// An option loads modules.
    ByOption,
    /// A variable says from where programs load files.
    ByVariable,
    /// The code is the input.
    ByInput,
    /// The code is not known.
    UnknownCode,
    /// A limit, or a part that cannot be parsed.
    Unread(String),
}

/// A command as its caller has it.
#[derive(Debug, Clone, Copy)]
pub enum GivenCommand<'a> {
    /// A command line, and the shell that reads it.
    Line(&'a str, ShellLanguage),
    /// A program with its arguments.
    Words(&'a [String]),
}

//! What is known of a text: an argument, the input or the output of a command.

use std::ops::{BitOr, BitOrAssign};
use std::path::Path;
use std::rc::Rc;

use crate::paths::UNKNOWN;
use crate::{Operation, OperationTag};

/// The longest text of a file that is kept.
const MAX_TEXT: usize = 64 * 1024;
/// The most files whose content a text may have.
const MAX_FILES: usize = 8;

/// Where a text comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextTaint(u8);

impl TextTaint {
    pub(crate) const NONE: Self = Self(0);
    /// The content of a file.
    pub(crate) const FILE: Self = Self(1);
    /// A secret.
    pub(crate) const SECRET: Self = Self(2);
    pub(crate) const NETWORK: Self = Self(4);
    /// Out of a decoder, or changed so that it cannot be known.
    pub(crate) const DECODED: Self = Self(8);
    /// The output of a command.
    pub(crate) const OUTPUT: Self = Self(16);
    /// All variables of the environment.
    pub(crate) const ENVIRONMENT: Self = Self(32);
    /// The names of files rather than their content.
    pub(crate) const NAMES: Self = Self(64);
    /// The command lines that the user ran.
    pub(crate) const HISTORY: Self = Self(128);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The tags of an operation on such a text.
    pub(crate) fn tag(self, operation: Operation) -> Operation {
        operation
            .tag_if(self.has(Self::FILE), OperationTag::File)
            .tag_if(self.has(Self::SECRET | Self::ENVIRONMENT), OperationTag::Secret)
            .tag_if(self.has(Self::NETWORK), OperationTag::Network)
            .tag_if(self.has(Self::DECODED), OperationTag::Decoded)
            .tag_if(self.has(Self::OUTPUT | Self::NAMES), OperationTag::Output)
    }
}

impl BitOr for TextTaint {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for TextTaint {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// An argument of a program after expansion.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ShellArg {
    /// The text; [`UNKNOWN`] stands for what cannot be known.
    pub(crate) text: String,
    pub(crate) taint: TextTaint,
    /// The text if what is not set of it expands to nothing: `${NAME:+TEXT}`.
    pub(crate) otherwise: Option<String>,
    /// Whether it has a pattern that the shell expands.
    pub(crate) is_pattern: bool,
    /// Whether it is a secret that the call does not name: one among all files of a directory.
    pub(crate) is_swept: bool,
    /// What a process substitution prints.
    pub(crate) content: Option<Box<TextFlow>>,
    /// What is written in the line for each part that cannot be known, such as `$DIR`.
    pub(crate) sources: Vec<String>,
    /// Its words, if the blanks in it do not divide it.
    pub(crate) words: Vec<ShellArg>,
}

impl ShellArg {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn unknown(taint: TextTaint) -> Self {
        Self { text: String::from(UNKNOWN), taint, ..Self::default() }
    }

    /// The argument with another text.
    pub(crate) fn with_text(&self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self.clone() }
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }

    /// As a user would read it: with what is written in the line for its unknown parts, if that is known of each.
    pub(crate) fn shown(&self) -> String {
        if self.sources.is_empty() || self.sources.len() != self.text.matches(UNKNOWN).count() {
            return shown(&self.text);
        }
        let mut parts = self.text.split(UNKNOWN);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.zip(&self.sources).fold(first, |shown, (part, source)| shown + source + part)
    }
}

/// The texts of arguments in one line, as `echo` prints them.
pub(crate) fn joined(args: &[ShellArg]) -> String {
    args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// A text as a user would read it.
pub(crate) fn shown(text: &str) -> String {
    text.replace(UNKNOWN, "…")
}

/// The input or output of a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TextFlow {
    pub(crate) taint: TextTaint,
    /// The text, if it is known.
    pub(crate) text: Option<String>,
    /// The files whose names it lists, if it does.
    pub(crate) listed: Vec<ListedFiles>,
    /// The names of the processes that it lists, if it does; `*` for all.
    pub(crate) processes: Vec<String>,
    /// The files of the disk whose content it has.
    pub(crate) files: Vec<Rc<Path>>,
    /// The file that a redirection reads, if the files are kept that the line names.
    pub(crate) redirected: Option<Box<ShellArg>>,
    /// Whether another command or a file descriptor gives it, also if nothing is known of it.
    pub(crate) is_given: bool,
}

/// Files that a command lists, such as `find`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedFiles {
    pub(crate) root: ShellArg,
    /// Whether they are selected by a condition.
    pub(crate) is_filtered: bool,
    pub(crate) is_recursive: bool,
}

impl TextFlow {
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    pub(crate) fn from_taint(taint: TextTaint) -> Self {
        Self { taint, ..Self::default() }
    }

    /// What is given without anything being known of it.
    pub(crate) fn from_outside() -> Self {
        Self { is_given: true, ..Self::default() }
    }

    /// Whether it is a text that is not known. That of a plain file is as good as the file.
    pub(crate) fn is_unknown(&self) -> bool {
        let elsewhere = TextTaint::NETWORK | TextTaint::DECODED | TextTaint::SECRET | TextTaint::OUTPUT;
        let is_some = self.is_given || self.taint != TextTaint::NONE || !self.listed.is_empty();
        self.text.is_none() && is_some && (!self.taint.has(TextTaint::FILE) || self.taint.has(elsewhere))
    }

    pub(crate) fn listing(listed: Vec<ListedFiles>) -> Self {
        Self { taint: TextTaint::NAMES, listed, ..Self::default() }
    }

    /// The content of more files.
    pub(crate) fn add_files(&mut self, files: impl IntoIterator<Item = Rc<Path>>) {
        for file in files {
            if self.files.len() < MAX_FILES && !self.files.contains(&file) {
                self.files.push(file);
            }
        }
    }

    /// Text that a file may hold as well, on lines of its own.
    pub(crate) fn add_text(&mut self, other: Self) {
        let is_empty = |flow: &Self| flow.text.as_deref() == Some("") && flow.taint == TextTaint::NONE;
        if is_empty(&other) {
            return;
        }
        if is_empty(self) {
            *self = other;
            return;
        }
        self.taint |= other.taint;
        self.listed.extend(other.listed);
        self.processes.extend(other.processes);
        self.add_files(other.files);
        if self.text.is_none() && other.text.is_none() {
            return;
        }
        let unknown = || UNKNOWN.to_string();
        let (mut text, more) = (self.text.take().unwrap_or_else(unknown), other.text.unwrap_or_else(unknown));
        if text.len() + more.len() > MAX_TEXT {
            text = unknown();
        } else if !text.contains(&more) {
            text.push('\n');
            text.push_str(&more);
        }
        self.text = Some(text);
    }

    /// One or the other, it is not known which.
    pub(crate) fn either(mut self, other: Self) -> Self {
        if self.text != other.text {
            self.text = None;
        }
        self.taint |= other.taint;
        self.is_given |= other.is_given;
        self.listed.extend(other.listed);
        self.processes.extend(other.processes);
        self.add_files(other.files);
        self
    }

    /// Both, one after the other.
    pub(crate) fn append(&mut self, other: Self) {
        self.taint |= other.taint;
        self.listed.extend(other.listed);
        self.processes.extend(other.processes);
        self.add_files(other.files);
        self.text = match (self.text.take(), other.text) {
            (Some(mut text), Some(more)) => {
                text.push_str(&more);
                Some(text)
            }
            _ => None,
        };
    }
}

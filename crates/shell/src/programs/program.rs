//! What a row of the table of programs says, and what several programs do alike.

use super::table::TableRow;
use crate::walk::{CommandWalk, OptionLetters, ProgramCall, ShellArg, TextFlow};

/// What a program does.
#[derive(Debug)]
pub(crate) struct ProgramDef {
    /// Options that take a value.
    pub(crate) valued: OptionLetters,
    pub(crate) usage: ProgramUse,
    /// The option by which it only says what it would do: its letter and its name.
    pub(crate) dry_run: (&'static str, &'static str),
}

/// What a program does with its operands; `rows/programs.txt` explains the words.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProgramUse {
    Text,
    Prints,
    Quiet,
    Reads,
    Selects,
    Converts,
    Writes,
    Edits,
    /// The name of its function, without `run_` and with dashes.
    Special(&'static str),
}

impl ProgramDef {
    pub(super) fn read(row: TableRow) -> Option<Self> {
        let usage = match row.value {
            "text" => ProgramUse::Text,
            "prints" => ProgramUse::Prints,
            "quiet" => ProgramUse::Quiet,
            "reads" => ProgramUse::Reads,
            "selects" => ProgramUse::Selects,
            "converts" => ProgramUse::Converts,
            "writes" => ProgramUse::Writes,
            "edits" => ProgramUse::Edits,
            name => ProgramUse::Special(name),
        };
        let dry_run = row.field("dry-run").map_or(Some(("", "")), |option| option.split_once(' '))?;
        Some(Self { valued: row.grammar(), usage, dry_run })
    }
}

/// A program that runs the rest of its arguments; `rows/wrappers.txt` explains the fields.
#[derive(Debug)]
pub(super) struct WrapperDef {
    /// Options that take a value.
    pub(super) valued: OptionLetters,
    pub(super) skipped: usize,
    pub(super) searches: bool,
    /// Words of which one has to come first; any may if there are none.
    pub(super) words: Vec<&'static str>,
    pub(super) is_privileged: bool,
    pub(super) is_elsewhere: bool,
}

impl WrapperDef {
    pub(super) fn read(row: TableRow) -> Option<Self> {
        Some(Self {
            valued: row.grammar(),
            skipped: row.field("skips").map_or(Some(0), |count| count.parse().ok())?,
            searches: row.has("searches"),
            words: row.text("behind").split_whitespace().collect(),
            is_privileged: row.has("privileged"),
            is_elsewhere: row.has("elsewhere"),
        })
    }
}

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextLanguage {
    Sql,
    Redis,
    /// JavaScript of MongoDB's shell.
    Mongo,
    /// A command line for another machine.
    Shell,
    /// Code for an interpreter.
    Code(&'static str),
}

/// Where a program gets texts; `rows/statements.txt` explains the fields.
#[derive(Debug)]
pub(super) struct TextSource {
    pub(super) words: Vec<&'static str>,
    /// Options, between spaces, as in the next two.
    pub(super) options: &'static str,
    pub(super) files: &'static str,
    pub(super) others: &'static str,
    pub(super) language: TextLanguage,
    pub(super) operand: Option<usize>,
    pub(super) reads_input: bool,
}

impl TextSource {
    pub(super) fn read(row: TableRow) -> Option<Self> {
        Some(Self {
            words: row.text("words").split_whitespace().collect(),
            options: row.text("options"),
            files: row.text("files"),
            others: row.text("others"),
            language: match row.value {
                "sql" => TextLanguage::Sql,
                "redis" => TextLanguage::Redis,
                "mongo" => TextLanguage::Mongo,
                "shell" => TextLanguage::Shell,
                language => TextLanguage::Code(language.strip_prefix("code ")?),
            },
            operand: row.field("operand").map(str::parse).transpose().ok()?,
            reads_input: !row.has("no-input"),
        })
    }
}

/// What a program does with the files that its words name; `rows/words.txt` explains the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordUse {
    Text,
    Read,
    Written,
    Copied,
    Command,
    Code,
    Runs,
}

impl WordUse {
    pub(super) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "read" => Self::Read,
            "written" => Self::Written,
            "copied" => Self::Copied,
            "command" => Self::Command,
            "code" => Self::Code,
            "runs" => Self::Runs,
            _ => return None,
        })
    }
}

/// Reads the operands as files, or the input if there are none.
pub(crate) fn read_operands<'a>(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    operands: impl Iterator<Item = &'a ShellArg>,
    is_recursive: bool,
) -> TextFlow {
    let mut flow = TextFlow::known("");
    let mut count = 0_usize;
    for operand in operands {
        count += 1;
        let read =
            if operand.text == "-" { call.stdin.clone() } else { walk.read_file(call.name, operand, is_recursive) };
        flow.append(read);
    }
    if count == 0 { call.stdin.clone() } else { flow }
}

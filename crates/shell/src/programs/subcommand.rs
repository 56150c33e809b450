//! What programs do whose meaning is in their subcommands and options: rows of a text, which anybody can extend.
//!
//! The files in `commands` have a section for each group of programs:
//!
//! ```text
//! $DRY = --dry-run|--help
//!
//! # Branches.
//! [git hub]
//! push => git force_push if -f|--force|--mirror not $DRY
//! stash drop|clear => git drop_stash
//! ```
//!
//! In front of `=>` are the words that the operands begin with, but for values of options: `a|b` are alternatives,
//! `delete-*` is a pattern, and `**` stands for any operands. Behind it are the kind of the operation, its action, and its
//! tags, each with a `+`. `if GROUP` is a group of options of which one must be there, and `not GROUP` one of which none may
//! be there, such as a dry run. `$NAME` is a text that the file gives a name. What has a blank is in double quotes.
//! `on-devices` says that the program works on the devices that its operands name: plain files of the project, such as
//! `disk.img`, are files that it writes.

use std::collections::HashMap;

use super::matching::RowCall;
use crate::name_index::{COMMAND_TEXTS, ReadOnce, SECTIONS, SECTIONS_COUNT};
use crate::walk::{CommandWalk, OptionLetters, ProgramCall, ShellArg, shown};
use crate::word_lists::read_name;
use crate::{Operation, OperationKind, OperationTag, PathPlace};

/// Every section.
pub(super) static SUBCOMMANDS: SubcommandTable =
    SubcommandTable { names: ReadOnce::new(COMMAND_TEXTS.len()), sections: ReadOnce::new(SECTIONS_COUNT) };

/// What a program does with certain words and options.
#[derive(Debug)]
pub(crate) struct SubcommandDef {
    words: Vec<&'static str>,
    /// What one of the words may be, of which an argument must be one; empty if all of them are patterns.
    plain: Vec<&'static str>,
    /// Options that must be there, one of each group: `-f|--force`.
    options: Vec<Vec<&'static str>>,
    /// Options of which none may be there.
    without: Vec<Vec<&'static str>>,
    pub(crate) kind: OperationKind,
    action: &'static str,
    tags: Vec<OperationTag>,
    is_on_devices: bool,
}

/// The texts of a file that have a name.
type RowNames = HashMap<&'static str, &'static str>;

/// The sections, of which each is read when one of its programs is first called.
pub(super) struct SubcommandTable {
    /// The names of each file.
    names: ReadOnce<RowNames>,
    sections: ReadOnce<Vec<SubcommandDef>>,
}

impl SubcommandTable {
    /// The names of a file.
    fn names_of(&self, text: usize) -> Option<&RowNames> {
        let read = || {
            let lines = COMMAND_TEXTS.get(text)?.lines();
            Some(lines.filter_map(read_named).collect())
        };
        self.names.get_or_read(text, read)
    }

    /// Whether a program is an agent that people start in a terminal.
    pub(super) fn is_agent(&self, program: &str) -> bool {
        let lists = (0..COMMAND_TEXTS.len()).filter_map(|text| self.names_of(text)?.get("$AGENTS"));
        lists.flat_map(|list| list.split(' ')).any(|agent| agent == program)
    }

    /// The kinds of all rows, with their actions.
    pub(super) fn actions(&self) -> impl Iterator<Item = (OperationKind, &'static str)> {
        (0..SECTIONS_COUNT).flat_map(|number| self.rows_of(number)).map(|row| (row.kind, row.action))
    }

    /// The rows of sections, in their order.
    pub(super) fn rows<'s>(&'s self, sections: &'s [usize]) -> impl Iterator<Item = &'s SubcommandDef> {
        sections.iter().flat_map(|number| self.rows_of(*number))
    }

    fn rows_of(&self, number: usize) -> &[SubcommandDef] {
        let read = || {
            let names = self.names_of(usize::from(SECTIONS.get(number)?.text))?;
            // A test reads every row.
            Some(section_lines(number).filter_map(|line| read_row(line, names)).collect())
        };
        self.sections.get_or_read(number, read).map_or(&[], Vec::as_slice)
    }
}

/// A text that a line gives a name, with the name.
fn read_named(line: &'static str) -> Option<(&'static str, &'static str)> {
    line.split_once(" = ").filter(|_| line.starts_with('$'))
}

/// The lines of a section.
fn section_lines(number: usize) -> impl Iterator<Item = &'static str> {
    let text = SECTIONS.get(number).map_or("", |section| section.read_from(&COMMAND_TEXTS));
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ") && read_named(line).is_none())
}

/// The words of a row.
fn row_words<'n>(line: &'static str, names: &'n RowNames) -> impl Iterator<Item = &'static str> + use<'n> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(' ');
        let (word, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None if rest.is_empty() => return None,
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        rest = behind;
        Some(names.get(word).copied().unwrap_or(word))
    })
}

/// Reads a row; `None` if it is not one.
fn read_row(line: &'static str, names: &RowNames) -> Option<SubcommandDef> {
    let mut words = row_words(line, names);
    let before: Vec<&str> = words.by_ref().take_while(|word| *word != "=>").collect();
    let split = |group: &'static str| group.split('|').collect::<Vec<_>>();
    let plain = before.iter().copied().find(|word| !word.contains(['*', '[']));
    let mut row = SubcommandDef {
        words: before,
        plain: plain.map(split).unwrap_or_default(),
        options: Vec::new(),
        without: Vec::new(),
        kind: read_name(words.next()?)?,
        action: words.next()?,
        tags: Vec::new(),
        is_on_devices: false,
    };
    while let Some(word) = words.next() {
        match (word, word.strip_prefix('+')) {
            ("if", _) => row.options.push(split(words.next()?)),
            ("not", _) => row.without.push(split(words.next()?)),
            ("on-devices", _) => row.is_on_devices = true,
            (_, Some(tag)) => row.tags.push(read_name(tag)?),
            _ => return None,
        }
    }
    Some(row)
}

impl SubcommandDef {
    /// The arguments by which the row matches.
    fn matches<'c>(&self, walk: &CommandWalk<'_>, call: &RowCall<'c, '_>) -> Option<Vec<&'c str>> {
        let may_match = self.plain.is_empty() || self.plain.iter().any(|word| call.has_text(word));
        if !may_match || !call.has_words(&self.words) {
            return None;
        }
        let found = self.options.iter().map(|group| call.find_any(walk, group)).collect::<Option<Vec<_>>>()?;
        let is_without = self.without.iter().any(|group| call.has_surely(walk, group));
        (!is_without).then_some(found)
    }
}

/// Adds the operations of the rows that match.
pub(super) fn push_subcommands(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    grammar: OptionLetters,
    rows: impl Iterator<Item = &'static SubcommandDef>,
) {
    let row_call = RowCall::new(call, grammar);
    for row in rows {
        let Some(found) = row.matches(walk, &row_call) else { continue };
        // The option says what is dangerous, and the operand to what.
        let mut written: Vec<String> = Vec::new();
        let target = row_call.target(row.words.len(), found.is_empty());
        for text in found.iter().map(|text| shown(text)).chain(target) {
            if !text.is_empty() && !written.contains(&text) {
                written.push(text);
            }
        }
        if row.is_on_devices && writes_images(walk, call) {
            continue;
        }
        let operation = Operation::new(row.kind, call.name).action(row.action).written(written.join(" "));
        walk.push(row.tags.iter().fold(operation, |operation, tag| operation.tag(*tag)));
    }
}

/// Whether all operands are plain files of the project or temporary ones: images of disks, that a program writes.
fn writes_images(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) -> bool {
    let is_plain = |arg: &&ShellArg| {
        let is_file = matches!(walk.place(arg).place, PathPlace::Project | PathPlace::Temporary);
        is_file && arg.is_known() && !arg.is_pattern && !arg.text.contains('=')
    };
    let operands: Vec<&ShellArg> = call.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let names_device =
        call.args.iter().any(|arg| arg.text.contains("/dev/") || arg.text.starts_with('-') && !arg.is_known());
    if operands.is_empty() || names_device || !operands.iter().all(is_plain) {
        return false;
    }
    for operand in operands {
        walk.push_path(Operation::new(OperationKind::Write, call.name).action("image"), operand);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_a_row() {
        for (number, section) in SECTIONS.iter().enumerate() {
            let names = SUBCOMMANDS.names_of(usize::from(section.text)).unwrap();
            assert!(section_lines(number).next().is_some());
            for line in section_lines(number) {
                let row = read_row(line, names).unwrap_or_else(|| panic!("not a row: {line}"));
                let texts = row.words.iter().chain(row.options.iter().flatten()).chain(row.without.iter().flatten());
                assert!(texts.clone().all(|text| !text.starts_with('$')), "a name that the file does not give: {line}");
                assert!(line.contains(" => ") || line.starts_with("=> "), "{line}");
            }
        }
        for (number, text) in COMMAND_TEXTS.iter().enumerate() {
            for name in SUBCOMMANDS.names_of(number).unwrap().keys() {
                let uses = text.lines().filter(|line| read_named(line).is_none()).flat_map(|line| line.split(' '));
                assert!(uses.clone().any(|word| word == *name || word == format!("[{name}]")), "{name} is not used");
            }
        }
    }
}

//! What a row about a subcommand says.

use super::matching::RowCall;
use crate::walk::{CommandWalk, OptionLetters, ProgramCall, ShellArg, shown};
use crate::{Operation, OperationKind, OperationTag, PathPlace};

/// What a program does with certain words and options.
#[derive(Debug)]
pub(crate) struct SubcommandDef {
    pub(crate) programs: &'static [&'static str],
    /// Words that the operands begin with, but for values of options; `a|b` are alternatives, `delete-*` is a pattern,
    /// and `**` stands for any operands.
    pub(crate) words: &'static [&'static str],
    /// Options that must be there, one of each group: `-f|--force`.
    pub(crate) options: &'static [&'static str],
    /// Options of which none may be there, such as a dry run.
    pub(crate) without: &'static [&'static str],
    pub(crate) kind: OperationKind,
    pub(crate) action: &'static str,
    pub(crate) tags: &'static [OperationTag],
    /// Whether it works on the devices that its operands name. Plain files of the project, such as `disk.img`, are files
    /// that it writes.
    pub(crate) is_of_devices: bool,
}

/// A row without conditions on options.
pub(crate) const fn subcommand(
    programs: &'static [&'static str],
    words: &'static [&'static str],
    kind: OperationKind,
    action: &'static str,
) -> SubcommandDef {
    SubcommandDef { programs, words, options: &[], without: &[], kind, action, tags: &[], is_of_devices: false }
}

impl SubcommandDef {
    pub(crate) const fn with(mut self, options: &'static [&'static str]) -> Self {
        self.options = options;
        self
    }
    pub(crate) const fn without(mut self, options: &'static [&'static str]) -> Self {
        self.without = options;
        self
    }
    pub(crate) const fn tags(mut self, tags: &'static [OperationTag]) -> Self {
        self.tags = tags;
        self
    }

    pub(crate) const fn of_devices(mut self) -> Self {
        self.is_of_devices = true;
        self
    }

    /// The arguments by which the row matches.
    fn matches<'c>(&self, walk: &CommandWalk<'_>, call: &RowCall<'c, '_>) -> Option<Vec<&'c str>> {
        if !call.has_words(self.words) {
            return None;
        }
        let found = self.options.iter().map(|group| call.find_any(walk, group)).collect::<Option<Vec<_>>>()?;
        let is_without = self.without.iter().any(|group| call.has_surely(walk, group));
        (!is_without).then_some(found)
    }
}

/// Adds the operations of the rows that match.
pub(crate) fn push_subcommands(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    grammar: OptionLetters,
    rows: &[&SubcommandDef],
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
        if row.is_of_devices && writes_images(walk, call) {
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

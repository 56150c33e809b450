//! What a row of the table of programs says, and what several programs do alike.

use crate::walk::ProgramCall;
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ShellArg, TextFlow};

/// What a program does.
#[derive(Debug)]
pub(crate) struct ProgramDef {
    /// Its names, with blanks between.
    pub(crate) names: &'static str,
    /// Options that take a value.
    pub(crate) valued: OptionLetters,
    pub(crate) usage: ProgramUse,
    /// The option by which it only says what it would do: its letter and its name.
    pub(crate) dry_run: (&'static str, &'static str),
}

/// What a program does with its operands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProgramUse {
    /// They are text, or the names of files whose content it does not touch; it prints a number or a word about them.
    Text,
    /// They are text, and it prints about the machine.
    Prints,
    /// They are text, and it prints nothing.
    Quiet,
    /// They are files that it reads, but for the first ones.
    Reads(usize),
    /// They are files of which it prints parts.
    Selects,
    /// They are files that it reads and prints in another form.
    Converts,
    /// They are files that it replaces or makes.
    Writes,
    /// They are files that it changes in a way that cannot be known.
    Edits,
    Special(fn(&mut CommandWalk<'_>, &ProgramCall<'_>, &ParsedOptions<'_>) -> TextFlow),
}

/// A row.
pub(super) const fn program(names: &'static str, letters: &'static str, usage: ProgramUse) -> ProgramDef {
    ProgramDef { names, valued: OptionLetters { letters, names: "" }, usage, dry_run: ("", "") }
}

impl ProgramDef {
    /// With long options that take a value.
    pub(super) const fn long(mut self, names: &'static str) -> Self {
        self.valued.names = names;
        self
    }

    /// With an option by which it only says what it would do.
    pub(super) const fn dry_run(mut self, letter: &'static str, name: &'static str) -> Self {
        self.dry_run = (letter, name);
        self
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

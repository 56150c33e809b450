//! A program with its arguments and input.

use super::{ShellArg, TextFlow, TextTaint};

/// A program with its arguments and input.
#[derive(Debug)]
pub(crate) struct ProgramCall<'a> {
    /// Its name without directories.
    pub(crate) name: &'a str,
    pub(crate) written: &'a ShellArg,
    pub(crate) args: &'a [ShellArg],
    pub(crate) stdin: &'a TextFlow,
}

impl<'a> ProgramCall<'a> {
    /// The first argument that is not an option.
    pub(crate) fn first_operand(&self) -> Option<&'a str> {
        self.args.iter().map(|arg| arg.text.as_str()).find(|text| !text.starts_with('-'))
    }

    /// Whether one of these arguments is given as it is.
    pub(crate) fn has_arg(&self, any: &[&str]) -> bool {
        self.args.iter().any(|arg| any.contains(&arg.text.as_str()))
    }

    pub(crate) fn taint(&self) -> TextTaint {
        self.args.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint)
    }
}

//! PowerShell, without the feature `powershell`: what a line of it does is not known.

use super::unread;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, TextFlow, TextTaint};

/// An inner program of the parser of PowerShell.
pub(crate) fn run_power(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    walk.run_powershell_line(call.name, call.stdin)
}

impl CommandWalk<'_> {
    pub(crate) fn run_powershell_line(&mut self, text: &str, _: &TextFlow) -> TextFlow {
        self.note_text(text);
        self.push(unread("PowerShell"));
        TextFlow::from_taint(TextTaint::OUTPUT)
    }
}
